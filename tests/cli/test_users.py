import pytest
from sqlalchemy import func, select

from app.accounts.models import Membership, User
from app.accounts.passwords import is_right
from app.accounts.queries import find_user_for_login
from app.events import Audit
from tests.cli.conftest import Ceibo, Shell
from tests.factories import PASSWORD, a_location, a_resource, a_staff_user

ADD = ("users", "add", "Ana@ceibo.example", "Ana Ceibo", "--location", "ceibo")
STDIN = "--password-stdin"


def ana(ceibo: Ceibo) -> User:
    user = find_user_for_login(ceibo.session, "ana@ceibo.example")
    assert user is not None
    return user


def role_of(ceibo: Ceibo, user: User) -> tuple[str, object]:
    membership = ceibo.session.get_one(Membership, (ceibo.location.id, user.id))
    return membership.role, membership.resource_id


def test_an_owner_is_added_with_a_password_from_stdin(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(*ADD, "--role", "owner", STDIN, typed=f"{PASSWORD}\n")

    assert said == "Ana@ceibo.example may log in as owner of ceibo.\n"
    assert is_right(PASSWORD, ana(ceibo).password_hash)
    assert role_of(ceibo, ana(ceibo)) == ("owner", None)
    assert ceibo.last_audit().subject_id == ana(ceibo).id
    assert ceibo.audited() == (
        "accounts.user_added",
        {"email": "Ana@ceibo.example", "role": "owner"},
    )


def test_a_password_is_asked_twice_and_never_shown(shell: Shell, ceibo: Ceibo) -> None:
    done = shell.run(*ADD, "--role", "receptionist", typed=f"{PASSWORD}\n{PASSWORD}\n")

    assert done.exit_code == 0
    assert PASSWORD not in done.output
    assert is_right(PASSWORD, ana(ceibo).password_hash)


def test_a_generated_password_is_printed_once_and_works(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(*ADD, "--role", "owner", "--generate")

    made = said.rsplit("Password: ", 1)[1].strip()
    assert len(made) >= 12
    assert is_right(made, ana(ceibo).password_hash)
    assert made not in str(ceibo.audited())


def test_a_professional_has_a_column(shell: Shell, ceibo: Ceibo) -> None:
    words = (*ADD, "--role", "professional", "--generate")

    assert "resource: required" in shell.refused(*words)
    assert ceibo.session.scalar(select(func.count()).select_from(User)) == 0
    shell.done(*words, "--resource", "lucía ferreira")
    assert role_of(ceibo, ana(ceibo)) == ("professional", ceibo.lucia.id)


@pytest.mark.parametrize(
    ("email", "password", "told"),
    [
        ("ana", PASSWORD, "email: invalid_email"),
        ("ana@ceibo", PASSWORD, "email: invalid_email"),
        ("a na@ceibo.example", PASSWORD, "email: invalid_email"),
        ("ána@ceibo.example", PASSWORD, "email: invalid_email"),
        ("a@b@ceibo.example", PASSWORD, "email: invalid_email"),
        ("a" * 250 + "@b.uy", PASSWORD, "email: invalid_email"),
        ("ROCIO@ceibo.example", PASSWORD, "email: taken"),
        ("ana@ceibo.example", "corta", "password: invalid_length"),
        ("ana@ceibo.example", "", "password: invalid_length"),
        ("ana@ceibo.example", "x" * 201, "password: invalid_length"),
    ],
)
def test_who_cannot_be_added_is_told_why(
    shell: Shell, ceibo: Ceibo, email: str, password: str, told: str
) -> None:
    a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    words = ("users", "add", email, "Ana", "--location", "ceibo", "--role", "owner", STDIN)

    assert told in shell.refused(*words, typed=password)
    assert ceibo.session.scalar(select(func.count()).select_from(User)) == 1
    assert ceibo.session.scalar(select(func.count()).select_from(Audit)) == 0


def test_one_way_to_give_a_password_is_enough(shell: Shell, ceibo: Ceibo) -> None:
    words = (*ADD, "--role", "owner", "--generate", STDIN)

    assert "options: choose_one" in shell.refused(*words, typed=PASSWORD)


def test_there_are_three_roles(shell: Shell, ceibo: Ceibo) -> None:
    result = shell.run(*ADD, "--role", "boss", "--generate")

    assert result.exit_code == 2
    assert "'owner', 'receptionist', 'professional'" in result.stderr


def test_people_are_listed_with_every_place_they_work_at(shell: Shell, ceibo: Ceibo) -> None:
    rocio = a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    a_location(ceibo.session, slug="parque")
    shell.done("users", "role", rocio.email, "owner", "--location", "parque")
    shell.done("users", "disable", rocio.email)

    lines = shell.done("users", "list").splitlines()

    assert {tuple(line.split()) for line in lines[1:]} == {
        ("rocio@ceibo.example", "Rocío", "ceibo", "receptionist", "disabled"),
        ("rocio@ceibo.example", "Rocío", "parque", "owner", "disabled"),
    }
    assert len(shell.done("users", "list", "--location", "parque").splitlines()) == 2


def test_a_new_password_ends_the_sessions_of_the_old_one(shell: Shell, ceibo: Ceibo) -> None:
    rocio = a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    token = rocio.session_token

    shell.done("users", "password", "rocio@ceibo.example", STDIN, typed="otra clave larga\n")

    assert is_right("otra clave larga", rocio.password_hash)
    assert rocio.session_token != token
    assert ceibo.audited() == ("accounts.password_changed", {"email": "rocio@ceibo.example"})


def test_nobody_is_asked_for_the_password_of_nobody(shell: Shell, ceibo: Ceibo) -> None:
    assert shell.refused("users", "password", "x@ceibo.example") == (
        "Error: No user is called “x@ceibo.example” here. (not_found)\n"
    )


def test_a_disabled_person_is_out_at_once_until_enabled(shell: Shell, ceibo: Ceibo) -> None:
    rocio = a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    token = rocio.session_token

    shell.done("users", "disable", "ROCIO@ceibo.example")

    assert find_user_for_login(ceibo.session, rocio.email) is None
    assert ceibo.audited()[0] == "accounts.user_disabled"
    shell.done("users", "enable", rocio.email)
    assert find_user_for_login(ceibo.session, rocio.email) == rocio
    assert rocio.session_token != token


def test_a_role_changes_at_one_location(shell: Shell, ceibo: Ceibo) -> None:
    rocio = a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    words = ("users", "role", rocio.email, "professional", "--location", "ceibo")

    assert "resource: required" in shell.refused(*words)
    said = shell.done(*words, "--resource", "Marcos")

    assert said == (
        "rocio@ceibo.example is professional of ceibo now, and was receptionist there.\n"
    )
    assert role_of(ceibo, rocio) == ("professional", ceibo.marcos.id)
    assert ceibo.audited() == (
        "accounts.role_changed",
        {"role": ["receptionist", "professional"]},
    )


def test_a_column_is_of_the_same_location(shell: Shell, ceibo: Ceibo) -> None:
    rocio = a_staff_user(ceibo.session, ceibo.location, email="rocio@ceibo.example")
    theirs = a_resource(ceibo.session, a_location(ceibo.session), "Zoe")
    words = ("users", "role", rocio.email, "professional", "--location", "ceibo")

    assert "(not_found)" in shell.refused(*words, "--resource", theirs.id)
