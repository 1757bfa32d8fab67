from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.booking.uncovered import list_uncovered
from app.catalog import actions
from app.catalog.hours import ResourceHours
from app.catalog.models import Location, Resource
from app.catalog.names import check_name, get_location_by_slug, get_resource_named
from app.catalog.queries import list_resources, working_days
from app.cli.arguments import (
    WEEKDAYS,
    parse_day,
    parse_intervals,
    parse_wall,
    parse_weekdays,
    the_instant,
)
from app.cli.commands import Commands, present, warn
from app.cli.printing import intervals_of, local, named, weekdays_of
from app.cli.trail import audit
from app.extensions import transact

hours = Commands("hours", help="When resources work: weeks, single dates, time off, holidays.")

SHOWN_AHEAD = timedelta(days=366)

WEEKLY = "weekly"

Change = Callable[[Session, Location, Resource], tuple[str, str, dict[str, Any]]]
"""Makes a change of a resource's hours; gives the line to print, the action and its detail."""


@hours.command("week")
@click.argument("location")
@click.argument("resource")
@click.argument("days", type=parse_weekdays)
@click.argument("intervals", type=parse_intervals)
@with_appcontext
def week(location: str, resource: str, days: list[int], intervals: list[tuple[int, int]]) -> None:
    """Set the hours of some DAYS of every week: mon-fri,sat 09:00-13:00,14:00-18:00.

    INTERVALS are local times to 24:00; 22:00-02:00 ends on the next day; closed is none.
    """
    shown, on = intervals_of(intervals), weekdays_of(days)

    def set_them(
        session: Session, place: Location, of: Resource
    ) -> tuple[str, str, dict[str, Any]]:
        actions.set_weekly_hours(session, place.id, of.id, days, intervals)
        detail = {"weekdays": on, "hours": shown}
        return f"{of.name}, {on}: {shown}.", "catalog.hours_changed", detail

    _change(location, resource, set_them)


@hours.command("day")
@click.argument("location")
@click.argument("resource")
@click.argument("day", type=parse_day)
@click.argument("intervals")
@with_appcontext
def day(location: str, resource: str, day: date, intervals: str) -> None:
    """Set the hours of one date, in place of the week's and of a holiday.

    INTERVALS as in week; closed is none; weekly lets the week's rule hold again.
    """
    is_weekly = intervals.strip().lower() == WEEKLY
    wanted = [] if is_weekly else parse_intervals(intervals)
    shown = WEEKLY if is_weekly else intervals_of(wanted)

    def set_it(session: Session, place: Location, of: Resource) -> tuple[str, str, dict[str, Any]]:
        if is_weekly:
            actions.forget_dated_hours(session, place.id, of.id, day)
        else:
            actions.set_dated_hours(session, place.id, of.id, day, wanted)
        detail = {"day": str(day), "hours": shown}
        return f"{of.name}, {day}: {shown}.", "catalog.hours_changed", detail

    _change(location, resource, set_it)


@hours.command("off")
@click.argument("location")
@click.argument("resource")
@click.argument("begins")
@click.argument("ends")
@click.option("--reason", default="")
@click.option("--remove", is_flag=True, help="Take back an absence of exactly these times.")
@with_appcontext
def off(location: str, resource: str, begins: str, ends: str, reason: str, remove: bool) -> None:
    """Take RESOURCE out between two local times: "2026-12-24 13:00" "2026-12-24 18:00"."""
    walls = parse_wall(begins), parse_wall(ends)
    why = check_name(reason, field="reason") if reason else ""

    def take_out(
        session: Session, place: Location, of: Resource
    ) -> tuple[str, str, dict[str, Any]]:
        zone = ZoneInfo(place.timezone)
        starts_at, ends_at = (the_instant(zone, wall) for wall in walls)
        span = {"starts_at": starts_at, "ends_at": ends_at}
        if remove:
            actions.remove_time_off(session, place.id, of.id, **span)
        else:
            actions.add_time_off(session, place.id, of.id, **span, reason=why)
        said, action = (
            ("is back", "catalog.time_off_removed")
            if remove
            else ("is off", "catalog.time_off_added")
        )
        detail = {name: instant.isoformat() for name, instant in span.items()}
        line = f"{of.name} {said}, {walls[0]:%Y-%m-%d %H:%M} to {walls[1]:%Y-%m-%d %H:%M}."
        return line, action, {**detail, "reason": why}

    _change(location, resource, take_out)


