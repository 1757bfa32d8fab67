import pytest
from flask import Flask

from app.ids import new_id
from app.payments.customers import PaidView
from app.payments.models import Standing
from app.web.staff.customer_words import said_of_money
from tests.conftest import OPENING


def paid(standing: Standing, returned: int = 0) -> PaidView:
    return PaidView(new_id(), 50_00, returned, "BRL", "pix", OPENING, standing)


@pytest.mark.parametrize(
    ("payments", "said"),
    [
        ([], ""),
        ([paid(Standing.APPLIED)], "R$ 50,00 seña recibida"),
        ([paid(Standing.DUE)], "R$ 50,00 pago para decidir"),
        ([paid(Standing.KEPT)], "R$ 50,00 pago que quedó para el negocio"),
        ([paid(Standing.RETURNED, 50_00)], "R$ 50,00 pago devuelto"),
        ([paid(Standing.DUE, 20_00)], "R$ 50,00 pago para decidir (R$ 20,00 pago devuelto)"),
        (
            [paid(Standing.RETURNED, 50_00), paid(Standing.APPLIED)],
            "R$ 50,00 pago devuelto · R$ 50,00 seña recibida",
        ),
    ],
)
def test_what_became_of_money_is_said(bare_app: Flask, payments: list[PaidView], said: str) -> None:
    with bare_app.test_request_context(headers={"Accept-Language": "es"}):
        assert said_of_money(payments).replace("\N{NO-BREAK SPACE}", " ") == said
