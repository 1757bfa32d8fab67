"""Every module with tables: importing this one makes ``Base.metadata`` complete."""

from app import events
from app.accounts import models as accounts
from app.booking import models as booking
from app.catalog import models as catalog
from app.customers import models as customers
from app.database import Base
from app.payments import models as payments

METADATA = Base.metadata

__all__ = ["METADATA", "accounts", "booking", "catalog", "customers", "events", "payments"]
