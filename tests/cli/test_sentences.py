import re
from pathlib import Path

import pytest

from app.booking.errors import CapacityInUse, NoChange
from app.catalog.errors import UnknownTimezone
from app.cli.sentences import _OF_FIELDS, told
from app.errors import DomainError, InvalidFields, NotFound
from app.extensions import Busy


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (NotFound(what="user", name="x"), "No user is called “x” here. (not_found)"),
        (NotFound(), "No such thing is called “that” here. (not_found)"),
        (
            UnknownTimezone(facts={"timezone": "UTC-3"}),
            "“UTC-3” is not the name of an area, like America/Montevideo. (unknown_timezone)",
        ),
        (
            InvalidFields(("name", "required"), ("slug", "taken")),
            (
                "This cannot be: name is missing, slug is taken."
                " (invalid_request, name: required, slug: taken)"
            ),
        ),
        (
            InvalidFields(("x", "new_code")),
            "This cannot be: x is not valid. (invalid_request, x: new_code)",
        ),
        (
            CapacityInUse(facts={"bookings": ["a", "b"]}),
            "More places are sold than the pool would have. (capacity_in_use)\na\nb",
        ),
        (Busy(), "The database is busy or cannot be reached. Try again. (busy)"),
        (
            NoChange(),
            "The new place is the old one. (no_change)",
        ),
        (NotFound(what="resource", name="{0}"), "No resource is called “{0}” here. (not_found)"),
    ],
)
def test_a_refusal_is_a_sentence_and_its_code(refusal: DomainError, sentence: str) -> None:
    assert told(refusal) == sentence


def test_every_field_s_code_of_the_records_and_commands_has_words() -> None:
    codes = {
        code
        for folder in ("accounts", "catalog", "cli")
        for path in Path("app", folder).glob("*.py")
        for code in re.findall(r'InvalidFields\(\(.+?, "(\w+)"\)\)', path.read_text())
    }

    assert {"taken", "in_use", "invalid_length"} <= codes
    assert codes <= set(_OF_FIELDS)
