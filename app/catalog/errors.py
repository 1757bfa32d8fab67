from app.errors import Invalid


class UnknownTimezone(Invalid):
    """Only IANA names of areas; a fixed offset is wrong half of the year where clocks change."""

    code = "unknown_timezone"
