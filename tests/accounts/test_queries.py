import pytest
from sqlalchemy.orm import Session

from app.accounts.actions import add_api_key, add_membership, disable_user, revoke_api_key
from app.accounts.models import BOOK, READ
from app.accounts.queries import (
    find_key_holder,
    find_user_by_email,
    find_user_for_login,
    get_api_key_named,
    get_user_by_email,
    hash_of,
    list_api_keys,
    list_memberships,
    list_staff,
)
from app.errors import InvalidFields, NotFound
from tests.conftest import Clock
from tests.factories import a_location, a_staff_user, an_api_key

EMAIL = "rocio@ceibo.example"


@pytest.mark.parametrize("typed", [EMAIL, "ROCIO@Ceibo.Example", f"  {EMAIL} "])
def test_an_address_is_one_whatever_its_capitals(session: Session, typed: str) -> None:
    rocio = a_staff_user(session, a_location(session), email=EMAIL)

    assert find_user_for_login(session, typed) is rocio
    assert get_user_by_email(session, typed) is rocio


@pytest.mark.parametrize("typed", ["", "ana@ceibo.example", "rocio@ceibo", "rocío@ceibo.example"])
def test_nobody_else_is_found(session: Session, typed: str) -> None:
    a_staff_user(session, a_location(session), email=EMAIL)

    assert find_user_for_login(session, typed) is None
    assert find_user_by_email(session, typed) is None
    with pytest.raises(NotFound):
        get_user_by_email(session, typed)


def test_a_disabled_person_is_unknown_to_the_login_only(session: Session, clock: Clock) -> None:
    rocio = a_staff_user(session, a_location(session), email=EMAIL)
    token = rocio.session_token
    disable_user(session, rocio, now=clock.now())

    assert find_user_for_login(session, EMAIL) is None
    assert rocio.session_token != token
    assert find_user_by_email(session, EMAIL) is rocio


def test_a_person_works_at_several_places(session: Session) -> None:
    first, second = a_location(session), a_location(session)
    rocio = a_staff_user(session, first, email=EMAIL)
    add_membership(session, second.id, rocio.id, role="owner")
    a_staff_user(session, second, email="ana@ceibo.example")

    roles = {each.location_id: each.role for each in list_memberships(session, rocio.id)}
    assert roles == {first.id: "receptionist", second.id: "owner"}
    assert [user.email for user, _ in list_staff(session)] == ["ana@ceibo.example", EMAIL, EMAIL]
    assert [user.email for user, _ in list_staff(session, first.id)] == [EMAIL]


def test_a_key_opens_its_location_with_its_scopes(session: Session) -> None:
    location = a_location(session)

    holder = find_key_holder(session, an_api_key(session, location, [READ, BOOK]))

    assert holder is not None
    assert (holder.location_id, holder.name, holder.scopes) == (
        *(location.id, "bot", frozenset({READ, BOOK})),
    )
    assert (holder.timezone, holder.country, holder.currency) == (
        *("America/Sao_Paulo", "BR", "BRL"),
    )


def test_a_key_s_secret_opens_no_other_location(session: Session) -> None:
    location, other = a_location(session), a_location(session)
    text = an_api_key(session, location)
    an_api_key(session, other)

    assert find_key_holder(session, text.replace(location.id.hex, other.id.hex)) is None


@pytest.mark.parametrize(
    "presented",
    [
        "",
        "firme",
        "firme_",
        "firme__",
        "firme_{location}",
        "firme_{location}_",
        "firme_{location}_wrong",
        "FIRME_{location}_{secret}",
        "firme_{location}_{secret}x",
        "firme_{location}_{secret} ",
        "firme_not-a-uuid_{secret}",
        "{secret}",
        "firme_{location}_ñ\N{PILE OF POO}",
        "firme_{location}_\0",
    ],
)
def test_what_is_not_quite_a_key_opens_nothing(session: Session, presented: str) -> None:
    location = a_location(session)
    secret = an_api_key(session, location).split("_", 2)[2]

    shown = presented.format(location=location.id.hex, secret=secret)
    assert find_key_holder(session, shown) is None


def test_a_revoked_key_opens_nothing(session: Session, clock: Clock) -> None:
    location = a_location(session)
    key, text = add_api_key(session, location.id, name="bot", scopes=[READ])
    assert find_key_holder(session, text) is not None

    revoke_api_key(session, location.id, key.id, now=clock.now())

    assert find_key_holder(session, text) is None


def test_a_key_is_found_by_its_name_while_it_lives(session: Session, clock: Clock) -> None:
    location, other = a_location(session), a_location(session)
    key, _ = add_api_key(session, location.id, name="Bot", scopes=[READ])

    assert get_api_key_named(session, location.id, "bot") is key
    assert get_api_key_named(session, location.id, str(key.id)) is key
    with pytest.raises(NotFound):
        get_api_key_named(session, other.id, "Bot")
    add_api_key(session, location.id, name="BOT", scopes=[READ])
    with pytest.raises(InvalidFields):
        get_api_key_named(session, location.id, "bot")
    revoke_api_key(session, location.id, key.id, now=clock.now())
    assert get_api_key_named(session, location.id, "bot").name == "BOT"
    assert len(list_api_keys(session, location.id)) == 2


def test_a_secret_is_digested_always_alike() -> None:
    assert hash_of("secret") == hash_of("secret") != hash_of("secret ")
    assert len(hash_of("")) == 64
