from datetime import UTC, date, datetime
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from app.booking.states import Status
from app.booking.views import BookingView, Contact, TakenResource
from app.web.staff.blocks import Shown
from app.web.staff.grid import Frame
from app.web.staff.pools import full_spans, group_blocks, lane_blocks, ribbons, usage

POOL = UUID(int=7)
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def clock(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-03-10 {text}").replace(tzinfo=UTC)


FRAME = Frame(ZoneInfo("UTC"), date(2026, 3, 10), clock("08:00"), clock("20:00"))


def shown(start: str, end: str, units: int = 1, status: Status = Status.CONFIRMED) -> Shown:
    booking = BookingView(
        location_id=uuid4(),
        id=uuid4(),
        service_id=uuid4(),
        service_name="Masaje",
        resources=(TakenResource(POOL, "Camillas", units),),
        starts_at=clock(start),
        ends_at=clock(end),
        status=status,
        expires_at=None,
        extended_minutes=0,
        units=units,
        contact=Contact(),
        notes="",
        price_cents=0,
        deposit_cents=0,
        currency="BRL",
        policy={},
        channel="desk",
        rescheduled_from=None,
        rescheduled_to=None,
        cancel_reason=None,
        checked_in_at=None,
        no_show_suggested_at=None,
        no_show_dismissed_at=None,
        version=1,
        created_at=NOON,
        updated_at=NOON,
    )
    return Shown.at(booking, NOON)


def test_peak_use_counts_and_not_the_number_of_bookings() -> None:
    bookings = [shown("09:00", "10:00"), shown("10:00", "11:00"), shown("09:00", "11:00")]

    stretches = usage(bookings, POOL)

    assert stretches == [(clock("09:00"), clock("11:00"), 2)]
    assert full_spans(stretches, 2) == [(clock("09:00"), clock("11:00"))]
    assert full_spans(stretches, 3) == []


def test_the_ribbon_never_says_more_than_there_is() -> None:
    (ribbon,) = ribbons(FRAME, [(clock("09:00"), clock("10:00"), 5)], 3)

    assert (ribbon.used, ribbon.is_full, ribbon.tenths) == (3, True, 10)


def test_each_booking_has_a_lane_of_its_own() -> None:
    bookings = [shown("09:00", "10:00"), shown("09:30", "10:30"), shown("10:00", "11:00")]

    lanes = [block.css for block in lane_blocks(FRAME, bookings, POOL, 3)]

    assert lanes == ["lane lane-1 wide-1", "lane lane-2 wide-1", "lane lane-1 wide-1"]


def test_a_party_takes_lanes_side_by_side() -> None:
    bookings = [shown("09:00", "10:00", units=2), shown("09:00", "10:00")]

    lanes = [block.css for block in lane_blocks(FRAME, bookings, POOL, 3)]

    assert lanes == ["lane lane-1 wide-2", "lane lane-3 wide-1"]


def test_what_is_cancelled_has_no_lane() -> None:
    assert lane_blocks(FRAME, [shown("09:00", "10:00", status=Status.CANCELLED)], POOL, 3) == []


def test_a_class_is_one_group_and_says_how_full_it_is() -> None:
    bookings = [shown("09:00", "10:00") for _ in range(7)] + [shown("09:30", "10:30", units=3)]

    first, second = group_blocks(FRAME, bookings, POOL, 12)

    assert (first.used, first.percent, first.css) == (7, 58, "lane lane-1")
    assert (second.used, second.css) == (3, "lane lane-2")
