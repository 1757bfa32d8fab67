from datetime import datetime
from typing import Any

import click
from flask import current_app
from flask.cli import AppGroup
from sqlalchemy.exc import OperationalError, ProgrammingError

from app.cli.sentences import told
from app.database import sqlstate
from app.errors import DomainError

UNDEFINED_TABLE = "42P01"


class Commands(AppGroup):
    """Commands that tell a refusal on stderr and exit with 1, never with a trace."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, its refusals turned into words."""
        try:
            return super().invoke(ctx)
        except DomainError as refusal:
            raise click.ClickException(told(refusal)) from refusal
        except OperationalError as fault:
            raise click.ClickException("The database cannot be reached. (busy)") from fault
        except ProgrammingError as fault:
            if sqlstate(fault) != UNDEFINED_TABLE:
                raise
            raise click.ClickException("No tables yet: run `flask database upgrade`.") from fault


def present() -> datetime:
    """Tell the present instant by the application's clock."""
    now: datetime = current_app.extensions["clock"].now()
    return now


def warn(line: str) -> None:
    """Tell on stderr what the operator should look at, if anything."""
    if line:
        click.echo(f"Warning: {line}", err=True)
