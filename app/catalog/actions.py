"""Everything the owner maintains, in one place for the doors.

Checks that a sentence can explain come before the constraints.
"""

from app.catalog.opening import (
    add_holiday,
    add_time_off,
    forget_dated_hours,
    parse_interval,
    parse_minutes,
    remove_holiday,
    remove_time_off,
    set_dated_hours,
    set_weekly_hours,
)
from app.catalog.places import add_location, change_location, check_timezone
from app.catalog.resources import add_resource, archive_resource, rename_resource
from app.catalog.selling import POOL_STEP, add_service, archive_service, change_service

__all__ = [
    "POOL_STEP",
    "add_holiday",
    "add_location",
    "add_resource",
    "add_service",
    "add_time_off",
    "archive_resource",
    "archive_service",
    "change_location",
    "change_service",
    "check_timezone",
    "forget_dated_hours",
    "parse_interval",
    "parse_minutes",
    "remove_holiday",
    "remove_time_off",
    "rename_resource",
    "set_dated_hours",
    "set_weekly_hours",
]
