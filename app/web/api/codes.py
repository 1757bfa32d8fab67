"""What the API can refuse with: each code, its HTTP status and what it means to a program."""

CODES: dict[str, tuple[int, str]] = {
    "idempotency_key_required": (
        400,
        (
            "The call needs an `Idempotency-Key`. Make one for each thing to do, and repeat it only"
            " when you repeat the same request."
        ),
    ),
    "malformed_json": (
        400,
        (
            "The body is not JSON in UTF-8, names something twice in one object, or is nested"
            " beyond reason."
        ),
    ),
    "unauthenticated": (401, "No API key, or one that is unknown or revoked."),
    "forbidden": (403, "The key has not the scope: `read` to read, `book` for everything else."),
    "not_found": (404, "There is no such thing, or it belongs to another location."),
    "method_not_allowed": (405, "The address exists, but not with this method."),
    "slot_taken": (409, "Somebody has the time. Take one of `alternatives`."),
    "hold_expired": (
        409,
        (
            "The hold's time is over and its slot is free for anyone. Hold again: the same time if"
            " it is among the `alternatives`, or another."
        ),
    ),
    "invalid_transition": (
        409,
        "The booking is in a state that has no such move; `booking_status` tells which.",
    ),
    "already_rescheduled": (
        409,
        "The booking was moved; `rescheduled_to` is the one that stands in its place.",
    ),
    "outside_cancellation_window": (
        409,
        (
            "Too late to cancel by the policy in force when it was booked. A key with the scope"
            " `manage` may."
        ),
    ),
    "idempotency_key_in_use": (
        409,
        "The first request with this key is still running. Repeat it after `Retry-After` seconds.",
    ),
    "body_too_large": (413, "The body is larger than 64 kB."),
    "unsupported_media_type": (415, "A body has to say `Content-Type: application/json`."),
    "invalid_request": (
        422,
        (
            "Fields are wrong, missing, unknown or given twice; `errors` names each one. A"
            " malformed `Idempotency-Key` is told in the same way with status 400."
        ),
    ),
    "offset_required": (
        422,
        (
            "An instant has no offset, such as `Z` or `-03:00`. Nobody guesses one; `errors` names"
            " the field."
        ),
    ),
    "in_the_past": (422, "The time has gone by. `alternatives` are still ahead."),
    "outside_hours": (422, "Nobody who could serve works at that time."),
    "notice_too_short": (422, "The location wants to know earlier: see `notice_minutes`."),
    "beyond_horizon": (422, "Bookings are not open so far ahead: see `horizon_days`."),
    "no_change": (422, "The new place and time are the old ones."),
    "too_many_units": (422, "More places than there are, or a service that has no places."),
    "idempotency_key_reused": (422, "The key came before with another body."),
    "rate_limited": (429, "Too many calls. Go on after `Retry-After` seconds."),
    "too_many_holds": (
        429,
        "One phone has 20 live holds, or one key 5,000. Confirm some, release some, or wait.",
    ),
    "internal_error": (500, "A fault of ours; nothing was changed. Tell us the `request_id`."),
    "busy": (503, "Overloaded or restarting. Repeat the same request after `Retry-After`."),
    "payment_provider_unavailable": (
        503,
        (
            "The provider of payments gave no code for the deposit, or the location has none. The"
            " hold stays as it was; repeat the same request after `Retry-After`."
        ),
    ),
}

FIELD_CODES: dict[str, str] = {
    "required": "It is missing, or blank.",
    "unknown_field": "There is no such field or parameter.",
    "twice": "It is given twice.",
    "invalid_type": 'It is of another JSON type. Nothing is converted: `1` is not `"1"`.',
    "invalid": "It does not look like what it should be.",
    "invalid_text": "It holds a NUL or half a character, which cannot be stored.",
    "invalid_instant": "It is no RFC 3339 date and time, or one that does not exist.",
    "offset_required": "It is an instant without an offset.",
    "out_of_range": "It is too small or too large; of an instant, not from 2000 to 2100.",
    "too_long": "It is longer than the limit. Nothing is cut.",
    "invalid_phone": "It is no phone, as people of the location's country write one or in E.164.",
    "invalid_email": "It is no e-mail address.",
    "invalid_cursor": "It is no `next_cursor` of this list.",
    "invalid_key": "It is not 1 to 255 printable ASCII characters.",
    "not_an_object": "The body is JSON, but no object.",
    "not_after_from": "`to` is not after `from`.",
    "window_too_long": "From `from` to `to` are more than 62 days.",
    "not_on_grid": "The service does not start at that minute; `GET /availability` lists those.",
    "one_per_need": "Two resources were chosen for one need of the service.",
    "not_bookable": "Nothing can serve the service at all.",
}


def status_of(code: str) -> int:
    """Tell the HTTP status that a code is answered with."""
    return CODES[code][0]
