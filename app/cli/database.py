from alembic import command
from alembic.config import Config as AlembicConfig
from flask import current_app
from flask.cli import AppGroup, with_appcontext

database = AppGroup("database", help="The database's tables.")


def alembic_config(url: str) -> AlembicConfig:
    """Describe the migrations to Alembic, without a file of its own."""
    config = AlembicConfig()
    config.set_main_option("script_location", f"{current_app.root_path}/../migrations")
    config.attributes["url"] = url
    return config


def _config() -> AlembicConfig:
    return alembic_config(current_app.config["SQLALCHEMY_DATABASE_URI"])


@database.command("upgrade")
@with_appcontext
def upgrade() -> None:
    """Bring the tables up to date."""
    command.upgrade(_config(), "head")


@database.command("check")
@with_appcontext
def check() -> None:
    """Compare models and tables; fail on any difference."""
    command.check(_config())
