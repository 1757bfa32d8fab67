from alembic import context
from sqlalchemy import NullPool, create_engine

from app.tables import METADATA


def run() -> None:
    """Run the migrations in one transaction, each statement waiting a few seconds at most."""
    engine = create_engine(
        context.config.attributes["url"],
        poolclass=NullPool,
        connect_args={"options": "-c lock_timeout=5000"},
    )
    with engine.connect() as connection:
        context.configure(
            connection=connection, target_metadata=METADATA, compare_server_default=False
        )
        with context.begin_transaction():
            context.run_migrations()


run()
