from flask import Flask

from app.cli.database import database


def register(app: Flask) -> None:
    """Add every command group, one line each."""
    app.cli.add_command(database)
