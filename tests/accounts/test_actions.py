import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.actions import (
    add_api_key,
    add_membership,
    add_user,
    change_password,
    disable_user,
    enable_user,
    revoke_api_key,
    set_role,
)
from app.accounts.models import READ, ApiKey
from app.accounts.passwords import is_right
from app.accounts.queries import hash_of, list_memberships
from app.errors import InvalidFields, NotFound
from app.ids import new_id
from tests.conftest import Clock
from tests.factories import PASSWORD, a_location, a_resource, a_staff_user

EMAIL = "ana@ceibo.example"


def add(session: Session, email: str = EMAIL, password: str = PASSWORD) -> object:
    return add_user(session, email=email, name="Ana", password=password)


def test_only_a_hash_of_the_password_is_kept(session: Session) -> None:
    add(session, f" {EMAIL} ")

    row = session.execute(text("SELECT * FROM staff_user")).one()
    assert row.email == EMAIL
    assert row.password_hash.startswith("$argon2id$")
    assert PASSWORD not in map(str, row)


@pytest.mark.parametrize("email", ["", "ana", "ana@", "@ceibo.example", "a b@c.uy", "a@b@c.uy"])
def test_an_address_has_one_at_and_no_blanks(session: Session, email: str) -> None:
    with pytest.raises(InvalidFields):
        add(session, email)


def test_an_address_is_of_one_person_even_when_disabled(session: Session, clock: Clock) -> None:
    ana = a_staff_user(session, a_location(session), email=EMAIL)
    disable_user(session, ana, now=clock.now())

    with pytest.raises(InvalidFields):
        add(session, EMAIL.upper())
    with pytest.raises(IntegrityError, match="uq_staff_user_email"), session.begin_nested():
        session.execute(
            text("INSERT INTO staff_user VALUES (:id, :email, '', '', :id)"),
            {"id": new_id(), "email": EMAIL.upper()},
        )


@pytest.mark.parametrize("password", ["", "7 chars", "x" * 201])
def test_a_password_of_another_length_is_refused(session: Session, password: str) -> None:
    ana = a_staff_user(session, a_location(session))
    token = ana.session_token

    with pytest.raises(InvalidFields):
        add(session, password=password)
    with pytest.raises(InvalidFields):
        change_password(session, ana, password)
    assert is_right(PASSWORD, ana.password_hash)
    assert ana.session_token == token


def test_a_new_password_ends_the_sessions_of_the_old(session: Session) -> None:
    ana = a_staff_user(session, a_location(session))
    token = ana.session_token

    change_password(session, ana, "otra clave larga")

    assert is_right("otra clave larga", ana.password_hash)
    assert not is_right(PASSWORD, ana.password_hash)
    assert ana.session_token != token


def test_a_disabled_person_s_sessions_stay_over_when_enabled(
    session: Session, clock: Clock
) -> None:
    ana = a_staff_user(session, a_location(session))
    token = ana.session_token

    disable_user(session, ana, now=clock.now())
    first = ana.disabled_at
    clock.advance(hours=1)
    disable_user(session, ana, now=clock.now())
    assert ana.disabled_at == first
    enable_user(session, ana)

    assert ana.disabled_at is None
    assert ana.session_token != token


def test_a_professional_has_a_column_of_the_location(session: Session) -> None:
    location, other = a_location(session), a_location(session)
    ana = a_staff_user(session, location)
    ours, theirs = a_resource(session, location), a_resource(session, other)

    with pytest.raises(InvalidFields):
        set_role(session, location.id, ana.id, role="professional")
    with pytest.raises(InvalidFields):
        add_membership(session, other.id, ana.id, role="professional")
    with pytest.raises(IntegrityError), session.begin_nested():
        set_role(session, location.id, ana.id, role="professional", resource_id=theirs.id)

    assert (
        set_role(session, location.id, ana.id, role="professional", resource_id=ours.id)
        == "receptionist"
    )


def test_a_role_may_begin_at_a_new_place(session: Session) -> None:
    first, second = a_location(session), a_location(session)
    ana = a_staff_user(session, first)

    assert set_role(session, second.id, ana.id, role="owner") is None

    roles = {each.location_id: each.role for each in list_memberships(session, ana.id)}
    assert roles == {first.id: "receptionist", second.id: "owner"}


def test_a_person_works_once_at_a_place(session: Session) -> None:
    location = a_location(session)
    ana = a_staff_user(session, location)

    with pytest.raises(IntegrityError, match="pk_membership"), session.begin_nested():
        session.execute(
            text("INSERT INTO membership VALUES (:location, :user, 'owner')"),
            {"location": location.id, "user": ana.id},
        )


def test_only_a_hash_of_a_key_is_kept(session: Session) -> None:
    location = a_location(session)

    key, shown = add_api_key(session, location.id, name="bot", scopes=[READ])

    prefix, place, secret = shown.split("_", 2)
    row = session.execute(text("SELECT * FROM api_key")).one()
    assert (prefix, place) == ("firme", location.id.hex)
    assert len(secret) >= 43
    assert row.secret_hash == hash_of(secret)
    assert not any(secret in str(value) for value in row)
    assert add_api_key(session, location.id, name="bot", scopes=[READ])[1] != shown
    assert key.revoked_at is None


def test_a_scope_is_one_of_three(session: Session) -> None:
    location = a_location(session)

    with pytest.raises(IntegrityError, match="ck_api_key_scopes"), session.begin_nested():
        add_api_key(session, location.id, name="bot", scopes=[READ, "all"])


def test_a_key_ends_once_and_in_its_location_only(session: Session, clock: Clock) -> None:
    location, other = a_location(session), a_location(session)
    key, _ = add_api_key(session, location.id, name="bot", scopes=[READ])

    for place, key_id in ((other.id, key.id), (location.id, new_id())):
        with pytest.raises(NotFound):
            revoke_api_key(session, place, key_id, now=clock.now())
    assert session.get_one(ApiKey, (location.id, key.id)).revoked_at is None

    ended = clock.now()
    revoke_api_key(session, location.id, key.id, now=ended)
    revoke_api_key(session, location.id, key.id, now=clock.advance(hours=1))
    assert key.revoked_at == ended
