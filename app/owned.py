from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.ids import new_id


class Owned:
    """A row that belongs to a location: the location's id leads every key.

    No foreign key to ``location`` of its own: rows written by every request would all lock that
    one row. What they refer to (a service, a resource) belongs to the location already.
    """

    location_id: Mapped[UUID] = mapped_column(primary_key=True, sort_order=-2)
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id, sort_order=-1)


class OwnedRecord(Owned):
    """A row the owner maintains, which the database ties to its location directly."""

    location_id: Mapped[UUID] = mapped_column(
        ForeignKey("location.id"), primary_key=True, sort_order=-2
    )
