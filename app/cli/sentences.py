from app.errors import DomainError

_SENTENCES = {
    "not_found": "No {what} is called “{name}” here.",
    "invalid_request": "This cannot be: {fields}.",
    "unknown_timezone": "“{timezone}” is not the name of an area, like America/Montevideo.",
    "capacity_in_use": "More places are sold than the pool would have.",
    "account_in_use": "The location has an open account already: close it first.",
    "busy": "The database is busy or cannot be reached. Try again.",
}

_OF_FIELDS = {
    "required": "is missing",
    "too_long": "is too long",
    "invalid": "is not valid",
    "invalid_text": "has characters that cannot be kept",
    "invalid_time": "is not like 09:00-13:00,14:00-18:00 or closed",
    "invalid_weekdays": "are not like mon-fri,sat",
    "invalid_day": "is not a date like 2026-12-24",
    "invalid_wall": "is not a local time like 2026-12-24 13:00",
    "invalid_money": "is not an amount like 40 or 40.00",
    "invalid_email": "is not an address",
    "invalid_length": "has 8 to 200 characters",
    "invalid_slug": "has 2 to 40 of a-z, 0-9 and -",
    "time_does_not_exist": "is a time that the clock skips that day",
    "ambiguous_time": "is a time that comes twice that day; choose one an hour away",
    "before_start": "is not after the beginning",
    "out_of_range": "is too small or too large",
    "taken": "is taken",
    "unknown": "is not known",
    "ambiguous": "is the name of several; give the id (see list)",
    "twice": "has a resource twice",
    "too_many_units": "asks for more than there is",
    "not_a_multiple_of_5": "has to be a multiple of 5, like buffers and grid, where a pool is used",
    "more_than_price": "is more than the price",
    "in_use": "are more than its live bookings take; archive it and add another instead",
    "choose_one": "exclude one another: choose one",
    "not_brl": "is not BRL, which is all that Pix moves",
    "not_https": "is not an https address that a provider can call",
    "nothing": "are missing: say what to change",
}


def told(refusal: DomainError) -> str:
    """Tell a refusal in one sentence with its code, and what it lists below it."""
    errors = refusal.facts.get("errors", [])
    codes = [refusal.code, *(f"{error['field']}: {error['code']}" for error in errors)]
    values = {"what": "such thing", "name": "that", **refusal.values, **refusal.facts}
    values["fields"] = ", ".join(
        f"{error['field']} {_OF_FIELDS.get(error['code'], _OF_FIELDS['invalid'])}"
        for error in errors
    )
    sentence = _SENTENCES.get(refusal.code) or (refusal.__doc__ or refusal.code).splitlines()[0]
    head = f"{sentence.format(**values)} ({', '.join(codes)})"
    return "\n".join([head, *refusal.facts.get("bookings", [])])
