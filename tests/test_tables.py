from alembic import command
from flask import Flask

from app.cli.database import alembic_config


def test_the_migrations_make_what_the_models_say(bare_app: Flask, database_url: str) -> None:
    with bare_app.app_context():
        command.check(alembic_config(database_url))
