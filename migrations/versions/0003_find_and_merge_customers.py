"""Find and merge customers."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


# Accents go before the case does, so that a database of locale C lowers them too. Only built-in
# functions that never change: the column is generated, and an index holds it.
WORDS = r"""
CREATE FUNCTION customer_words(name text, phone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ' ' || coalesce(nullif(btrim(
            lower(regexp_replace(
                regexp_replace(normalize(left(name, 200), NFKD), '[\u0300-\u036f]+', '', 'g'),
                '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0]+', ' ', 'g'))), ''), '~')
        || ' ' || coalesce(regexp_replace(phone, '\D', '', 'g') || ' ', '')
        || CASE
            WHEN phone ~ '^\+55\d{2}9\d{8}$'
                THEN regexp_replace(phone, '^\+(55\d{2})9', '\1') || ' '
            WHEN phone ~ '^\+55\d{2}[6-9]\d{7}$'
                THEN regexp_replace(phone, '^\+(55\d{2})', '\19') || ' '
            ELSE ''
        END
$$;
COMMENT ON FUNCTION customer_words(text, text) IS
    'What a customer is found by: the name without accents, the phone in digits, a Brazilian mobile'
    ' with and without its ninth. Without a name comes a ~, so that it sorts last.';
"""


def upgrade() -> None:
    # Both are trusted: whoever owns the database may create them.
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.execute("CREATE EXTENSION IF NOT EXISTS btree_gin")
    op.execute(WORDS)
    op.add_column(
        "customer",
        sa.Column(
            "words",
            sa.Text(collation="C"),
            sa.Computed("customer_words(name, phone)", persisted=True),
            nullable=True,
        ),
    )
    op.add_column(
        "customer", sa.Column("version", sa.Integer(), server_default="1", nullable=False)
    )
    op.add_column(
        "customer", sa.Column("blocked_at", postgresql.TIMESTAMP(timezone=True), nullable=True)
    )
    op.add_column("customer", sa.Column("blocked_by", sa.Text(), nullable=True))
    op.add_column("customer", sa.Column("blocked_reason", sa.Text(), nullable=True))
    op.add_column("customer", sa.Column("merged_into", sa.Uuid(), nullable=True))
    op.add_column(
        "customer", sa.Column("merged_at", postgresql.TIMESTAMP(timezone=True), nullable=True)
    )
    op.create_foreign_key(
        "fk_customer_merged_into",
        "customer",
        "customer",
        ["location_id", "merged_into"],
        ["location_id", "id"],
    )
    op.create_check_constraint(
        op.f("ck_customer_block"),
        "customer",
        "(blocked_at IS NULL) = (blocked_by IS NULL)"
        " AND (blocked_at IS NULL) = (blocked_reason IS NULL)",
    )
    op.create_check_constraint(
        op.f("ck_customer_merge"),
        "customer",
        "(merged_into IS NULL) = (merged_at IS NULL) AND merged_into IS DISTINCT FROM id",
    )
    op.create_index(
        "ix_customer_words",
        "customer",
        ["location_id", "words"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"words": "gin_trgm_ops"},
    )
    op.create_index("ix_customer_list", "customer", ["location_id", "words", "id"], unique=False)
    op.create_index(
        "ix_customer_merged_into",
        "customer",
        ["location_id", "merged_into"],
        unique=False,
        postgresql_where=sa.text("merged_into IS NOT NULL"),
    )
    op.create_index(
        "ix_booking_customer",
        "booking",
        ["location_id", "customer_id", "starts_at"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_index("ix_booking_customer", table_name="booking")
    op.drop_index("ix_customer_merged_into", table_name="customer")
    op.drop_index("ix_customer_list", table_name="customer")
    op.drop_index("ix_customer_words", table_name="customer")
    op.drop_constraint("ck_customer_merge", "customer")
    op.drop_constraint("ck_customer_block", "customer")
    op.drop_constraint("fk_customer_merged_into", "customer")
    for column in (
        "merged_at", "merged_into", "blocked_reason", "blocked_by", "blocked_at", "version", "words",
    ):
        op.drop_column("customer", column)
    op.execute("DROP FUNCTION customer_words(text, text)")
