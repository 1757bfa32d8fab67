import os
import pwd
from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from app import create_app
from app.cli.commands import Commands
from tests.cli.conftest import Ceibo, Shell

GROUPS = {
    "locations": {"add", "list", "show", "set"},
    "resources": {"add", "list", "rename", "capacity", "archive"},
    "services": {"add", "list", "set", "archive"},
    "hours": {"week", "day", "off", "holiday", "show"},
    "users": {"add", "list", "password", "disable", "enable", "role"},
    "api-keys": {"create", "list", "revoke"},
    "bookings": {"check", "expire", "list"},
    "payments": {
        *("reconcile", "show", "add-account", "change-account", "list-accounts", "close-account"),
        *("set-webhook", "check-account"),
    },
    "dev": {"docs"},
}


def test_every_group_tells_refusals_in_words(app: Flask) -> None:
    for name, commands in GROUPS.items():
        group = app.cli.commands[name]
        assert isinstance(group, Commands), name
        assert set(group.commands) == commands


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_every_command_says_what_it_does(shell: Shell, group: str) -> None:
    for command in GROUPS[group]:
        shown = shell.done(group, command, "--help")
        assert len(shown.splitlines()[2].strip()) > 10


def test_a_database_that_is_away_is_told_without_a_trace(app: Flask) -> None:
    config = app.extensions["firme_config"]
    away = create_app(replace(config, database_url="postgresql://firme@127.0.0.1:1/firme"))

    with away.app_context():
        result = away.test_cli_runner().invoke(args=["locations", "list"])

    assert result.exit_code == 1
    assert result.stderr.endswith("(busy)\n")
    assert "Traceback" not in result.output


def test_missing_tables_are_told_with_the_way_to_make_them(shell: Shell, session: Session) -> None:
    session.execute(text("SET LOCAL search_path TO pg_catalog"))

    assert "run `flask database upgrade`" in shell.refused("locations", "list")


def test_the_trail_names_the_account_that_runs_the_command(
    shell: Shell, ceibo: Ceibo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")

    shell.done("resources", "rename", "ceibo", "Marcos", "Marco")

    assert ceibo.last_audit().actor == pwd.getpwuid(os.getuid()).pw_name


def test_a_refused_command_leaves_nothing_behind(shell: Shell, ceibo: Ceibo) -> None:
    """The person is added before the place's resource is found missing: both go."""
    shell.refused(
        *("users", "add", "ana@ceibo.example", "Ana", "--location", "ceibo"),
        *("--role", "professional", "--generate"),
    )

    for table in ("staff_user", "membership", "audit"):
        assert ceibo.session.scalar(text(f"SELECT count(*) FROM {table}")) == 0
