import pytest
from sqlalchemy.orm import Session

from app.catalog.models import Location
from app.customers.actions import find_or_add
from app.customers.queries import CustomerView, get_customer, likely_twins
from app.errors import NotFound
from app.ids import new_id
from tests.factories import a_location


def add(session: Session, location: Location, name: str, phone: str) -> CustomerView:
    found = find_or_add(session, location.id, phone=phone, name=name, email=None)
    return get_customer(session, location.id, found)


def test_a_customer_of_another_location_is_not_there(session: Session) -> None:
    mine, other = a_location(session), a_location(session)
    ana = add(session, other, "Ana", "+59899123456")

    for location, wanted in ((mine.id, ana.id), (other.id, new_id())):
        with pytest.raises(NotFound):
            get_customer(session, location, wanted)


def test_twins_have_the_phone_but_for_the_ninth_digit_or_the_name(session: Session) -> None:
    location, elsewhere = a_location(session), a_location(session)
    ana = add(session, location, "Ana Núñez", "+5555991234567")
    same_phone = add(session, location, "A. N.", "+555591234567")
    same_name = add(session, location, "ANA  NUÑEZ", "+59899123456")
    add(session, location, "Ana Núñez Díaz", "+59899123457")
    add(session, location, "Ana Nuñ", "+59899123458")
    add(session, elsewhere, "Ana Núñez", "+5555991234567")

    assert likely_twins(session, ana) == [same_phone, same_name]


def test_who_has_no_name_has_only_the_twin_of_the_phone(session: Session) -> None:
    location = a_location(session)
    nameless = add(session, location, "", "+59899123456")
    add(session, location, "", "+59899123457")
    brazilian = add(session, location, "", "+5555991234567")
    twin = add(session, location, "", "+555591234567")

    assert likely_twins(session, nameless) == []
    assert likely_twins(session, brazilian) == [twin]
