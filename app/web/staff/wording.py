"""Dates, times and sentences as people read them. Local wall time leaves the desk only here."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import flask_babel
from babel.dates import format_date

_DAY_AND_MONTH = {"es": "d 'de' MMMM", "pt": "d 'de' MMMM", "en": "d MMMM"}
_SHORT_DAY = {"es": "EEE d MMM", "pt": "EEE d MMM", "en": "EEE d MMM"}


def gettext(sentence: str, **values: object) -> str:
    """Say a sentence in the reader's language."""
    return str(flask_babel.gettext(sentence, **values))


def language() -> str:
    """Tell the reader's language: es, pt or en."""
    locale = flask_babel.get_locale()
    return locale.language if locale is not None else "es"


def _locale() -> str:
    # CLDR's plain English writes 12 hours and the month first (design/ux.md 4.7).
    return {"es": "es_UY", "pt": "pt_BR"}.get(language(), "en_GB")


def weekday_name(day: date) -> str:
    name = format_date(day, "EEEE", locale=_locale())
    return name[:1].upper() + name[1:]


def day_and_month(day: date) -> str:
    return format_date(day, _DAY_AND_MONTH[language()], locale=_locale())


def long_day(day: date) -> str:
    """Write ``Jueves 3 de diciembre``, or as the reader's language has it."""
    comma = "," if language() == "pt" else ""
    return f"{weekday_name(day)}{comma} {day_and_month(day)}"


def day_in_sentence(day: date) -> str:
    """Write the long day as it stands in the middle of a sentence."""
    text = long_day(day)
    return text if language() == "en" else text[:1].lower() + text[1:]


def short_day(day: date) -> str:
    return format_date(day, _SHORT_DAY[language()], locale=_locale()).replace(".", "")


def month_short(day: date) -> str:
    return format_date(day, "MMM", locale=_locale()).replace(".", "")


def clock_time(instant: datetime, zone: ZoneInfo) -> str:
    """Write the wall time ``HH:mm``; always 24 hours."""
    return instant.astimezone(zone).strftime("%H:%M")


def time_range(start: datetime, end: datetime, zone: ZoneInfo) -> str:
    return gettext("%(start)s a %(end)s", start=clock_time(start, zone), end=clock_time(end, zone))


def near_day(day: date, today: date) -> str:
    """Write ``hoy``, ``mañana``, ``ayer`` or the short date."""
    names = {-1: gettext("ayer"), 0: gettext("hoy"), 1: gettext("mañana")}
    return names.get((day - today).days) or short_day(day)


def countdown(until: datetime, now: datetime) -> str:
    """Write what is left as ``mm:ss``, never below zero."""
    seconds = max(0, int((until - now).total_seconds()))
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def day_of(instant: datetime, zone: ZoneInfo) -> date:
    """Tell the local day of an instant."""
    return instant.astimezone(zone).date()
