from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.intervals import Span, covers, merge, subtract, touches

MIDNIGHT = datetime(2026, 3, 10, tzinfo=UTC)


def span(start: int, end: int) -> Span:
    return MIDNIGHT + timedelta(hours=start), MIDNIGHT + timedelta(hours=end)


def hours(spans: list[Span]) -> set[int]:
    """The whole hours that spans are made of."""
    return {hour for hour in range(24) if any(s <= span(hour, 0)[0] < e for s, e in spans)}


some_spans = st.lists(
    st.tuples(st.integers(0, 23), st.integers(0, 23)).map(lambda pair: span(*pair)), max_size=6
)


def test_spans_that_touch_or_overlap_become_one() -> None:
    assert merge([span(14, 18), span(9, 12), span(12, 13), span(10, 11)]) == [
        span(9, 13),
        span(14, 18),
    ]


def test_empty_and_reversed_spans_vanish() -> None:
    assert merge([span(9, 9), span(12, 10)]) == []


def test_a_hole_splits_what_it_lies_in() -> None:
    assert subtract([span(9, 18)], [span(12, 13), span(15, 16)]) == [
        span(9, 12),
        span(13, 15),
        span(16, 18),
    ]


def test_a_hole_over_everything_leaves_nothing() -> None:
    assert subtract([span(9, 12), span(13, 18)], [span(8, 19)]) == []


def test_a_hole_that_only_touches_takes_nothing() -> None:
    assert subtract([span(9, 12)], [span(8, 9), span(12, 13)]) == [span(9, 12)]


@pytest.mark.parametrize(
    ("start", "end", "covered", "touched"),
    [
        (9, 12, True, True),
        (10, 11, True, True),
        (8, 10, False, True),
        (11, 13, False, True),
        (12, 13, False, False),
        (7, 9, False, False),
        (11, 15, False, True),
        (8, 19, False, True),
    ],
)
def test_spans_are_half_open(start: int, end: int, covered: bool, touched: bool) -> None:
    spans = [span(9, 12), span(14, 18)]

    assert covers(spans, *span(start, end)) is covered
    assert touches(spans, *span(start, end)) is touched


@given(some_spans, some_spans)
def test_hour_by_hour_the_answers_are_those_of_sets(first: list[Span], second: list[Span]) -> None:
    spans, holes = merge(first), merge(second)

    left = subtract(spans, holes)

    assert hours(left) == hours(spans) - hours(holes)
    assert left == merge(left)
    for hour in range(23):
        assert covers(left, *span(hour, hour + 1)) == (hour in hours(left))
        assert touches(left, *span(hour, hour + 1)) == (hour in hours(left))
