"""Tell everybody who listens what happened, in order, at least once."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.events import Event, Outbox
from app.jobs.sweeping import sweep
from app.payments.charges import recall_charges

log = logging.getLogger(__name__)

BATCH = 200

LONGEST_PAUSE = timedelta(hours=1)

Handler = Callable[[Session, Outbox], None]


def write_log(_: Session, event: Outbox) -> None:
    """Leave a line for whoever runs the machine; ids only, no person's data."""
    log.info("%s booking=%s location=%s", event.kind, event.booking_id, event.location_id)


def take_charges_back(session: Session, event: Outbox) -> None:
    """Have no charge payable of a booking that does not wait for it any more."""
    if event.booking_id is not None:
        recall_charges(session, event.location_id, event.booking_id)


HANDLERS: dict[Event, tuple[Handler, ...]] = dict.fromkeys(Event, (write_log,)) | dict.fromkeys(
    (Event.EXPIRED, Event.CANCELLED, Event.CONFIRMED), (write_log, take_charges_back)
)
"""Who hears about an event. Handlers write to the database only, inside the drain's transaction,
and may be called again for the same event."""


def drain() -> int:
    """Hand waiting events to their handlers; tell how many were looked at."""
    return sweep(drain_batch, batch_size=BATCH)


def drain_batch(session: Session) -> int:
    """Handle up to a batch of waiting events; one that fails waits longer, the others go on."""
    waiting = session.scalars(
        select(Outbox)
        .where(Outbox.handled_at.is_(None), Outbox.next_try_at <= func.now())
        .order_by(Outbox.next_try_at, Outbox.id)
        .limit(BATCH)
        .with_for_update(skip_locked=True)
    ).all()
    handled = [event.id for event in waiting if _handle(session, event)]
    session.execute(
        update(Outbox)
        .where(Outbox.id.in_(handled))
        .values(handled_at=func.clock_now())
        .execution_options(synchronize_session=False)
    )
    return len(waiting)


def _handle(session: Session, event: Outbox) -> bool:
    handlers: Sequence[Handler] = HANDLERS.get(Event(event.kind), ())
    try:
        with session.begin_nested():
            for handle in handlers:
                handle(session, event)
    except Exception:
        event.attempts += 1
        pause = min(timedelta(seconds=2**event.attempts), LONGEST_PAUSE)
        event.next_try_at = func.now() + pause
        log.exception("event %s of %s failed", event.id, event.location_id)
        return False
    return True
