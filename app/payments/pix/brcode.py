"""The copy-and-paste text of Pix: EMV fields and a checksum (Manual do BR Code)."""

import binascii
import re
import unicodedata
from dataclasses import dataclass

from app.money import Cents

PIX = "br.gov.bcb.pix"
NO_REFERENCE = "***"
LONGEST_CODE = 512
"""Characters; what API Pix allows for ``pixCopiaECola``."""
_LONGEST_NAME, _LONGEST_CITY, _LONGEST_FIELD = 25, 15, 99

_KEY = re.compile(r"[!-~]{1,77}")
_LOCATION = re.compile(r"(?=.{3,77}\Z)[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?/[!-~]+")
_REFERENCE = re.compile(r"[A-Za-z0-9]{1,25}|\*\*\*")
_PRINTABLE = re.compile(r"[ -~]+")
_POSTAL_CODE = re.compile(r"[0-9]{8}")
_AMOUNT = re.compile(r"([0-9]{1,10})(?:\.([0-9]{1,2})?)?")
_CHECKSUM = re.compile(r"6304([0-9A-Fa-f]{4})")
_TWO_DIGITS = re.compile(r"[0-9]{2}")
_UNSAFE = re.compile(r"[^A-Z0-9 .,&/'-]+")


class NotBrCode(ValueError):
    """The text, or what it should be made of, breaks the rules; the message says which one."""


@dataclass(frozen=True)
class BrCode:
    """What a code says. With a ``location`` it is dynamic: one charge, whose terms are kept there.

    With a ``key`` it is static: payable for ever and any number of times, so never for a hold.
    ``extra`` keeps the templates 80-99 of other arrangements as they came.
    """

    merchant_name: str
    merchant_city: str
    location: str | None = None
    key: str | None = None
    amount: Cents | None = None
    reference: str = NO_REFERENCE
    free_text: str = ""
    postal_code: str = ""
    initiation: str = ""
    extra: tuple[tuple[str, str], ...] = ()


def dynamic(location: str, *, merchant_name: str, merchant_city: str) -> str:
    """Write the code of a charge kept at ``location``, an address without its scheme.

    Raises:
        NotBrCode: the location is none, or nothing of a name is left in plain letters.
    """
    return build(
        BrCode(
            merchant_name=in_plain_letters(merchant_name, _LONGEST_NAME),
            merchant_city=in_plain_letters(merchant_city, _LONGEST_CITY),
            location=location,
            initiation="12",
        )
    )


