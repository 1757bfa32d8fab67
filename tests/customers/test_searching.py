import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.customers.searching import plain, read_search

NAMES = [
    "Ana María Núñez",
    "  JOÃO d'Ávila-Conceição  ",
    "Ñandú & Çela",
    "Ⅷ ﬁ Ａna",
    "Łukasz Øre",
    "O`Higgins (mamá de Zoe) 2",
    "مريم",
    "山田",
    "",
    "-",
    "x" * 300,
]


def words(session: Session, name: str, phone: str | None) -> str:
    found: str = session.execute(
        text("SELECT customer_words(:name, :phone)"), {"name": name, "phone": phone}
    ).scalar_one()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_database_writes_names_as_the_search_does(session: Session, name: str) -> None:
    assert words(session, name, None).strip() == (plain(name[:200]) or "~")


@pytest.mark.parametrize(
    ("phone", "digits"),
    [
        ("+5555991234567", " 5555991234567 555591234567 "),
        ("+555591234567", " 555591234567 5555991234567 "),
        ("+555532123456", " 555532123456 "),
        ("+59899123456", " 59899123456 "),
        ("+5491123456789", " 5491123456789 "),
        (None, " "),
    ],
)
def test_a_phone_is_written_with_and_without_the_ninth_digit(
    session: Session, phone: str | None, digits: str
) -> None:
    assert words(session, "Ana", phone) == f" ana{digits}"


@pytest.mark.parametrize(
    ("typed", "country", "any_of"),
    [
        ("4567", "BR", ("%4567%",)),
        ("67", "BR", ("%67 %",)),
        ("99123-4567", "BR", ("%55991234567%", "%991234567%")),
        ("(55) 99123-4567", "BR", ("%5555991234567%", "%55991234567%")),
        ("099 123 456", "UY", ("%099123456%", "%59899123456%", "%99123456%")),
        ("+598 99 123 456", "BR", ("%59899123456%",)),
        ("011 15-2345-6789", "AR", ("%0111523456789%", "%111523456789%", "%5491123456789%")),
        ("00", "BR", ("%00 %",)),
    ],
)
def test_digits_look_for_a_part_of_a_phone(
    typed: str, country: str, any_of: tuple[str, ...]
) -> None:
    search = read_search(typed, country)

    assert search.any_of == any_of
    assert search.is_phone
    assert search.all_of == ()


@pytest.mark.parametrize(
    ("typed", "all_of", "first"),
    [
        ("Núñez ANA", ("%nunez%", "%ana%"), " nunez ana%"),
        ("an", ("% an%",), " an%"),
        ("ana 4567", ("%ana%", "%4567%"), " ana 4567%"),
        ("d'ávila", ("% d%", "%avila%"), " d avila%"),
        ("100%_\\", ("%100%",), ""),
    ],
)
def test_letters_look_for_words_in_any_order(
    typed: str, all_of: tuple[str, ...], first: str
) -> None:
    search = read_search(typed, "BR")

    assert (search.all_of or search.any_of) == all_of
    assert search.is_phone or search.first == first


@pytest.mark.parametrize("typed", ["", " ", "a", "1", "%", "__", "\0", "-\0-"])
def test_too_little_looks_for_nothing(typed: str) -> None:
    assert read_search(typed, "BR").is_empty


def test_what_is_long_is_cut() -> None:
    search = read_search("palabra " * 99, "BR")

    assert (len(search.typed), len(search.all_of)) == (80, 6)
