from alembic import context
from sqlalchemy import NullPool, create_engine

import app.accounts.models
import app.booking.models
import app.catalog.models
import app.customers.models
import app.events  # noqa: F401
from app.database import Base


def run() -> None:
    """Run the migrations in one transaction, each statement waiting a few seconds at most."""
    engine = create_engine(
        context.config.attributes["url"],
        poolclass=NullPool,
        connect_args={"options": "-c lock_timeout=5000"},
    )
    with engine.connect() as connection:
        context.configure(
            connection=connection, target_metadata=Base.metadata, compare_server_default=False
        )
        with context.begin_transaction():
            context.run_migrations()


run()
