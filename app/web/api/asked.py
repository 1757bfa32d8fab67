"""What each call may be asked with: the bodies and the queries."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from flask import request
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from app.errors import InvalidFields
from app.web.api.fields import (
    Asked,
    Channel,
    Email,
    Id,
    Ids,
    Instant,
    Model,
    Name,
    Notes,
    Phone,
    QueryInstant,
    Reason,
    Units,
    check,
)

MOST_ITEMS = 200
USUAL_ITEMS = 50

LONGEST_WINDOW = timedelta(days=62)

StatusName = Literal[
    "held",
    "pending_payment",
    "confirmed",
    "checked_in",
    "completed",
    "cancelled",
    "no_show",
    "expired",
]


_PHONE = "E.164, or as people of the location's country write it."


class HoldCustomer(Asked):
    name: Name | None = None
    phone: Phone | None = Field(None, description=_PHONE)
    email: Email | None = None


class HoldRequest(Asked):
    """A time to keep. Without ``resource_ids`` any that fits is taken, spread fairly."""

    service_id: Id
    starts_at: Instant = Field(description="One of the starts that `GET /availability` lists.")
    resource_ids: Ids | None = Field(
        None, description="One for each need at most; any that fits for the needs left out."
    )
    units: Units = Field(1, description="How many places, of a service that uses a pool.")
    customer: HoldCustomer | None = Field(None, description="May follow with the confirmation.")
    notes: Notes | None = None
    channel: Channel = Field("api", description="Where it came from, such as `whatsapp`.")


class ConfirmCustomer(Asked):
    name: Name
    phone: Phone = Field(description=_PHONE)
    email: Email | None = None


class ConfirmRequest(Asked):
    """Whom the booking is for. It cannot change service, time, resources or price."""

    customer: ConfirmCustomer | None = None
    notes: Notes | None = None


class RescheduleRequest(Asked):
    """Where the booking goes. Without ``resource_ids`` the same come first, then any."""

    starts_at: Instant
    resource_ids: Ids | None = Field(
        None, description="One for each need at most; of the others the same come first."
    )


class CancelRequest(Asked):
    reason: Reason | None = Field(None, description="For the business to read.")


class NothingAsked(Asked):
    """Nothing, or an empty object."""


def _whole_number(told: object) -> object:
    if isinstance(told, str):
        if not (told.isascii() and told.isdigit() and len(told) <= len("1000")):
            raise PydanticCustomError("invalid_type", "not a number")
        return int(told)
    return told


_Limit = Annotated[int, Field(ge=1, le=MOST_ITEMS), BeforeValidator(_whole_number)]


class PageQuery(Asked):
    limit: _Limit = USUAL_ITEMS
    cursor: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class BookingsQuery(PageQuery):
    since: QueryInstant | None = Field(
        None, alias="from", description="Bookings that start at this instant or later."
    )
    until: QueryInstant | None = Field(
        None, alias="to", description="Bookings that start before this instant."
    )
    status: StatusName | None = None
    phone: Phone | None = Field(None, description=_PHONE)
    resource_id: Id | None = None


class AvailabilityQuery(Asked):
    service_id: Id
    since: QueryInstant = Field(
        alias="from", description="The past is skipped: it is cut to the present."
    )
    until: QueryInstant = Field(alias="to", description="At most 62 days after `from`.")
    resource_id: Id | None = Field(None, description="Only starts with this resource.")
    limit: _Limit | None = Field(
        None, description="Only so many of the first starts; without it, every one."
    )


def check_window(since: datetime | None, until: datetime | None) -> None:
    """Refuse a window that ends before it begins.

    Raises:
        InvalidFields: names ``to``.
    """
    if since is not None and until is not None and until <= since:
        raise InvalidFields(("to", "not_after_from"))


def read_query(model: type[Model]) -> Model:
    """Read the request's query as ``model``.

    Raises:
        InvalidFields: names every parameter that is wrong, unknown or given twice.
    """
    twice = [name for name, told in request.args.lists() if len(told) > 1]
    if twice:
        raise InvalidFields(*((name[:100], "twice") for name in twice[:10]))
    return check(model, request.args.to_dict())
