"""What somebody typed to find a customer, as conditions on the column ``customer.words``."""

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass

from app.customers.phones import parse_phone
from app.errors import InvalidFields

LEAST_TYPED = 2
LONGEST_TYPED = 80
MOST_WORDS = 6

_MARKS = re.compile(r"[\u0300-\u036f]+")
_BREAKS = re.compile(r"[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0]+")
_WHOLE = 3
"""From so many characters on a word is found anywhere; a shorter one where a word begins, or a
number ends, so that the index of trigrams always has something to look for."""


def plain(name: str) -> str:
    """Write a name as it is searched: without accents, signs and capitals (``customer_words``)."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", name))
    return _BREAKS.sub(" ", bare).lower().strip()


@dataclass(frozen=True)
class Search:
    """What is looked for. Of ``any_of`` one pattern must be met, of ``all_of`` each.

    Who meets ``first`` comes first: a phone that ends so, a name that begins so.
    """

    typed: str
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    first: str = ""

    @property
    def is_phone(self) -> bool:
        return bool(self.any_of)

    @property
    def is_empty(self) -> bool:
        return not self.all_of and not self.any_of


def read_search(typed: str, country: str) -> Search:
    """Read what was typed: a phone or a part of one, or words of a name in any order.

    ``country`` is where phones are from that are written as at home.
    """
    typed = " ".join(typed.replace("\0", "").split())[:LONGEST_TYPED]
    words = plain(typed).split()[:MOST_WORDS]
    if sum(map(len, words)) < LEAST_TYPED:
        return Search(typed)
    if all(word.isascii() and word.isdigit() for word in words):
        return _phone_search(typed, "".join(words), country)
    return Search(
        typed, all_of=tuple(_pattern(word) for word in words), first=f" {' '.join(words)}%"
    )


def _phone_search(typed: str, digits: str, country: str) -> Search:
    wanted = {digits, digits.lstrip("0") or digits}
    with suppress(InvalidFields):  # a part of one, or of a country that is not said
        wanted.add(parse_phone(typed, country).removeprefix("+"))
    return Search(
        typed,
        any_of=tuple(sorted(_pattern(each) for each in wanted if len(each) >= LEAST_TYPED)),
        first=f"%{digits} %",
    )


def _pattern(word: str) -> str:
    if len(word) >= _WHOLE:
        return f"%{word}%"
    return f"%{word} %" if word.isdigit() else f"% {word}%"
