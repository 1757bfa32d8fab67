import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from app.booking.views import BookingView, Contact
from app.catalog.models import Location, Resource, Service
from app.checkout.actions import place_hold
from app.extensions import db, transact
from tests.factories import (
    BOT,
    PASSWORD,
    a_booking,
    a_location,
    a_resource,
    a_service,
    a_staff_user,
    a_wish,
)

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
ZONE = ZoneInfo("America/Sao_Paulo")
FROM_SIX_TO_NINE = ((6 * 60, 21 * 60),)


def chromium() -> str:
    """Find the browser. One that was promised must be there; without any, the tests are skipped."""
    promised = os.environ.get("FIRME_CHROMIUM")
    if promised:
        return promised
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("There is no Chromium here.")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def quiet_hub(real_app: Flask) -> Iterator[None]:
    """Let nothing read the database when the test's app is put away."""
    yield
    if "live_hub" in real_app.extensions:
        real_app.extensions["live_hub"].close()


@dataclass
class Business:
    """A business that opens every day, seen through real connections."""

    location: Location
    marcos: Resource
    lucia: Resource
    cut: Service
    day: str

    def at(self, wall: str) -> datetime:
        return datetime.fromisoformat(f"{self.day} {wall}").replace(tzinfo=ZONE).astimezone(UTC)

    def hold(self, wall: str, resource: Resource, name: str) -> BookingView:
        """Hold a place the way the API does."""
        wish = a_wish(
            self.location,
            self.cut,
            self.at(wall),
            resource_ids=(resource.id,),
            contact=Contact(name=name),
        )
        now = datetime.now(UTC)
        return transact(lambda session: place_hold(session, wish, actor=BOT, now=now))

    def book(self, wall: str, resource: Resource, name: str) -> BookingView:
        return a_booking(
            db.session(),
            self.location,
            self.cut,
            self.at(wall),
            resource_ids=(resource.id,),
            contact=Contact(name=name, phone="+5555991234567"),
        )


@pytest.fixture
def business(real_app: Flask) -> Business:
    session = db.session()
    location = a_location(session)
    marcos, lucia = (
        a_resource(
            session, location, name, hours=FROM_SIX_TO_NINE, weekdays=range(7), position=position
        )
        for position, name in enumerate(("Marcos Acosta", "Lucía Ferreira"))
    )
    tomorrow = datetime.now(ZONE).date() + timedelta(days=1)
    made = Business(
        location=location,
        marcos=marcos,
        lucia=lucia,
        cut=a_service(session, location, [marcos, lucia], name="Corte", duration_minutes=45),
        day=tomorrow.isoformat(),
    )
    a_staff_user(session, location, email="rocio@ceibo.example")
    return made


@dataclass
class Desks:
    """Opens browsers that are logged in."""

    browser: Browser
    address: str
    opened: list[BrowserContext]

    def open(self, path: str = "/", **options: object) -> Page:
        """Log in and go to a page; ``options`` are those of a browser context."""
        context = self.browser.new_context(
            **{
                "base_url": self.address,
                "locale": "es-UY",
                "viewport": {"width": 1440, "height": 900},
                **options,
            }  # type: ignore[arg-type]
        )
        self.opened.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.goto("/entrar")
        page.fill("#f-email", "rocio@ceibo.example")
        page.fill("#f-password", PASSWORD)
        page.click("text=Entrar >> nth=-1")
        page.wait_for_url("**/agenda/**")
        page.goto(path)
        return page


@pytest.fixture
def desks(browser: Browser, live_server: str, business: Business) -> Iterator[Desks]:
    desks = Desks(browser, live_server, [])
    yield desks
    for context in desks.opened:
        context.close()
