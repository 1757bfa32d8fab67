import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.money import Cents
from app.payments.pix.brcode import (
    BrCode,
    NotBrCode,
    build,
    checksum,
    dynamic,
    format_amount,
    in_plain_letters,
    parse,
)

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())
GOOD = [
    vector
    for group in ("brcode_official", "brcode_leading_zero", "brcode_varied")
    for vector in VECTORS[group]
]
LOCATION = "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441"

repeatable = settings(derandomize=True, database=None, deadline=None)

printable = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1)
letters = st.text("abcXYZ0189", min_size=1)
names = printable.map(lambda text: text[:15])
accounts = st.one_of(
    st.builds(
        lambda path: {"location": f"pix.example.com/{path[:61]}", "initiation": "12"}, printable
    ),
    st.builds(lambda key, text: {"key": key[:20], "free_text": text[:30]}, printable, printable),
)


@st.composite
def codes(draw: st.DrawFn) -> BrCode:
    return BrCode(
        merchant_name=draw(names),
        merchant_city=draw(names),
        amount=draw(st.none() | st.integers(1, 10**12 - 1).map(Cents)),
        reference=draw(letters.map(lambda text: text[:25]) | st.just("***")),
        postal_code=draw(st.sampled_from(["", "04556300"])),
        **draw(accounts),
    )


def bit_by_bit(text: str) -> str:
    """The same checksum by another road: the polynomial, bit by bit."""
    value = 0xFFFF
    for byte in text.encode():
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ (0x1021 if value & 0x8000 else 0)
            value &= 0xFFFF
    return f"{value:04X}"


def test_the_checksum_is_the_one_of_the_manual() -> None:
    assert checksum(VECTORS["crc_check"]["input"]) == VECTORS["crc_check"]["crc"]
    assert bit_by_bit(VECTORS["crc_check"]["input"]) == VECTORS["crc_check"]["crc"]


@pytest.mark.parametrize("vector", GOOD, ids=lambda vector: vector["code"][-4:])
def test_every_good_vector_is_read_and_written_back_as_it_was(vector: dict[str, str]) -> None:
    read = parse(vector["code"])

    if read.location or read.key:
        assert build(read) == vector["code"]
    else:
        assert vector["kind"] == "rec only"
        with pytest.raises(NotBrCode, match="either a location or a key"):
            build(read)


@pytest.mark.parametrize("vector", VECTORS["brcode_bad"], ids=lambda vector: vector["why"])
def test_every_bad_vector_is_refused(vector: dict[str, Any]) -> None:
    if vector.get("valid_when_read_leniently"):
        assert build(parse(vector["code"])) == vector["code"][:-4] + vector["code"][-4:].upper()
    else:
        with pytest.raises(NotBrCode):
            parse(vector["code"])


@settings(repeatable, max_examples=300)
@given(codes())
def test_what_is_built_is_read_back_the_same(code: BrCode) -> None:
    text = build(code)

    assert parse(text) == code
    assert text[-4:] == bit_by_bit(text[:-4])


@settings(repeatable, max_examples=100)
@given(codes(), st.data())
def test_one_changed_character_is_always_noticed(code: BrCode, data: st.DataObject) -> None:
    text = build(code)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
    changed = text[:place] + other + text[place + 1 :]

    if changed.upper() == text.upper() and place >= len(text) - 4:
        assert parse(changed) == code
    elif changed != text:
        with pytest.raises(NotBrCode):
            parse(changed)


@settings(repeatable, max_examples=200)
@given(st.text())
def test_any_other_text_is_refused_and_breaks_nothing(text: str) -> None:
    with pytest.raises(NotBrCode):
        parse(text)
    with pytest.raises(NotBrCode):
        parse(f"{text}6304{checksum(text + '6304')}")
    with pytest.raises(NotBrCode):
        parse("half a \ud83d letter63040000")


def test_a_charge_s_code_is_made_of_its_location_and_plain_letters() -> None:
    code = dynamic(
        LOCATION, merchant_name="Estética Açaí & Cia — São João", merchant_city="Brasília"
    )

    read = parse(code)
    assert (read.location, read.key, read.amount) == (LOCATION, None, None)
    assert (read.merchant_name, read.merchant_city) == ("ESTETICA ACAI & CIA SAO J", "BRASILIA")
    assert code.startswith("00020101021226")