@hours.command("holiday")
@click.argument("location")
@click.argument("day", type=parse_day)
@click.argument("name", default="")
@click.option("--remove", is_flag=True, help="The day is none any more.")
@with_appcontext
def holiday(location: str, day: date, name: str, remove: bool) -> None:
    """Close LOCATION on a date, for all who have no dated hours for it."""
    called = "" if remove else check_name(name)

    def work(session: Session) -> tuple[str, str]:
        place = get_location_by_slug(session, location)
        resources = [resource.id for resource in list_resources(session, place.id)]
        before = _uncovered(session, place, resources)
        if remove:
            subject = actions.remove_holiday(session, place.id, day)
            audit(session, place.id, "catalog.holiday_removed", subject, day=str(day))
            return f"{day} is no holiday of {place.name}.", ""
        added = actions.add_holiday(session, place.id, day, called)
        audit(session, place.id, "catalog.holiday_added", added.id, day=str(day), name=called)
        warning = _newly_outside(session, place, resources, before)
        return f"{place.name} is closed on {day}: {called}.", warning

    line, warning = transact(work)
    click.echo(line)
    warn(warning)


@hours.command("show")
@click.argument("location")
@click.argument("resource", required=False)
@with_appcontext
def show(location: str, resource: str | None) -> None:
    """Show the hours of LOCATION, or of one RESOURCE: the week and what is set ahead."""
    now = present()

    def work(session: Session) -> tuple[Location, Sequence[Resource], dict[UUID, ResourceHours]]:
        place = get_location_by_slug(session, location)
        shown = (
            [get_resource_named(session, place.id, resource)]
            if resource
            else list_resources(session, place.id)
        )
        today = now.astimezone(ZoneInfo(place.timezone)).date()
        return place, shown, working_days(session, place.id, today, today + SHOWN_AHEAD)

    place, shown, known = transact(work)
    zone = ZoneInfo(place.timezone)
    for each in shown:
        click.echo(each.name)
        for line in _lines(known[each.id], zone):
            click.echo(f"  {line}")
    holidays = next(iter(known.values())).holidays if known else {}
    for closed, called in sorted(holidays.items()):
        click.echo(f"{closed}  {called}")


def _change(location: str, resource: str, change: Change) -> None:
    def work(session: Session) -> tuple[str, str]:
        place = get_location_by_slug(session, location)
        of = get_resource_named(session, place.id, resource)
        before = _uncovered(session, place, [of.id])
        line, action, detail = change(session, place, of)
        audit(session, place.id, action, of.id, resource=of.name, **detail)
        return line, _newly_outside(session, place, [of.id], before)

    line, warning = transact(work)
    click.echo(line)
    warn(warning)


def _uncovered(session: Session, place: Location, resources: list[UUID]) -> set[UUID]:
    return {booking.id for booking in list_uncovered(session, place, resources)}


def _newly_outside(
    session: Session, place: Location, resources: list[UUID], before: set[UUID]
) -> str:
    """Name the bookings that this change leaves outside; a desk may have put others there."""
    session.flush()
    found = [b for b in list_uncovered(session, place, resources) if b.id not in before]
    return named(found, "lies outside/lie outside", ZoneInfo(place.timezone))


def _lines(of: ResourceHours, zone: ZoneInfo) -> list[str]:
    weekly = [intervals_of(of.weekly.get(day, [])) for day in range(len(WEEKDAYS))]
    lines = []
    for shown, run in groupby(range(len(WEEKDAYS)), weekly.__getitem__):
        lines.append(f"{weekdays_of(run):<10}  {shown}")
    lines += [f"{day}  {intervals_of(of.dated[day])}" for day in sorted(of.dated)]
    lines += [
        f"off  {local(starts_at, zone)} to {local(ends_at, zone)}  {reason}".rstrip()
        for starts_at, ends_at, reason in sorted(of.time_off)
    ]
    return lines
