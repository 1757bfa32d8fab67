"""Charges: written down before the provider hears of them, looked after until they are over."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.ids import new_id
from app.money import Cents
from app.payments.claiming import LEASE, claim_one
from app.payments.models import Charge, ChargeStatus
from app.payments.pix.gateway import ChargeState

SHORTEST_LIFE = timedelta(seconds=1)
"""A provider's least; what is left of a hold may be less."""

FIRST_LOOK = timedelta(seconds=20)
"""Who asked has so long to hear the provider's answer; then the worker goes on with it."""

_AFTER_OPENING = tuple(timedelta(seconds=s) for s in (30, 90, 180, 360, 600))
_AFTER_DEADLINE = (timedelta(seconds=2), timedelta(minutes=2), timedelta(minutes=60))

_CLAIM = claim_one(
    "charge",
    due="t.next_look_at <= clock_now()",
    account="t.account_id",
    changes="next_look_at = clock_now() + greatest(:lease, (clock_now() - t.payable_until) / 4)",
    gives="t.location_id, t.id, t.account_id, t.booking_id, t.txid, t.status",
)

_RECALL = text("""
    UPDATE charge SET next_look_at = clock_now()
    WHERE location_id = :location_id AND booking_id = :booking_id AND status <> 'over'
""")


@dataclass(frozen=True)
class ChargeToLook:
    """A charge whose time to be looked at has come."""

    location_id: UUID
    id: UUID
    account_id: UUID
    booking_id: UUID
    txid: str
    status: ChargeStatus


def write_charge(
    session: Session,
    *,
    location_id: UUID,
    account_id: UUID,
    booking_id: UUID,
    amount: Cents,
    currency: str,
    payable_until: datetime,
    clock: datetime,
    asked: dict[str, Any],
) -> Charge:
    """Write a charge down; nobody was asked for it yet. ``asked`` says what to do once it is."""
    life = max(payable_until - clock, SHORTEST_LIFE)
    charge = Charge(
        location_id=location_id,
        id=new_id(),
        account_id=account_id,
        booking_id=booking_id,
        txid=uuid4().hex,
        amount_cents=amount,
        currency=currency,
        status=ChargeStatus.ASKED.value,
        asked=asked,
        payable_until=clock + life,
        expires_in_seconds=int(life.total_seconds()),
        next_look_at=clock + FIRST_LOOK,
    )
    session.add(charge)
    session.flush()
    return charge


def live_charge(session: Session, location_id: UUID, booking_id: UUID) -> Charge | None:
    """Find and lock the charge of a booking that may still be paid, if it has one."""
    return session.scalar(
        select(Charge)
        .where(
            Charge.location_id == location_id,
            Charge.booking_id == booking_id,
            Charge.status != ChargeStatus.OVER.value,
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def charges_of(session: Session, location_id: UUID, booking_id: UUID) -> list[Charge]:
    """Lock and list every charge of a booking."""
    return list(
        session.scalars(
            select(Charge)
            .where(Charge.location_id == location_id, Charge.booking_id == booking_id)
            .order_by(Charge.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
    )


def find_by_txid(session: Session, location_id: UUID, txid: str) -> Charge | None:
    """Find a location's charge by its txid."""
    return session.scalar(
        select(Charge).where(Charge.location_id == location_id, Charge.txid == txid)
    )


def open_charge(charge: Charge, state: ChargeState, clock: datetime) -> None:
    """Note that the provider has the charge, with the code that pays it."""
    charge.status = ChargeStatus.OPEN.value
    charge.copy_paste = state.copy_paste
    charge.opened_at = clock
    charge.asked = None
    charge.last_failure = None


def give_time(charge: Charge, payable_until: datetime, clock: datetime) -> None:
    """Give a charge that nobody has yet the time that its hold was given since."""
    if payable_until > charge.payable_until:
        charge.payable_until = payable_until
        life = int((payable_until - clock).total_seconds())
        charge.expires_in_seconds = max(charge.expires_in_seconds, life)


def end_charge(charge: Charge, clock: datetime) -> None:
    """Want the charge paid no more; the provider hears of it at the look that is due at once."""
    if charge.status != ChargeStatus.OVER.value:
        charge.asked = None
        charge.next_look_at = clock


def recall_charges(session: Session, location_id: UUID, booking_id: UUID) -> None:
    """Have the charges of a booking that waits no more looked at, and taken back, at once."""
    session.execute(_RECALL, {"location_id": location_id, "booking_id": booking_id})


def next_look(charge: Charge, clock: datetime, hold_ends_at: datetime | None) -> datetime | None:
    """Tell when to ask the provider again, should no notice come.

    Often while people wait, at the deadline, when the hold ends, two minutes and an hour later.
    From then on the daily list of payments is enough.
    """
    moments = [charge.payable_until + after for after in _AFTER_DEADLINE]
    if charge.status == ChargeStatus.OPEN.value and charge.opened_at is not None:
        moments += [charge.opened_at + after for after in _AFTER_OPENING]
    if hold_ends_at is not None:
        moments.append(hold_ends_at)
    return min((moment for moment in moments if moment > clock), default=None)


def claim_charge(session: Session) -> ChargeToLook | None:
    """Take one charge whose look is due, for the length of a lease.

    Whoever is killed with it loses it to the next one. One that fails every time is tried ever
    more seldom the longer ago its deadline was.
    """
    row = session.execute(_CLAIM, {"lease": LEASE}).first()
    if row is None:
        return None
    return ChargeToLook(
        row.location_id,
        row.id,
        row.account_id,
        row.booking_id,
        row.txid,
        ChargeStatus(row.status),
    )
