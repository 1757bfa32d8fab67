from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import Result
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from app.events import Audit
from tests.checkout.conftest import bank, desk
from tests.factories import a_location, a_resource, a_service

__all__ = ["bank", "desk"]


class Shell:
    """A terminal in which `flask` commands are typed."""

    def __init__(self, app: Flask) -> None:
        self._runner = app.test_cli_runner()

    def run(self, *words: object, typed: str | None = None) -> Result:
        return self._runner.invoke(args=[str(word) for word in words], input=typed)

    def done(self, *words: object, typed: str | None = None) -> str:
        """Run a command that works, and warns of nothing; give what it printed."""
        result = self.run(*words, typed=typed)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return result.stdout

    def warned(self, *words: object) -> str:
        """Run a command that works all the same; give its warnings."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        assert result.stderr.startswith("Warning: ")
        return result.stderr

    def refused(self, *words: object, typed: str | None = None) -> str:
        """Run a command that is refused in words; give them."""
        result = self.run(*words, typed=typed)
        assert result.exit_code == 1, result.output
        assert result.stdout == ""
        assert result.stderr.startswith("Error: ")
        assert "Traceback" not in result.output
        return result.stderr


@pytest.fixture
def shell(app: Flask) -> Shell:
    return Shell(app)


@dataclass
class Ceibo:
    """A business with two people and a pool of three places."""

    session: Session
    location: Location
    lucia: Resource
    marcos: Resource
    beds: Resource
    cut: Service
    massage: Service

    def last_audit(self) -> Audit:
        """Give the last line of the trail, which a command wrote."""
        line = self.session.scalars(select(Audit).order_by(Audit.id.desc()).limit(1)).one()
        assert line.door == "cli"
        assert line.actor
        return line

    def audited(self) -> tuple[str, dict[str, Any]]:
        line = self.last_audit()
        return line.action, line.detail


@pytest.fixture
def ceibo(session: Session) -> Ceibo:
    location = a_location(session, slug="ceibo")
    lucia = a_resource(session, location, "Lucía Ferreira")
    marcos = a_resource(session, location, "Marcos", position=1)
    beds = a_resource(session, location, "Camillas", capacity=3, position=2)
    return Ceibo(
        session,
        location,
        lucia,
        marcos,
        beds,
        cut=a_service(session, location, [lucia, marcos]),
        massage=a_service(session, location, beds, name="Masaje", position=1),
    )
