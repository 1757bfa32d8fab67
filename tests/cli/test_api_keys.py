import pytest
from sqlalchemy import select

from app.accounts.models import ApiKey
from app.accounts.queries import find_key_holder
from tests.cli.conftest import Ceibo, Shell
from tests.factories import a_location

CREATE = ("api-keys", "create", "ceibo", "Bot")


def text_of(said: str) -> str:
    return said.strip().rsplit(" ", 1)[1]


def test_a_key_is_shown_once_and_may_only_read(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(*CREATE)

    holder = find_key_holder(ceibo.session, text_of(said))
    assert said.startswith("Bot (read): firme_")
    assert holder is not None
    assert (holder.location_id, holder.scopes) == (ceibo.location.id, frozenset({"read"}))
    assert ceibo.audited() == ("accounts.api_key_added", {"name": "Bot", "scopes": ["read"]})
    secret = text_of(said).split("_", 2)[2]
    assert secret not in shell.done("api-keys", "list", "ceibo")


def test_scopes_are_given_one_by_one(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(*CREATE, "--scope", "book", "--scope", "read", "--scope", "book")

    assert said.startswith("Bot (read, book): ")
    key = ceibo.session.scalars(select(ApiKey)).one()
    assert key.scopes == ["read", "book"]
    assert shell.run(*CREATE, "--scope", "all").exit_code == 2


@pytest.mark.parametrize("by", ["name", "id"])
def test_a_revoked_key_opens_nothing(shell: Shell, ceibo: Ceibo, by: str) -> None:
    text = text_of(shell.done(*CREATE))
    key = ceibo.session.scalars(select(ApiKey)).one()

    said = shell.done("api-keys", "revoke", "ceibo", "bot" if by == "name" else key.id)

    assert said == "Bot is revoked.\n"
    assert find_key_holder(ceibo.session, text) is None
    assert "revoked 2026-03-10" in shell.done("api-keys", "list", "ceibo")
    assert ceibo.audited() == ("accounts.api_key_revoked", {"name": "Bot"})
    assert ceibo.last_audit().subject_id == key.id
    assert "(not_found)" in shell.refused("api-keys", "revoke", "ceibo", "Bot")


def test_a_live_name_is_taken_and_a_revoked_one_is_free(shell: Shell, ceibo: Ceibo) -> None:
    shell.done(*CREATE)

    assert "name: taken" in shell.refused("api-keys", "create", "ceibo", "BOT")
    shell.done("api-keys", "revoke", "ceibo", "Bot")
    shell.done(*CREATE)


def test_another_location_s_key_is_not_found(shell: Shell, ceibo: Ceibo) -> None:
    a_location(ceibo.session, slug="parque")
    shell.done(*CREATE)
    key = ceibo.session.scalars(select(ApiKey)).one()

    assert "(not_found)" in shell.refused("api-keys", "revoke", "parque", key.id)
    assert key.revoked_at is None
