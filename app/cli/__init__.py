from flask import Flask

from app.cli.database import database
from app.cli.demo import demo


def register(app: Flask) -> None:
    """Add every command group, one line each."""
    app.cli.add_command(database)
    app.cli.add_command(demo)