def in_plain_letters(text: str, longest: int) -> str:
    """Write a name so that every bank shows it: capitals without accents, cut to ``longest``."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").upper()
    return " ".join(_UNSAFE.sub(" ", bare).split())[:longest].strip()


def build(code: BrCode) -> str:
    """Write the text, checksum included.

    Raises:
        NotBrCode: a part breaks its rule; nothing is cut or changed silently.
    """
    _check(code)
    account = _field("00", PIX)
    account += _field("25", code.location) + _field("01", code.key) + _field("02", code.free_text)
    parts = [
        _field("00", "01"),
        _field("01", code.initiation),
        _field("26", account),
        _field("52", "0000"),
        _field("53", "986"),
        _field("54", None if code.amount is None else format_amount(code.amount)),
        _field("58", "BR"),
        _field("59", code.merchant_name),
        _field("60", code.merchant_city),
        _field("61", code.postal_code),
        _field("62", _field("05", code.reference)),
        *(_field(number, content) for number, content in code.extra),
    ]
    text = "".join(parts) + "6304"
    if len(text) + 4 > LONGEST_CODE:
        raise NotBrCode(f"the code is longer than {LONGEST_CODE} characters")
    return text + checksum(text)


def parse(text: str) -> BrCode:
    """Read a code as banks write it: any case of the checksum, names of any length or letters.

    Raises:
        NotBrCode: the checksum is wrong, the fields do not add up, or it is no Pix.
    """
    text = text.strip()
    marked = _CHECKSUM.fullmatch(text[-8:])
    if not marked or marked[1].upper() != checksum(text[:-4]):
        raise NotBrCode("the checksum is wrong")
    fields = _fields(text[:-8])
    for number, value in {"00": "01", "53": "986", "58": "BR"}.items():
        if fields.get(number) != value:
            raise NotBrCode(f"field {number} is not {value}")
    if next(iter(fields)) != "00" or "59" not in fields or "60" not in fields:
        raise NotBrCode("a field is missing or not in its place")
    account = _account(fields)
    return BrCode(
        merchant_name=fields["59"],
        merchant_city=fields["60"],
        location=account.get("25"),
        key=account.get("01"),
        amount=_read_amount(fields["54"]) if "54" in fields else None,
        reference=_fields(fields.get("62", "")).get("05", NO_REFERENCE),
        free_text=account.get("02", ""),
        postal_code=fields.get("61", ""),
        initiation=fields.get("01", ""),
        extra=tuple((number, fields[number]) for number in fields if "80" <= number <= "99"),
    )


def checksum(text: str) -> str:
    """Compute the CRC-16/CCITT-FALSE of a text that ends in ``6304``: four capital hex digits."""
    return f"{binascii.crc_hqx(text.encode(errors='replace'), 0xFFFF):04X}"


def format_amount(amount: Cents) -> str:
    """Write an amount as Pix wants it: ``10.00``."""
    return f"{amount // 100}.{amount % 100:02d}"


def _check(code: BrCode) -> None:
    rules = {
        "either a location or a key": (code.location is None) != (code.key is None),
        "location": code.location is None or _is(_LOCATION, code.location),
        "key": code.key is None or _is(_KEY, code.key),
        "free text": not code.free_text or (bool(code.key) and _is(_PRINTABLE, code.free_text)),
        "name": _is_text(code.merchant_name, _LONGEST_NAME),
        "city": _is_text(code.merchant_city, _LONGEST_CITY),
        "amount": code.amount is None or 0 < code.amount < 10**12,
        "reference": _is(_REFERENCE, code.reference),
        "postal code": not code.postal_code or _is(_POSTAL_CODE, code.postal_code),
        "initiation": code.initiation in {"", "11", "12"},
        "extra": _are_extra(code.extra),
    }
    for name, is_kept in rules.items():
        if not is_kept:
            raise NotBrCode(f"broken rule: {name}")


def _is(rule: re.Pattern[str], text: str | None) -> bool:
    return text is not None and rule.fullmatch(text) is not None


def _is_text(text: str, longest: int) -> bool:
    return _is(_PRINTABLE, text) and len(text) <= longest and text == text.strip()


def _are_extra(extra: tuple[tuple[str, str], ...]) -> bool:
    numbers = [number for number, _ in extra]
    return len(set(numbers)) == len(numbers) and all(
        _is(_TWO_DIGITS, number) and number >= "80" and _is(_PRINTABLE, content)
        for number, content in extra
    )


def _field(number: str, content: str | None) -> str:
    if not content:
        return ""
    if len(content) > _LONGEST_FIELD:
        raise NotBrCode(f"field {number} is longer than {_LONGEST_FIELD} characters")
    return f"{number}{len(content):02d}{content}"


def _fields(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        number, length = text[position : position + 2], text[position + 2 : position + 4]
        if not _is(_TWO_DIGITS, number) or not _is(_TWO_DIGITS, length):
            raise NotBrCode("a field has no number or no length")
        begin, position = position + 4, position + 4 + int(length)
        if position > len(text) or int(length) == 0:
            raise NotBrCode(f"field {number} is cut short")
        if number in found:
            raise NotBrCode(f"field {number} comes twice")
        found[number] = text[begin:position]
    return found


def _account(fields: dict[str, str]) -> dict[str, str]:
    """The template among 26-51 that says it is Pix; other arrangements may stand beside it."""
    for number, content in fields.items():
        if "26" <= number <= "51" and content.lower().startswith(f"00{len(PIX)}{PIX}"):
            return _fields(content)
    raise NotBrCode("it is no Pix")


def _read_amount(text: str) -> Cents:
    read = _AMOUNT.fullmatch(text)
    if not read:
        raise NotBrCode("the amount is none")
    return Cents(int(read[1]) * 100 + int((read[2] or "").ljust(2, "0")))
