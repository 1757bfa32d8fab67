import click
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.accounts.actions import add_api_key, revoke_api_key
from app.accounts.models import BOOK, MANAGE, READ, ApiKey
from app.accounts.queries import get_api_key_named, list_api_keys
from app.catalog.names import check_name, get_location_by_slug
from app.cli.commands import Commands, present
from app.cli.printing import table
from app.cli.trail import audit
from app.errors import InvalidFields
from app.extensions import transact

api_keys = Commands("api-keys", help="Keys with which programs call the API.")

SCOPES = (READ, BOOK, MANAGE)


@api_keys.command("create")
@click.argument("location")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=(READ,),
    help="What it may do, once per scope; read if none is given.",
)
@with_appcontext
def create(location: str, name: str, scopes: tuple[str, ...]) -> None:
    """Make a key NAME for LOCATION. Its text is shown now and never again."""
    called, granted = check_name(name), sorted(set(scopes), key=SCOPES.index)

    def work(session: Session) -> str:
        place = get_location_by_slug(session, location)
        live = (key for key in list_api_keys(session, place.id) if key.revoked_at is None)
        if any(key.name.casefold() == called.casefold() for key in live):
            raise InvalidFields(("name", "taken"))
        key, text = add_api_key(session, place.id, name=called, scopes=granted)
        audit(session, place.id, "accounts.api_key_added", key.id, name=called, scopes=granted)
        return text

    click.echo(f"{called} ({', '.join(granted)}): {transact(work)}")


@api_keys.command("list")
@click.argument("location")
@with_appcontext
def show_all(location: str) -> None:
    """List the keys of LOCATION; their texts are nowhere."""
    found = transact(
        lambda session: list_api_keys(session, get_location_by_slug(session, location).id)
    )
    table(
        ("name", "scopes", "made", "", "id"),
        [
            (key.name, ",".join(key.scopes), f"{key.created_at:%Y-%m-%d}", _state(key), key.id)
            for key in found
        ],
    )


@api_keys.command("revoke")
@click.argument("location")
@click.argument("key")
@with_appcontext
def revoke(location: str, key: str) -> None:
    """End a KEY of LOCATION at once, by its name or id."""
    now = present()

    def work(session: Session) -> str:
        place = get_location_by_slug(session, location)
        known = get_api_key_named(session, place.id, key)
        revoke_api_key(session, place.id, known.id, now=now)
        audit(session, place.id, "accounts.api_key_revoked", known.id, name=known.name)
        return known.name

    click.echo(f"{transact(work)} is revoked.")


def _state(key: ApiKey) -> str:
    return f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "live"
