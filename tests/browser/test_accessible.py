import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from sqlalchemy import text

from app.checkout.actions import cancel, check_in, complete
from app.extensions import db, transact
from tests.browser.conftest import Business, Desks
from tests.factories import DESK

RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "rules": {"label-content-name-mismatch": {"enabled": True}},
}
SIZES = {"wide": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}


def problems(page: Page) -> list[str]:
    found = Axe().run(page, options=RULES)
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:200]} {node['any'][:1]}"
        for violation in found.response["violations"]
        for node in violation["nodes"]
    ]


@pytest.fixture
def full_day(business: Business) -> dict[str, str]:
    """A day with every state; the ids of a hold and of a confirmed booking."""
    session, location = db.session(), business.location.id
    done, gone = (
        business.book(wall, business.marcos, name)
        for wall, name in (("08:00", "Ya atendida"), ("12:00", "Cancelada"))
    )
    arrived = business.book("09:00", business.lucia, "Ya llegó")
    confirmed = business.book("10:00", business.lucia, "Paula Menoni")
    absent = business.book("13:00", business.lucia, "No vino")
    for booking in (done, arrived):
        check_in(session, location, booking.id, actor=DESK)
    complete(session, location, done.id, actor=DESK)
    cancel(session, location, gone.id, actor=DESK)
    session.execute(
        text("UPDATE booking SET no_show_suggested_at = clock_now() WHERE id = :id"),
        {"id": absent.id},
    )
    session.commit()
    hold = business.hold("11:00", business.marcos, "Rosana da Silva")
    lapsed = business.hold("14:00", business.marcos, "Karina")
    transact(
        lambda session: session.execute(
            text("UPDATE booking SET expires_at = clock_now() WHERE id = :id"), {"id": lapsed.id}
        )
    )
    return {"hold": str(hold.id), "confirmed": str(confirmed.id)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "phone"])
def test_axe_finds_nothing_on_any_page(
    desks: Desks, business: Business, full_day: dict[str, str], scheme: str, size: str
) -> None:
    page = desks.open(color_scheme=scheme, viewport=SIZES[size])
    addresses = [
        f"/agenda/{business.day}",
        f"/agenda/{business.day}?r={full_day['hold']}",
        f"/agenda/{business.day}?mover={full_day['confirmed']}",
        f"/reservas/{full_day['confirmed']}",
        f"/reservas/{full_day['confirmed']}/mover",
        f"/reservas/nueva?d={business.day}",
        "/revisar",
        "/clientes",
        "/no-existe",
    ]
    found = {}
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("load")
        page.wait_for_timeout(300)
        found[address] = problems(page)

    page.goto(f"/reservas/nueva?recurso={business.lucia.id}&inicio={business.day}T10:00:00-03:00")
    page.click("button:has-text('Pre-reservar')")
    expect(page.locator("#panel-conflict")).to_be_visible()
    found["conflict"] = problems(page)
    page.context.clear_cookies()
    page.goto("/entrar")
    found["/entrar"] = problems(page)

    assert {address: list_ for address, list_ in found.items() if list_} == {}
