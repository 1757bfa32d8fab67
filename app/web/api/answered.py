"""What each call answers. The same models write the answers and their documentation."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import url_for
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from app.booking.availability import Start
from app.booking.views import BookingView, Contact
from app.catalog.queries import ResourceName
from app.payments.queries import DepositView
from app.web.api.asked import StatusName
from app.web.api.instants import utc_text, wall_text

Utc = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Id = Annotated[UUID, PlainSerializer(str, return_type=str), WithJsonSchema({"type": "string"})]


class Answered(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def body(self) -> dict[str, Any]:
        """Give the JSON object."""
        return self.model_dump()


class LocalTimes(Answered):
    """The location's wall times, with their offset: what a person reads."""

    starts_at: str
    ends_at: str
    timezone: str

    @classmethod
    def of(cls, starts_at: datetime, ends_at: datetime, zone: ZoneInfo) -> Self:
        return cls(
            starts_at=wall_text(starts_at, zone),
            ends_at=wall_text(ends_at, zone),
            timezone=zone.key,
        )


class Named(Answered):
    id: Id
    name: str

    @classmethod
    def of(cls, resource: ResourceName) -> Self:
        return cls(id=resource.id, name=resource.name)


class TakenAnswer(Named):
    units: int


class CustomerAnswer(Answered):
    """As told for this booking. ``id`` is null until a phone is known."""

    id: Id | None
    name: str | None
    phone: str | None
    email: str | None

    @classmethod
    def of(cls, contact: Contact) -> Self | None:
        if contact == Contact():
            return None
        return cls(
            id=contact.customer_id, name=contact.name, phone=contact.phone, email=contact.email
        )


class RefundAnswer(Answered):
    """Money that does not stay on the booking: waits for a person, is on its way, or is back."""

    status: Literal["due", "in_progress", "failed", "refunded"]
    reason: str = Field(
        description="`paid_late`, `wrong_amount`, `second_payment`, `booking_cancelled`,"
        " `slot_taken`, `time_passed`, `not_owed` or `by_bank`; more may come."
    )


class PaymentAnswer(Answered):
    """A deposit's charge. `paid` says that the money came in; `refund`, whether it stays.

    ``moved``: it pays for another booking now.
    """

    txid: str
    status: Literal["pending", "paid", "expired", "refunded", "moved"]
    amount_cents: int
    currency: str
    br_code: str = Field(description="What the customer pastes into the bank's app.")
    qr_url: str = Field(description="The code as a picture; for the same API key. Also `.png`.")
    expires_at: Utc = Field(description="Until when it can be paid.")
    paid_at: Utc | None = Field(description="By the provider's clock.")
    refund: RefundAnswer | None

    @classmethod
    def of(cls, deposit: DepositView) -> Self:
        refund = None
        if deposit.refund is not None:
            reason = deposit.reason or "by_bank"
            refund = RefundAnswer(status=deposit.refund.value, reason=reason)
        return cls(
            txid=deposit.txid,
            status=deposit.status.value,
            amount_cents=deposit.amount_cents,
            currency=deposit.currency,
            br_code=deposit.copy_paste,
            qr_url=url_for("api.show_qr_svg", txid=deposit.txid, _external=True),
            expires_at=deposit.payable_until,
            paid_at=deposit.paid_at,
            refund=refund,
        )


class BookingAnswer(Answered):
    """A booking, or a hold: a booking that is ``held``."""

    id: Id
    status: StatusName
    service: Named
    starts_at: Utc
    ends_at: Utc
    local: LocalTimes
    resources: list[TakenAnswer]
    customer: CustomerAnswer | None
    expires_at: Utc | None = Field(description="When a hold ends by itself.")
    price_cents: int = Field(description="Of all its units.")
    deposit_cents: int
    currency: str
    payment: PaymentAnswer | None = Field(
        description="The deposit's charge; null where none was asked for by Pix."
    )
    rescheduled_from: Id | None = Field(description="The booking that it was moved from.")
    rescheduled_to: Id | None = Field(description="The booking that stands in its place.")
    channel: str
    notes: str
    created_at: Utc
    updated_at: Utc
    version: int = Field(description="Grows with each change.")
    manage_url: str | None = Field(description="Null until customers have a page of their own.")

    @classmethod
    def of(cls, booking: BookingView, zone: ZoneInfo, payment: PaymentAnswer | None) -> Self:
        return cls(
            id=booking.id,
            status=booking.status.value,
            service=Named(id=booking.service_id, name=booking.service_name),
            starts_at=booking.starts_at,
            ends_at=booking.ends_at,
            local=LocalTimes.of(booking.starts_at, booking.ends_at, zone),
            resources=[
                TakenAnswer(id=taken.id, name=taken.name, units=taken.units)
                for taken in booking.resources
            ],
            customer=CustomerAnswer.of(booking.contact),
            expires_at=booking.expires_at,
            price_cents=booking.price_cents,
            deposit_cents=booking.deposit_cents,
            currency=booking.currency,
            payment=payment,
            rescheduled_from=booking.rescheduled_from,
            rescheduled_to=booking.rescheduled_to,
            channel=booking.channel,
            notes=booking.notes,
            created_at=booking.created_at,
            updated_at=booking.updated_at,
            version=booking.version,
            manage_url=None,
        )


class Alternative(Answered):
    """A start that can be held at this moment."""

    starts_at: Utc
    ends_at: Utc
    local: LocalTimes
    resources: list[Named]

    @classmethod
    def of(cls, start: Start, zone: ZoneInfo) -> Self:
        return cls(
            starts_at=start.starts_at,
            ends_at=start.ends_at,
            local=LocalTimes.of(start.starts_at, start.ends_at, zone),
            resources=[Named.of(resource) for resource in start.resources],
        )


class StartAnswer(Alternative):
    places_left: int | None = Field(
        None,
        exclude_if=lambda places: places is None,
        description="How many units more fit; only of a service that uses a pool.",
    )

    @classmethod
    def of(cls, start: Start, zone: ZoneInfo) -> Self:
        told = Alternative.of(start, zone)
        return cls(**dict(told), places_left=start.places_left)


class BookingPage(Answered):
    data: list[BookingAnswer]
    next_cursor: str | None


class StartList(Answered):
    data: list[StartAnswer]


class FieldError(Answered):
    """A field of the request that is wrong, and how."""

    field: str
    code: str
    detail: str


Absent = SkipJsonSchema[None]
"""Left out rather than null."""


class Problem(BaseModel):
    """A refusal (RFC 9457). ``code`` never changes; ``title`` and ``detail`` are for people."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(json_schema_extra={"format": "uri-reference"})
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldError] | Absent = Field(None, description="With `invalid_request`.")
    alternatives: list[Alternative] | Absent = Field(
        None, max_length=5, description="Starts that can be held now, the nearest first."
    )
    booking_status: StatusName | Absent = Field(
        None, description="With `invalid_transition`: what the booking is."
    )
    rescheduled_to: str | Absent = Field(
        None, description="With `already_rescheduled`: the booking to move instead."
    )
    request_id: str | Absent = Field(None, description="With `internal_error`: tell it to us.")
