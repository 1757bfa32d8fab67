"""Create the booking desk."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


CLOCK = """
CREATE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT now() + coalesce(
        nullif(current_setting('firme.clock_offset', true), '')::interval, interval '0')
$$;
COMMENT ON FUNCTION clock_now() IS
    'The one clock that decides whether a hold lives. Only tests set firme.clock_offset.';
"""

APPEND_ONLY = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
    op.execute(CLOCK)
    op.create_table(
        "audit",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("door", sa.Text(), nullable=False, comment="desk, api, public, worker or cli"),
        sa.Column(
            "actor", sa.Text(), nullable=False, comment="name as it was: a person, a key, or system"
        ),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_subject", "audit", ["location_id", "subject_id", "id"], unique=False)
    op.create_table(
        "idempotency_key",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("request_key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("location_id", "request_key", name=op.f("pk_idempotency_key")),
    )
    op.create_index(
        op.f("ix_idempotency_key_created_at"), "idempotency_key", ["created_at"], unique=False
    )
    op.create_table(
        "location",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), server_default="es", nullable=False),
        sa.Column("city", sa.Text(), server_default="", nullable=False),
        sa.Column("hold_minutes", sa.SmallInteger(), server_default="10", nullable=False),
        sa.Column("deposit_hold_minutes", sa.SmallInteger(), server_default="15", nullable=False),
        sa.Column("settlement_margin_seconds", sa.Integer(), server_default="60", nullable=False),
        sa.Column("no_show_grace_minutes", sa.SmallInteger(), server_default="15", nullable=False),
        sa.Column("cancellation_window_minutes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("notice_minutes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("horizon_days", sa.SmallInteger(), server_default="60", nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "cancellation_window_minutes >= 0", name=op.f("ck_location_cancellation_window")
        ),
        sa.CheckConstraint(
            "deposit_hold_minutes BETWEEN 1 AND 120", name=op.f("ck_location_deposit_hold_minutes")
        ),
        sa.CheckConstraint("hold_minutes BETWEEN 1 AND 120", name=op.f("ck_location_hold_minutes")),
        sa.CheckConstraint("horizon_days BETWEEN 1 AND 730", name=op.f("ck_location_horizon")),
        sa.CheckConstraint("no_show_grace_minutes >= 0", name=op.f("ck_location_no_show_grace")),
        sa.CheckConstraint("notice_minutes >= 0", name=op.f("ck_location_notice")),
        sa.CheckConstraint(
            "settlement_margin_seconds >= 0", name=op.f("ck_location_settlement_margin")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_location")),
        sa.UniqueConstraint("slug", name=op.f("uq_location_slug")),
    )
    op.create_table(
        "outbox",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("booking_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("clock_now()"),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "next_try_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("handled_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_outbox")),
    )
    op.create_index(
        "ix_outbox_booking", "outbox", ["location_id", "booking_id", "id"], unique=False
    )
    op.create_index("ix_outbox_tail", "outbox", ["id"], unique=False)
    op.create_index(
        "ix_outbox_waiting",
        "outbox",
        ["next_try_at", "id"],
        unique=False,
        postgresql_where=sa.text("handled_at IS NULL"),
    )
    op.create_table(
        "staff_user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column(
            "session_token",
            sa.Uuid(),
            nullable=False,
            comment="changes with the password: older sessions end",
        ),
        sa.Column("disabled_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff_user")),
    )
    op.create_index(
        "uq_staff_user_email", "staff_user", [sa.literal_column("lower(email)")], unique=True
    )
    op.create_table(
        "api_key",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("revoked_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.CheckConstraint(
            "scopes <@ ARRAY['read', 'book', 'manage']", name=op.f("ck_api_key_scopes")
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_api_key_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_api_key")),
        sa.UniqueConstraint(
            "location_id", "secret_hash", name=op.f("uq_api_key_location_id_secret_hash")
        ),
    )
    op.create_table(
        "customer",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_customer_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_customer")),
        sa.UniqueConstraint("location_id", "phone", name=op.f("uq_customer_location_id_phone")),
    )
    op.create_table(
        "holiday",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_holiday_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_holiday")),
        sa.UniqueConstraint("location_id", "day", name=op.f("uq_holiday_location_id_day")),
    )
    op.create_table(
        "resource",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), server_default="exclusive", nullable=False),
        sa.Column("capacity", sa.Integer(), server_default="1", nullable=False),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("archived_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind = 'pooled' OR capacity = 1", name=op.f("ck_resource_exclusive_is_one")
        ),
        sa.CheckConstraint("kind IN ('exclusive', 'pooled')", name=op.f("ck_resource_kind")),
        sa.CheckConstraint("capacity BETWEEN 1 AND 10000", name=op.f("ck_resource_capacity")),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_resource_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_resource")),
        sa.UniqueConstraint(
            "location_id", "id", "kind", name=op.f("uq_resource_location_id_id_kind")
        ),
    )
    op.create_table(
        "service",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("duration_minutes", sa.SmallInteger(), nullable=False),
        sa.Column("buffer_before_minutes", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("buffer_after_minutes", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("grid_minutes", sa.SmallInteger(), server_default="15", nullable=False),
        sa.Column("price_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("deposit_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("archived_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.CheckConstraint(
            "buffer_after_minutes BETWEEN 0 AND 720", name=op.f("ck_service_buffer_after")
        ),
        sa.CheckConstraint(
            "buffer_before_minutes BETWEEN 0 AND 720", name=op.f("ck_service_buffer_before")
        ),
        sa.CheckConstraint(
            "deposit_cents BETWEEN 0 AND price_cents", name=op.f("ck_service_deposit")
        ),
        sa.CheckConstraint("duration_minutes BETWEEN 5 AND 1440", name=op.f("ck_service_duration")),
        sa.CheckConstraint("grid_minutes BETWEEN 5 AND 1440", name=op.f("ck_service_grid")),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_service_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_service")),
    )
    op.create_table(
        "booking",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("service_id", sa.Uuid(), nullable=False),
        sa.Column("service_name", sa.Text(), nullable=False),
        sa.Column("customer_id", sa.Uuid(), nullable=True),
        sa.Column("customer_name", sa.Text(), nullable=True),
        sa.Column("customer_phone", sa.Text(), nullable=True),
        sa.Column("customer_email", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column("starts_at", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("ends_at", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("extended_minutes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("units", sa.Integer(), server_default="1", nullable=False),
        sa.Column("price_cents", sa.BigInteger(), nullable=False),
        sa.Column("deposit_cents", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("policy", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column(
            "request_key",
            sa.Text(),
            nullable=True,
            comment="digest of client, call and Idempotency-Key that made it; kept for ever",
        ),
        sa.Column("made_by", sa.Uuid(), nullable=True, comment="the user or API key that made it"),
        sa.Column("rescheduled_to", sa.Uuid(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("checked_in_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("no_show_suggested_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("no_show_dismissed_at", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("no_show_by", sa.Uuid(), nullable=True),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
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
        sa.CheckConstraint(
            "(status IN ('held', 'pending_payment')) = (expires_at IS NOT NULL)",
            name=op.f("ck_booking_expiry"),
        ),
        sa.CheckConstraint(
            "ends_at <= starts_at + interval '24 hours'", name=op.f("ck_booking_length")
        ),
        sa.CheckConstraint(
            "rescheduled_to IS NULL OR status = 'cancelled'",
            name=op.f("ck_booking_rescheduled_is_cancelled"),
        ),
        sa.CheckConstraint(
            "status <> 'no_show' OR no_show_by IS NOT NULL",
            name=op.f("ck_booking_no_show_by_person"),
        ),
        sa.CheckConstraint(
            "status IN ('cancelled', 'checked_in', 'completed', 'confirmed', 'expired', 'held', 'no_show', 'pending_payment')",
            name=op.f("ck_booking_status"),
        ),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_booking_span")),
        sa.CheckConstraint("units >= 1", name=op.f("ck_booking_units")),
        sa.ForeignKeyConstraint(
            ["location_id", "customer_id"],
            ["customer.location_id", "customer.id"],
            name=op.f("fk_booking_location_id_customer_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "rescheduled_to"],
            ["booking.location_id", "booking.id"],
            name="fk_booking_rescheduled_to",
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "service_id"],
            ["service.location_id", "service.id"],
            name=op.f("fk_booking_location_id_service_id"),
        ),
        sa.ForeignKeyConstraint(
            ["no_show_by"], ["staff_user.id"], name=op.f("fk_booking_no_show_by")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_booking")),
        sa.UniqueConstraint(
            "location_id", "request_key", name=op.f("uq_booking_location_id_request_key")
        ),
        sa.UniqueConstraint(
            "location_id", "rescheduled_to", name=op.f("uq_booking_location_id_rescheduled_to")
        ),
    )
    op.create_index("ix_booking_day", "booking", ["location_id", "starts_at"], unique=False)
    op.create_index(
        "ix_booking_expires",
        "booking",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.create_index(
        "ix_booking_live_holds",
        "booking",
        ["location_id", "made_by"],
        unique=False,
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.create_index(
        "ix_booking_live_phone",
        "booking",
        ["location_id", "customer_phone"],
        unique=False,
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.create_index("ix_booking_phone", "booking", ["location_id", "customer_phone"], unique=False)
    op.create_index(
        "ix_booking_to_review",
        "booking",
        ["location_id", "starts_at"],
        unique=False,
        postgresql_where=sa.text(
            "status = 'confirmed' AND no_show_suggested_at IS NOT NULL AND no_show_dismissed_at IS NULL"
        ),
    )
    op.create_index(
        "ix_booking_unarrived",
        "booking",
        ["starts_at"],
        unique=False,
        postgresql_where=sa.text("status = 'confirmed' AND no_show_suggested_at IS NULL"),
    )
    op.create_table(
        "dated_hours",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("opens", sa.SmallInteger(), nullable=True),
        sa.Column("closes", sa.SmallInteger(), nullable=True),
        sa.CheckConstraint(
            "(opens IS NULL AND closes IS NULL) OR (opens IS NOT NULL AND closes IS NOT NULL AND opens >= 0 AND opens < 1440 AND closes > opens AND closes <= 2880)",
            name=op.f("ck_dated_hours_span"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_dated_hours_location_id_resource_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_dated_hours_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_dated_hours")),
    )
    op.create_index(
        op.f("ix_dated_hours_location_id_resource_id_day"),
        "dated_hours",
        ["location_id", "resource_id", "day"],
        unique=False,
    )
    op.create_table(
        "membership",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "role <> 'professional' OR resource_id IS NOT NULL",
            name=op.f("ck_membership_own_column"),
        ),
        sa.CheckConstraint(
            "role IN ('owner', 'receptionist', 'professional')", name=op.f("ck_membership_role")
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_membership_location_id_resource_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_membership_location_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["staff_user.id"], name=op.f("fk_membership_user_id")),
        sa.PrimaryKeyConstraint("location_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_table(
        "pool_usage",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("bucket_start", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.CheckConstraint("used BETWEEN 0 AND capacity", name=op.f("ck_pool_usage_never_over")),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_pool_usage_location_id_resource_id"),
        ),
        sa.PrimaryKeyConstraint(
            "location_id", "resource_id", "bucket_start", name=op.f("pk_pool_usage")
        ),
    )
    op.create_table(
        "requirement",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("service_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("units", sa.Integer(), server_default="1", nullable=False),
        sa.CheckConstraint("units >= 1", name=op.f("ck_requirement_units")),
        sa.ForeignKeyConstraint(
            ["location_id", "service_id"],
            ["service.location_id", "service.id"],
            name=op.f("fk_requirement_location_id_service_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_requirement_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_requirement")),
        sa.UniqueConstraint(
            "location_id", "service_id", "id", name=op.f("uq_requirement_location_id_service_id_id")
        ),
        sa.UniqueConstraint(
            "location_id",
            "service_id",
            "position",
            name=op.f("uq_requirement_location_id_service_id_position"),
        ),
    )
    op.create_table(
        "time_off",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("starts_at", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("ends_at", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_time_off_span")),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_time_off_location_id_resource_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_time_off_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_time_off")),
    )
    op.create_index(
        op.f("ix_time_off_location_id_resource_id_ends_at"),
        "time_off",
        ["location_id", "resource_id", "ends_at"],
        unique=False,
    )
    op.create_table(
        "weekly_hours",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("weekday", sa.SmallInteger(), nullable=False, comment="0 is Monday"),
        sa.Column("opens", sa.SmallInteger(), nullable=False),
        sa.Column("closes", sa.SmallInteger(), nullable=False),
        sa.CheckConstraint(
            "opens >= 0 AND opens < 1440 AND closes > opens AND closes <= 2880",
            name=op.f("ck_weekly_hours_span"),
        ),
        sa.CheckConstraint("weekday BETWEEN 0 AND 6", name=op.f("ck_weekly_hours_weekday")),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_weekly_hours_location_id_resource_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["location.id"], name=op.f("fk_weekly_hours_location_id")
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_weekly_hours")),
    )
    op.create_index(
        op.f("ix_weekly_hours_location_id_resource_id_weekday"),
        "weekly_hours",
        ["location_id", "resource_id", "weekday"],
        unique=False,
    )
    op.create_table(
        "allocation",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("booking_id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("during", postgresql.TSTZRANGE(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        postgresql.ExcludeConstraint(
            (sa.column("location_id"), "="),
            (sa.column("resource_id"), "="),
            (sa.column("during"), "&&"),
            where=sa.text("active AND kind = 'exclusive'"),
            using="gist",
            name="ex_allocation_no_overlap",
        ),
        sa.CheckConstraint(
            "kind = 'pooled' OR units = 1", name=op.f("ck_allocation_exclusive_is_one")
        ),
        sa.CheckConstraint(
            "NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during) AND NOT lower_inf(during) AND NOT upper_inf(during) AND isfinite(lower(during)) AND isfinite(upper(during))",
            name=op.f("ck_allocation_span"),
        ),
        sa.CheckConstraint("units >= 1", name=op.f("ck_allocation_units")),
        sa.ForeignKeyConstraint(
            ["location_id", "booking_id"],
            ["booking.location_id", "booking.id"],
            name=op.f("fk_allocation_location_id_booking_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id", "kind"],
            ["resource.location_id", "resource.id", "resource.kind"],
            name=op.f("fk_allocation_location_id_resource_id_kind"),
        ),
        sa.PrimaryKeyConstraint("location_id", "id", name=op.f("pk_allocation")),
        sa.UniqueConstraint(
            "location_id",
            "booking_id",
            "resource_id",
            name=op.f("uq_allocation_location_id_booking_id_resource_id"),
        ),
    )
    op.create_index(
        "ix_allocation_pooled",
        "allocation",
        ["location_id", "resource_id", "during"],
        unique=False,
        postgresql_using="gist",
        postgresql_where=sa.text("active AND kind = 'pooled'"),
    )
    op.create_table(
        "requirement_option",
        sa.Column("location_id", sa.Uuid(), nullable=False),
        sa.Column("service_id", sa.Uuid(), nullable=False),
        sa.Column("resource_id", sa.Uuid(), nullable=False),
        sa.Column("requirement_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["location_id", "resource_id"],
            ["resource.location_id", "resource.id"],
            name=op.f("fk_requirement_option_location_id_resource_id"),
        ),
        sa.ForeignKeyConstraint(
            ["location_id", "service_id", "requirement_id"],
            ["requirement.location_id", "requirement.service_id", "requirement.id"],
            name=op.f("fk_requirement_option_location_id_service_id_requirement_id"),
        ),
        sa.PrimaryKeyConstraint(
            "location_id", "service_id", "resource_id", name=op.f("pk_requirement_option")
        ),
    )
    op.execute(APPEND_ONLY)


def downgrade() -> None:
    op.drop_table("requirement_option")
    op.drop_index(
        "ix_allocation_pooled",
        table_name="allocation",
        postgresql_using="gist",
        postgresql_where=sa.text("active AND kind = 'pooled'"),
    )
    op.drop_table("allocation")
    op.drop_index(
        op.f("ix_weekly_hours_location_id_resource_id_weekday"), table_name="weekly_hours"
    )
    op.drop_table("weekly_hours")
    op.drop_index(op.f("ix_time_off_location_id_resource_id_ends_at"), table_name="time_off")
    op.drop_table("time_off")
    op.drop_table("requirement")
    op.drop_table("pool_usage")
    op.drop_table("membership")
    op.drop_index(op.f("ix_dated_hours_location_id_resource_id_day"), table_name="dated_hours")
    op.drop_table("dated_hours")
    op.drop_index(
        "ix_booking_unarrived",
        table_name="booking",
        postgresql_where=sa.text("status = 'confirmed' AND no_show_suggested_at IS NULL"),
    )
    op.drop_index(
        "ix_booking_to_review",
        table_name="booking",
        postgresql_where=sa.text(
            "status = 'confirmed' AND no_show_suggested_at IS NOT NULL AND no_show_dismissed_at IS NULL"
        ),
    )
    op.drop_index("ix_booking_phone", table_name="booking")
    op.drop_index(
        "ix_booking_live_phone",
        table_name="booking",
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.drop_index(
        "ix_booking_live_holds",
        table_name="booking",
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.drop_index(
        "ix_booking_expires",
        table_name="booking",
        postgresql_where=sa.text("status IN ('held', 'pending_payment')"),
    )
    op.drop_index("ix_booking_day", table_name="booking")
    op.drop_table("booking")
    op.drop_table("service")
    op.drop_table("resource")
    op.drop_table("holiday")
    op.drop_table("customer")
    op.drop_table("api_key")
    op.drop_index("uq_staff_user_email", table_name="staff_user")
    op.drop_table("staff_user")
    op.drop_index(
        "ix_outbox_waiting", table_name="outbox", postgresql_where=sa.text("handled_at IS NULL")
    )
    op.drop_index("ix_outbox_tail", table_name="outbox")
    op.drop_index("ix_outbox_booking", table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("location")
    op.drop_index(op.f("ix_idempotency_key_created_at"), table_name="idempotency_key")
    op.drop_table("idempotency_key")
    op.drop_index("ix_audit_subject", table_name="audit")
    op.drop_table("audit")
    op.execute("DROP FUNCTION refuse_change")
    op.execute("DROP FUNCTION clock_now")
