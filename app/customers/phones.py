import re

import phonenumbers

from app.errors import InvalidFields

LONGEST_PHONE = 32

BRAZIL = 55

_BRAZILIAN = re.compile(r"\+55\d{2}(?:9\d{8}|[6-9]\d{7})")


def parse_phone(text: str, country: str, *, field: str = "phone") -> str:
    """Read a phone as people of ``country`` (ISO 3166) write it; give E.164.

    Argentina's mobile prefix 15 becomes the 9 that WhatsApp wants. A number typed with its ``+``
    needs only a possible length, since lists of ranges go out of date; one typed as at home must
    be a real one, which finds most slips of the finger. Brazil's mobiles still pass without
    their ninth digit.

    Raises:
        InvalidFields: no such number; ``field`` names where it came from.
    """
    try:
        number = phonenumbers.parse(text[:LONGEST_PHONE], country)
    except phonenumbers.NumberParseException as error:
        raise InvalidFields((field, "invalid_phone")) from error
    is_lenient = text.lstrip().startswith("+") or number.country_code == BRAZIL
    is_known = phonenumbers.is_possible_number if is_lenient else phonenumbers.is_valid_number
    if not is_known(number) or len(text) > LONGEST_PHONE:
        raise InvalidFields((field, "invalid_phone"))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def format_phone(e164: str, country: str) -> str:
    """Write a phone as people of ``country`` read it: national at home, international else."""
    number = phonenumbers.parse(e164, None)
    at_home = phonenumbers.region_code_for_number(number) == country
    style = (
        phonenumbers.PhoneNumberFormat.NATIONAL
        if at_home
        else phonenumbers.PhoneNumberFormat.INTERNATIONAL
    )
    return phonenumbers.format_number(number, style)


def ninth_digit_twin(e164: str | None) -> str | None:
    """Write a Brazilian mobile with its ninth digit left out, or put in; other phones have none."""
    if e164 is None or not _BRAZILIAN.fullmatch(e164):
        return None
    area, number = e164[:5], e164[5:]
    return f"{area}{number[1:]}" if len(number) == 9 else f"{area}9{number}"
