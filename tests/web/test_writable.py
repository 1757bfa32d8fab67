import pytest

from app.web.writable import is_address, is_writable, writable


@pytest.mark.parametrize("text", ["", "Zoë D'Ávila 💇‍♀️", "dos\nlíneas\ty\rotra", "\u200fשלום"])
def test_what_people_write_may_be_kept(text: str) -> None:
    assert is_writable(text)
    assert writable(text) == text


@pytest.mark.parametrize("odd", ["\0", "\x01", "\x1b", "\x7f", "\x85", "\ud800", "\uffff"])
def test_what_no_page_may_carry_is_refused_and_left_out(odd: str) -> None:
    assert not is_writable(f"a{odd}b")
    assert writable(f"a{odd}b") == "ab"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("ana@ceibo.example", True),
        ("ana@localhost", True),
        ("ana", False),
        ("@ceibo.example", False),
        ("ana@", False),
        ("ana@ceibo@example", False),
        ("ana maria@ceibo.example", False),
    ],
)
def test_an_address_has_two_sides_and_no_blanks(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one
