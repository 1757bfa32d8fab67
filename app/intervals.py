"""Sorted, half-open stretches of instants. No wall time here, so no day is 23 hours long."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

Span = tuple[datetime, datetime]


def merge(spans: Iterable[Span]) -> list[Span]:
    """Sort ``spans`` and join those that overlap or touch; empty ones vanish."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def subtract(spans: list[Span], holes: list[Span]) -> list[Span]:
    """Cut ``holes`` out of ``spans``; both merged, and so is the answer."""
    left: list[Span] = []
    for start, end in spans:
        for hole_start, hole_end in holes:
            if hole_end <= start:
                continue
            if hole_start >= end:
                break
            if hole_start > start:
                left.append((start, hole_start))
            start = max(start, hole_end)
        if start < end:
            left.append((start, end))
    return left


def covers(spans: list[Span], start: datetime, end: datetime) -> bool:
    """Tell whether one of the merged ``spans`` holds all of [start, end)."""
    index = bisect_right(spans, start, key=lambda span: span[0]) - 1
    return index >= 0 and spans[index][1] >= end


def touches(spans: list[Span], start: datetime, end: datetime) -> bool:
    """Tell whether any of the merged ``spans`` shares an instant with [start, end)."""
    index = bisect_right(spans, start, key=lambda span: span[0]) - 1
    if index >= 0 and spans[index][1] > start:
        return True
    return index + 1 < len(spans) and spans[index + 1][0] < end
