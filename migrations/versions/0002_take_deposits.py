"""Take deposits."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


APPEND_ONLY = """
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    op.create_table(
        "payment_account",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column(
            "fingerprint",
            sa.Text(),
            nullable=False,
            comment="of the provider, its address and the key: who has the same money has the same",
        ),
        sa.Column("webhook_digest", sa.Text(), nullable=True),
        sa.Column(
            "paused_until",
            postgresql.TIMESTAMP(timezone=True),
            nullable=True,
            comment="its provider did not answer; nothing is asked of it before",
        ),
        sa.Column(
            "next_sweep_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("swept_until", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("closed_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_payment_account_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_payment_account")),
    )
    op.create_index("ix_payment_account_id", "payment_account", ["id"], unique=False)
    op.create_index(
        "ix_payment_account_fingerprint", "payment_account", ["fingerprint"], unique=False
    )
    op.create_index("ix_payment_account_sweep", "payment_account", ["next_sweep_at"], unique=False)
    op.create_index(
        "uq_payment_account_open",
        "payment_account",
        ["location_id"],
        unique=True,
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.create_table(
        "pix_notice",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "received_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "next_try_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("handled_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["location_id", "account_id"],
            ["payment_account.location_id", "payment_account.id"],
            name=op.f("fk_pix_notice_location_id_account_id"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_pix_notice")),
    )
    op.create_index("ix_pix_notice_received", "pix_notice", ["received_at"], unique=False)
    op.create_index(
        "ix_pix_notice_waiting",
        "pix_notice",
        ["next_try_at"],
        unique=False,
        postgresql_where=sa.text("handled_at IS NULL"),
    )
    op.create_table(
        "charge",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("booking_id", sa.Uuid(), nullable=False),
        sa.Column("txid", sa.Text(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default="asked", nullable=False),
        sa.Column("asked", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("copy_paste", sa.Text(), nullable=True),
        sa.Column("payable_until", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("expires_in_seconds", sa.Integer(), nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("opened_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("next_look_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("last_failure", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "status <> 'open' OR copy_paste IS NOT NULL", name=op.f("ck_charge_open_has_code")
        ),
        sa.CheckConstraint("status IN ('asked', 'open', 'over')", name=op.f("ck_charge_status")),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_charge_amount")),
        sa.ForeignKeyConstraint(
            ["location_id", "account_id"],
            ["payment_account.location_id", "payment_account.id"],
            name=op.f("fk_charge_location_id_account_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "booking_id"],
            ["booking.location_id", "booking.id"],
            name=op.f("fk_charge_location_id_booking_id"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_charge")),
        sa.UniqueConstraint("location_id", "txid", name=op.f("uq_charge_location_id_txid")),
    )
    op.create_index("ix_charge_booking", "charge", ["location_id", "booking_id"], unique=False)
    op.create_index(
        "ix_charge_look",
        "charge",
        ["next_look_at"],
        unique=False,
        postgresql_where=sa.text("next_look_at IS NOT NULL"),
    )
    op.create_index(
        "uq_charge_live",
        "charge",
        ["location_id", "booking_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('asked', 'open')"),
    )
    op.create_table(
        "payment",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("charge_id", sa.Uuid(), nullable=True),
        sa.Column("booking_id", sa.Uuid(), nullable=True),
        sa.Column("end_to_end_id", sa.Text(), nullable=True),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("returned_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("paid_at", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("refund_until", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column(
            "is_flagged",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
            comment="the bank took money back, and nobody looked yet",
        ),
        sa.CheckConstraint(
            "(method = 'pix') = (end_to_end_id IS NOT NULL AND account_id IS NOT NULL)",
            name=op.f("ck_payment_pix_has_id"),
        ),
        sa.CheckConstraint(
            "(standing = 'returned') = (returned_cents = amount_cents)",
            name=op.f("ck_payment_returned_is_all"),
        ),
        sa.CheckConstraint(
            "method IN ('pix', 'cash', 'card', 'transfer', 'other')", name=op.f("ck_payment_method")
        ),
        sa.CheckConstraint(
            "standing <> 'applied' OR booking_id IS NOT NULL", name=op.f("ck_payment_on_a_booking")
        ),
        sa.CheckConstraint(
            "standing <> 'due' OR reason IS NOT NULL", name=op.f("ck_payment_due_has_reason")
        ),
        sa.CheckConstraint(
            "standing IN ('applied', 'due', 'returned', 'kept')", name=op.f("ck_payment_standing")
        ),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_payment_amount")),
        sa.CheckConstraint(
            "returned_cents BETWEEN 0 AND amount_cents",
            name=op.f("ck_payment_never_more_than_paid"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "account_id"],
            ["payment_account.location_id", "payment_account.id"],
            name=op.f("fk_payment_location_id_account_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "booking_id"],
            ["booking.location_id", "booking.id"],
            name=op.f("fk_payment_location_id_booking_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "charge_id"],
            ["charge.location_id", "charge.id"],
            name=op.f("fk_payment_location_id_charge_id"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_payment")),
        sa.UniqueConstraint(
            "location_id",
            "account_id",
            "end_to_end_id",
            name=op.f("uq_payment_location_id_account_id_end_to_end_id"),
        ),
    )
    op.create_index("ix_payment_booking", "payment", ["location_id", "booking_id"], unique=False)
    op.create_index("ix_payment_charge", "payment", ["location_id", "charge_id"], unique=False)
    op.create_index(
        "ix_payment_paid", "payment", ["location_id", "account_id", "paid_at"], unique=False
    )
    op.create_index(
        "ix_payment_to_decide",
        "payment",
        ["location_id", "paid_at"],
        unique=False,
        postgresql_where=sa.text("standing = 'due' OR is_flagged"),
    )
    op.create_table(
        "ledger_entry",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("payment_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_booking_id", sa.Uuid(), nullable=True),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("target_booking_id", sa.Uuid(), nullable=True),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(source = 'booking') = (source_booking_id IS NOT NULL)",
            name=op.f("ck_ledger_entry_from"),
        ),
        sa.CheckConstraint(
            "(target = 'booking') = (target_booking_id IS NOT NULL)",
            name=op.f("ck_ledger_entry_to"),
        ),
        sa.CheckConstraint(
            "source IN ('payer', 'booking', 'due', 'house')", name=op.f("ck_ledger_entry_source")
        ),
        sa.CheckConstraint(
            "target IN ('payer', 'booking', 'due', 'house')", name=op.f("ck_ledger_entry_target")
        ),
        sa.CheckConstraint(
            "(source, source_booking_id) IS DISTINCT FROM (target, target_booking_id)",
            name=op.f("ck_ledger_entry_moves"),
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_ledger_entry_cents")),
        sa.ForeignKeyConstraint(
            ["location_id", "account_id"],
            ["payment_account.location_id", "payment_account.id"],
            name=op.f("fk_ledger_entry_location_id_account_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "payment_id"],
            ["payment.location_id", "payment.id"],
            name=op.f("fk_ledger_entry_location_id_payment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "source_booking_id"],
            ["booking.location_id", "booking.id"],
            name=op.f("fk_ledger_entry_location_id_source_booking_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "target_booking_id"],
            ["booking.location_id", "booking.id"],
            name=op.f("fk_ledger_entry_location_id_target_booking_id"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_ledger_entry")),
    )
    op.create_index(
        "ix_ledger_payment", "ledger_entry", ["location_id", "payment_id"], unique=False
    )
    op.create_index(
        "ix_ledger_source", "ledger_entry", ["location_id", "source_booking_id"], unique=False
    )
    op.create_index(
        "ix_ledger_target", "ledger_entry", ["location_id", "target_booking_id"], unique=False
    )
    op.create_table(
        "refund",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("payment_id", sa.Uuid(), nullable=False),
        sa.Column("refund_id", sa.Text(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("is_ours", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("is_by_hand", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("return_id", sa.Text(), nullable=True),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column(
            "asked_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("settled_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("next_look_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("looks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "status IN ('asked', 'pending', 'done', 'failed')", name=op.f("ck_refund_status")
        ),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_refund_amount")),
        sa.ForeignKeyConstraint(
            ["location_id", "payment_id"],
            ["payment.location_id", "payment.id"],
            name=op.f("fk_refund_location_id_payment_id"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_refund")),
        sa.UniqueConstraint(
            "location_id",
            "payment_id",
            "refund_id",
            name=op.f("uq_refund_location_id_payment_id_refund_id"),
        ),
    )
    op.create_index(
        "ix_refund_look",
        "refund",
        ["next_look_at"],
        unique=False,
        postgresql_where=sa.text("next_look_at IS NOT NULL"),
    )
    op.alter_column("outbox", "booking_id", existing_type=sa.UUID(), nullable=True)
    op.execute(APPEND_ONLY)


def downgrade() -> None:
    op.alter_column("outbox", "booking_id", existing_type=sa.UUID(), nullable=False)
    op.drop_index(
        "ix_refund_look", table_name="refund", postgresql_where=sa.text("next_look_at IS NOT NULL")
    )
    op.drop_table("refund")
    op.drop_index("ix_ledger_target", table_name="ledger_entry")
    op.drop_index("ix_ledger_source", table_name="ledger_entry")
    op.drop_index("ix_ledger_payment", table_name="ledger_entry")
    op.drop_table("ledger_entry")
    op.drop_index(
        "ix_payment_to_decide",
        table_name="payment",
        postgresql_where=sa.text("standing = 'due' OR is_flagged"),
    )
    op.drop_index("ix_payment_paid", table_name="payment")
    op.drop_index("ix_payment_charge", table_name="payment")
    op.drop_index("ix_payment_booking", table_name="payment")
    op.drop_table("payment")
    op.drop_index(
        "uq_charge_live",
        table_name="charge",
        postgresql_where=sa.text("status IN ('asked', 'open')"),
    )
    op.drop_index(
        "ix_charge_look", table_name="charge", postgresql_where=sa.text("next_look_at IS NOT NULL")
    )
    op.drop_index("ix_charge_booking", table_name="charge")
    op.drop_table("charge")
    op.drop_index(
        "ix_pix_notice_waiting",
        table_name="pix_notice",
        postgresql_where=sa.text("handled_at IS NULL"),
    )
    op.drop_index("ix_pix_notice_received", table_name="pix_notice")
    op.drop_table("pix_notice")
    op.drop_index(
        "uq_payment_account_open",
        table_name="payment_account",
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.drop_index("ix_payment_account_sweep", table_name="payment_account")
    op.drop_index("ix_payment_account_fingerprint", table_name="payment_account")
    op.drop_index("ix_payment_account_id", table_name="payment_account")
    op.drop_table("payment_account")
