"""What can be booked, and where, as the API answers it."""

from typing import Self

from app.catalog.models import Location, Resource
from app.catalog.queries import ServiceView
from app.web.api.answered import Answered, Id, Named


class NeedAnswer(Answered):
    """One thing that a service needs; any one of ``resources`` serves."""

    units: int
    resources: list[Named]


class ServiceAnswer(Answered):
    id: Id
    name: str
    duration_minutes: int
    buffer_before_minutes: int
    buffer_after_minutes: int
    grid_minutes: int
    price_cents: int
    deposit_cents: int
    currency: str
    notice_minutes: int
    horizon_days: int
    needs: list[NeedAnswer]

    @classmethod
    def of(cls, service: ServiceView, location: Location) -> Self:
        return cls(
            id=service.id,
            name=service.name,
            duration_minutes=service.duration_minutes,
            buffer_before_minutes=service.buffer_before_minutes,
            buffer_after_minutes=service.buffer_after_minutes,
            grid_minutes=service.grid_minutes,
            price_cents=service.price_cents,
            deposit_cents=service.deposit_cents,
            currency=location.currency,
            notice_minutes=location.notice_minutes,
            horizon_days=location.horizon_days,
            needs=[
                NeedAnswer(units=need.units, resources=[Named.of(r) for r in need.options])
                for need in service.needs
            ],
        )


class ResourceAnswer(Named):
    label: str
    kind: str
    capacity: int

    @classmethod
    def described(cls, resource: Resource) -> Self:
        return cls(
            id=resource.id,
            name=resource.name,
            label=resource.label,
            kind=resource.kind,
            capacity=resource.capacity,
        )


class LocationAnswer(Answered):
    id: Id
    name: str
    timezone: str
    currency: str
    country: str
    language: str
    city: str
    hold_minutes: int
    deposit_hold_minutes: int
    notice_minutes: int
    horizon_days: int
    cancellation_window_minutes: int

    @classmethod
    def of(cls, location: Location) -> Self:
        return cls(**{name: getattr(location, name) for name in cls.model_fields})


class ServicePage(Answered):
    data: list[ServiceAnswer]
    next_cursor: str | None


class ResourcePage(Answered):
    data: list[ResourceAnswer]
    next_cursor: str | None
