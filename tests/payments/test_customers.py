from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import Connection
from sqlalchemy.orm import Session

from app.cashier.gateways import gateways
from app.checkout.actions import cancel, keep_payment, note_returned
from app.devservices.pix_bank.server import PixBank
from app.ids import new_id
from app.payments.customers import payments_of
from app.payments.models import Standing
from tests.checkout.scenes import Desk, open_desk
from tests.conftest import Clock
from tests.factories import DESK
from tests.payments.scenes import CLIENT
from tests.web.conftest import counting


@pytest.fixture
def desk(app: Flask, session: Session, clock: Clock) -> Iterator[Desk]:
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield open_desk(session, clock, bank)
        gateways().close()


def test_the_money_of_some_bookings_and_what_became_of_it(
    desk: Desk, session: Session, connection: Connection
) -> None:
    location = desk.location.id
    bookings = [desk.paid(f"2026-03-10 {hour}:00") for hour in (10, 11, 12)]
    ids = [booking.id for booking in bookings]
    for booking in bookings[1:]:
        cancel(session, location, booking.id, actor=DESK)
    session.commit()
    returned, kept = (view.payment_id for view in desk.due())
    note_returned(session, location, returned, note="En mano", actor=DESK)
    keep_payment(session, location, kept, note="Avisó tarde", actor=DESK)
    session.commit()

    with counting(connection) as counted:
        found = payments_of(session, location, [*ids, new_id()])

    assert len(counted.statements) == 1
    assert [[view.standing for view in found[each]] for each in ids] == [
        [Standing.APPLIED],
        [Standing.RETURNED],
        [Standing.KEPT],
    ]
    assert [found[each][0].returned_cents for each in ids] == [0, 50_00, 0]
    assert payments_of(session, location, []) == {}
    assert payments_of(session, new_id(), ids) == {}
