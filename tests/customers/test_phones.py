import pytest

from app.customers.phones import format_phone, ninth_digit_twin, parse_phone
from app.errors import InvalidFields


@pytest.mark.parametrize(
    ("typed", "country", "e164"),
    [
        ("099 123 456", "UY", "+59899123456"),
        ("099123456", "UY", "+59899123456"),
        ("+598 12 345 678", "UY", "+59812345678"),
        ("(55) 9123-4567", "BR", "+555591234567"),
        ("99 123 456", "UY", "+59899123456"),
        ("+598 99 123 456", "UY", "+59899123456"),
        ("00598 99 123 456", "UY", "+59899123456"),
        ("+598 99 123 456", "BR", "+59899123456"),
        ("4622 1234", "UY", "+59846221234"),
        ("(55) 99123-4567", "BR", "+5555991234567"),
        ("055 99123-4567", "BR", "+5555991234567"),
        ("+55 55 99123 4567", "UY", "+5555991234567"),
        ("11 15-2345-6789", "AR", "+5491123456789"),
        ("+54 9 11 2345-6789", "AR", "+5491123456789"),
        ("011 4321-1234", "AR", "+541143211234"),
        (" (212) 555-2368 ", "US", "+12125552368"),
    ],
)
def test_a_phone_is_read_as_people_of_the_country_write_it(
    typed: str, country: str, e164: str
) -> None:
    assert parse_phone(typed, country) == e164


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "no tengo",
        "12",
        "099 123 456 7890123",
        "099 123 45",
        "+",
        "+999 123",
        "\0",
        "0" * 33,
        "099123456\n" * 9,
    ],
)
def test_junk_is_no_phone(typed: str) -> None:
    with pytest.raises(InvalidFields) as refusal:
        parse_phone(typed, "UY")

    assert refusal.value.facts == {"errors": [{"field": "phone", "code": "invalid_phone"}]}


def test_the_wrong_field_is_named_as_its_form_names_it() -> None:
    with pytest.raises(InvalidFields) as refusal:
        parse_phone("x", "UY", field="contact.phone")

    assert refusal.value.facts["errors"][0]["field"] == "contact.phone"


@pytest.mark.parametrize(
    ("e164", "country", "shown"),
    [
        ("+59899123456", "UY", "099 123 456"),
        ("+59899123456", "BR", "+598 99 123 456"),
        ("+5555991234567", "BR", "(55) 99123-4567"),
        ("+5491123456789", "AR", "011 15-2345-6789"),
        ("+5491123456789", "UY", "+54 9 11 2345-6789"),
    ],
)
def test_a_phone_is_shown_as_at_home_or_from_abroad(e164: str, country: str, shown: str) -> None:
    assert format_phone(e164, country) == shown
    assert parse_phone(shown, country) == e164


@pytest.mark.parametrize(
    ("e164", "twin"),
    [
        ("+5555991234567", "+555591234567"),
        ("+555591234567", "+5555991234567"),
        ("+555532123456", None),
        ("+59899123456", None),
        (None, None),
    ],
)
def test_a_brazilian_mobile_is_also_written_the_other_way(
    e164: str | None, twin: str | None
) -> None:
    assert ninth_digit_twin(e164) == twin
