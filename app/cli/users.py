import secrets
import sys

import click
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.accounts import actions
from app.accounts.models import OWNER, PROFESSIONAL, RECEPTIONIST, User
from app.accounts.queries import get_user_by_email, list_memberships, list_staff
from app.catalog.models import Location
from app.catalog.names import check_name, get_location_by_slug, get_resource_named
from app.cli.commands import Commands, present
from app.cli.printing import table
from app.cli.trail import audit
from app.errors import InvalidFields
from app.extensions import transact

users = Commands("users", help="People who log in, and what they may do where.")

ROLES = (OWNER, RECEPTIONIST, PROFESSIONAL)

_from_stdin = click.option(
    "--password-stdin", "from_stdin", is_flag=True, help="Read it from the first line of stdin."
)
_generate = click.option("--generate", is_flag=True, help="Make one and print it.")


@users.command("add")
@click.argument("email")
@click.argument("name")
@click.option("--location", required=True)
@click.option("--role", type=click.Choice(ROLES), required=True)
@click.option("--resource", help="The column that a professional sees.")
@_from_stdin
@_generate
@with_appcontext
def add(
    email: str,
    name: str,
    location: str,
    role: str,
    resource: str | None,
    from_stdin: bool,
    generate: bool,
) -> None:
    """Let a person log in with EMAIL and work at a location."""
    called = check_name(name)
    password = _password(from_stdin=from_stdin, generate=generate)

    def work(session: Session) -> User:
        place = get_location_by_slug(session, location)
        column = get_resource_named(session, place.id, resource) if resource else None
        user = actions.add_user(session, email=email, name=called, password=password)
        actions.add_membership(
            session, place.id, user.id, role=role, resource_id=column.id if column else None
        )
        audit(session, place.id, "accounts.user_added", user.id, email=user.email, role=role)
        return user

    user = transact(work)
    click.echo(f"{user.email} may log in as {role} of {location}.{_made(password, generate)}")


@users.command("list")
@click.option("--location", help="Only who works there.")
@with_appcontext
def show_all(location: str | None) -> None:
    """List who may log in, and where as what."""

    def work(session: Session) -> list[tuple[object, ...]]:
        place = get_location_by_slug(session, location) if location else None
        return [
            (
                user.email,
                user.name,
                session.get_one(Location, membership.location_id).slug if membership else "-",
                membership.role if membership else "-",
                "disabled" if user.disabled_at else "",
            )
            for user, membership in list_staff(session, place.id if place else None)
        ]

    table(("email", "name", "location", "role", ""), transact(work))


@users.command("password")
@click.argument("email")
@_from_stdin
@_generate
@with_appcontext
def password(email: str, from_stdin: bool, generate: bool) -> None:
    """Give the person with EMAIL a new password. Their open sessions end."""
    transact(lambda session: get_user_by_email(session, email))  # before anybody types one
    fresh = _password(from_stdin=from_stdin, generate=generate)

    def work(session: Session) -> None:
        user = get_user_by_email(session, email)
        actions.change_password(session, user, fresh)
        _audit_everywhere(session, user, "accounts.password_changed")

    transact(work)
    click.echo(f"{email} has a new password.{_made(fresh, generate)}")


@users.command("disable")
@click.argument("email")
@with_appcontext
def disable(email: str) -> None:
    """Let the person with EMAIL log in no more. Their open sessions end at once."""
    now = present()

    def work(session: Session) -> None:
        user = get_user_by_email(session, email)
        actions.disable_user(session, user, now=now)
        _audit_everywhere(session, user, "accounts.user_disabled")

    transact(work)
    click.echo(f"{email} may not log in any more.")


@users.command("enable")
@click.argument("email")
@with_appcontext
def enable(email: str) -> None:
    """Let a disabled person log in again."""

    def work(session: Session) -> None:
        user = get_user_by_email(session, email)
        actions.enable_user(session, user)
        _audit_everywhere(session, user, "accounts.user_enabled")

    transact(work)
    click.echo(f"{email} may log in again.")


@users.command("role")
@click.argument("email")
@click.argument("role", type=click.Choice(ROLES))
@click.option("--location", required=True)
@click.option("--resource", help="The column that a professional sees.")
@with_appcontext
def role(email: str, role: str, location: str, resource: str | None) -> None:
    """Make the person with EMAIL an owner, receptionist or professional of a location."""

    def work(session: Session) -> str | None:
        place = get_location_by_slug(session, location)
        user = get_user_by_email(session, email)
        column = get_resource_named(session, place.id, resource) if resource else None
        before = actions.set_role(
            session, place.id, user.id, role=role, resource_id=column.id if column else None
        )
        audit(session, place.id, "accounts.role_changed", user.id, role=[before, role])
        return before

    before = transact(work)
    click.echo(f"{email} is {role} of {location} now, and was {before or 'nothing'} there.")


def _password(*, from_stdin: bool, generate: bool) -> str:
    if from_stdin and generate:
        raise InvalidFields(("options", "choose_one"))
    if generate:
        return secrets.token_urlsafe(12)
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))


def _made(password: str, generate: bool) -> str:
    return f" Password: {password}" if generate else ""


def _audit_everywhere(session: Session, user: User, action: str) -> None:
    """Write it down at each location where the person works: each owner reads their own trail."""
    for membership in list_memberships(session, user.id):
        audit(session, membership.location_id, action, user.id, email=user.email)
