from flask import Flask

from app.cli.api_keys import api_keys
from app.cli.bookings import bookings
from app.cli.database import database
from app.cli.demo import demo
from app.cli.dev import dev
from app.cli.hours import hours
from app.cli.locations import locations
from app.cli.payments import payments
from app.cli.resources import resources
from app.cli.selling import services
from app.cli.users import users


def register(app: Flask) -> None:
    """Add every command group, one line each."""
    app.cli.add_command(database)
    app.cli.add_command(demo)
    app.cli.add_command(locations)
    app.cli.add_command(resources)
    app.cli.add_command(services)
    app.cli.add_command(hours)
    app.cli.add_command(users)
    app.cli.add_command(api_keys)
    app.cli.add_command(bookings)
    app.cli.add_command(payments)
    app.cli.add_command(dev)
