from app.errors import (
    Conflict,
    DomainError,
    Invalid,
    InvalidFields,
    NotFound,
    Refused,
    TooMany,
    Unavailable,
)
from app.extensions import Busy

FAMILIES = (Invalid, Refused, NotFound, Conflict, Unavailable, TooMany)


def all_errors(error: type[DomainError] = DomainError) -> set[type[DomainError]]:
    below = set(error.__subclasses__())
    return below.union(*(all_errors(each) for each in below)) if below else below


def test_every_error_belongs_to_one_family() -> None:
    for error in all_errors():
        assert sum(issubclass(error, family) for family in FAMILIES) == 1, error


def test_every_error_has_a_code_of_its_own_unless_it_is_its_family_s() -> None:
    shared = {InvalidFields, Busy}
    own = [error for error in all_errors() if error not in shared]

    assert len({error.code for error in own}) == len(own)
    assert InvalidFields.code == Invalid.code
    assert Busy.code == Unavailable.code


def test_an_error_carries_facts_for_the_answer_and_values_for_the_sentence() -> None:
    error = NotFound(facts={"id": "7"}, name="Corte")

    assert (str(error), error.facts, error.values) == ("not_found", {"id": "7"}, {"name": "Corte"})
    assert NotFound().facts == {}


def test_wrong_fields_are_named_all_at_once() -> None:
    error = InvalidFields(("name", "required"), ("phone", "invalid_phone"))

    assert error.facts == {
        "errors": [
            {"field": "name", "code": "required"},
            {"field": "phone", "code": "invalid_phone"},
        ]
    }
