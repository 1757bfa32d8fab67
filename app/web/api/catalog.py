"""What can be booked, and where."""

from flask import Response

from app.accounts.models import READ
from app.catalog.queries import get_location, list_resources, list_services
from app.extensions import db
from app.web.api.asked import NothingAsked, PageQuery, read_query
from app.web.api.blueprint import api
from app.web.api.callers import require
from app.web.api.catalog_answered import (
    LocationAnswer,
    ResourceAnswer,
    ResourcePage,
    ServiceAnswer,
    ServicePage,
)
from app.web.api.described import described
from app.web.api.pages import cut_page
from app.web.api.sending import ok


@api.get("/location")
@described("Catalogue", query=NothingAsked, answers={200: LocationAnswer})
def show_location() -> Response:
    """Tell the key's location: time zone, currency and the policies of its bookings."""
    holder = require(READ)
    read_query(NothingAsked)
    return ok(LocationAnswer.of(get_location(db.session(), holder.location_id)))


@api.get("/services")
@described("Catalogue", query=PageQuery, answers={200: ServicePage})
def show_services() -> Response:
    """List what a customer can buy: lengths, price, deposit, and the resources of each need.

    A start must be held with one resource for each need; a hold picks them when none are given.
    """
    holder = require(READ)
    query = read_query(PageQuery)
    session = db.session()
    location = get_location(session, holder.location_id)
    page, cursor = cut_page(list_services(session, location.id), query, lambda s: s.id)
    data = [ServiceAnswer.of(service, location) for service in page]
    return ok(ServicePage(data=data, next_cursor=cursor))


@api.get("/resources")
@described("Catalogue", query=PageQuery, answers={200: ResourcePage})
def show_resources() -> Response:
    """List the people, rooms and pools of places that bookings take."""
    holder = require(READ)
    query = read_query(PageQuery)
    resources = list_resources(db.session(), holder.location_id)
    page, cursor = cut_page(resources, query, lambda r: r.id)
    data = [ResourceAnswer.described(resource) for resource in page]
    return ok(ResourcePage(data=data, next_cursor=cursor))