@pytest.mark.parametrize(
    ("text", "longest", "plain"),
    [
        ("  Peluquería   Ñandú  ", 25, "PELUQUERIA NANDU"),
        ("ABCDEFGHIJKLMN OP", 15, "ABCDEFGHIJKLMN"),
        ("日本", 25, ""),
        ("L'Été_2", 25, "L'ETE 2"),
    ],
)
def test_names_are_written_so_that_every_bank_shows_them(
    text: str, longest: int, plain: str
) -> None:
    assert in_plain_letters(text, longest) == plain


def test_a_location_of_77_characters_just_fits() -> None:
    longest = "pix.example.com/" + "a" * 61

    assert parse(dynamic(longest, merchant_name="Firme", merchant_city="X")).location == longest
    with pytest.raises(NotBrCode, match="location"):
        dynamic(longest + "a", merchant_name="Firme", merchant_city="X")


@pytest.mark.parametrize(
    "broken",
    [
        {"location": None},
        {"key": "chave"},
        {"location": "https://pix.example.com/qr"},
        {"location": "pix.example.com"},
        {"location": "pix.example.com/q r"},
        {"location": "pix.example.com/qr\n"},
        {"location": None, "key": "x" * 78},
        {"location": None, "key": "ключ"},
        {"location": None, "key": "k" * 77, "free_text": "t" * 20},
        {"free_text": "with a location"},
        {"merchant_name": ""},
        {"merchant_name": "A" * 26},
        {"merchant_name": "Café"},
        {"merchant_name": " Firme"},
        {"merchant_city": "B" * 16},
        {"amount": Cents(0)},
        {"amount": Cents(-1)},
        {"amount": Cents(10**12)},
        {"reference": "a" * 26},
        {"reference": "a-b"},
        {"reference": "12\n"},
        {"reference": "１２"},
        {"postal_code": "1234567"},
        {"initiation": "13"},
        {"extra": (("79", "x"),)},
        {"extra": (("80", "x"), ("80", "y"))},
        {"extra": (("80", "x" * 99), ("81", "x" * 99), ("82", "x" * 99), ("83", "x" * 99))},
    ],
    ids=str,
)
def test_nothing_that_breaks_a_rule_is_written(broken: dict[str, Any]) -> None:
    sound: dict[str, Any] = {"merchant_name": "FIRME", "merchant_city": "X", "location": LOCATION}

    with pytest.raises(NotBrCode):
        build(BrCode(**{**sound, **broken}))


@pytest.mark.parametrize(
    "fields",
    [
        "0102005204000053039865802BR5901A6001B",
        "000201530398605802BR5901A6001B",
        "0002015303986" + "5802BR5901A6001B",
        "00020126180014br.gov.bcb.pix53038405802BR5901A6001B",
        "00020126180014br.gov.bcb.pix53039865802US5901A6001B",
        "00020126180014br.gov.bcb.pix53039865802BR6001B",
        "00020126180014br.gov.bcb.pix53039865802BR5901A5901A6001B",
        "00020126180014br.gov.bcb.pix53039865802BR5901A6001B5403abc",
        "00020126180014br.gov.bcb.pix53039865802BR5901A6000",
        "00020126180014br.gov.bcb.pix53039865802BR5901A6001B62050599x",
        "00020126180014br.gov.xyz.abc53039865802BR5901A6001B",
        "530398600020126180014br.gov.bcb.pix5802BR5901A6001B",
    ],
)
def test_a_right_checksum_alone_makes_no_code(fields: str) -> None:
    with pytest.raises(NotBrCode):
        parse(f"{fields}6304{checksum(fields + '6304')}")


def test_a_code_is_found_beside_another_arrangement_in_any_case_and_with_any_amount() -> None:
    fields = (
        "0002012603abc" + "27390014BR.GOV.BCB.PIX0117chave@example.com"
        "53039865402105802BR5904Café6006Osório"
    )

    read = parse(f" {fields}6304{checksum(fields + '6304').lower()}\n")

    assert (read.key, read.amount) == ("chave@example.com", 1_000)
    assert (read.merchant_name, read.merchant_city) == ("Café", "Osório")


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (1, "0.01"),
        (10, "0.10"),
        (100, "1.00"),
        (115, "1.15"),
        (999_999_999_999, "9999999999.99"),
    ],
)
def test_amounts_have_a_dot_and_two_places(cents: int, text: str) -> None:
    assert format_amount(Cents(cents)) == text
