import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.money import Cents
from app.payments.pix.gateway import ChargeStatus, Notice, PaidPix, RefundStatus, Unreadable
from app.payments.pix.mercado_pago_reading import (
    read_amount,
    read_charge,
    read_notices,
    read_payment,
    read_refund,
    with_amount,
)
from tests.payments.scenes import TXID

PAYMENT = {
    "id": 91,
    "date_created": "2026-03-10T11:00:00.000-04:00",
    "date_approved": "2026-03-10T11:05:00.000-04:00",
    "date_of_expiration": "2026-03-10T11:30:00.000-04:00",
    "payment_method_id": "pix",
    "status": "approved",
    "currency_id": "BRL",
    "external_reference": TXID,
    "transaction_amount": Decimal("50.00"),
}
REFUND = {"id": 7, "amount": 50, "status": "approved", "source": {"type": "collector"}}


@given(st.integers(min_value=1, max_value=10**12 - 1))
def test_every_amount_is_written_and_read_to_the_cent(cents: int) -> None:
    text = with_amount("amount", Cents(cents), {"a": [1]})

    document = json.loads(text, parse_float=Decimal)

    assert document["a"] == [1]
    assert read_amount(document["amount"]) == cents


def test_an_amount_may_stand_alone() -> None:
    assert with_amount("amount", Cents(5), {}) == b'{"amount": 0.05}'


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("50", 5_000),
        ("50.0", 5_000),
        ("50.000", 5_000),
        ("5e1", 5_000),
        ("0.29", 29),
        ("1.15", 115),
    ],
)
def test_a_number_is_read_however_it_is_written(text: str, cents: int) -> None:
    assert read_amount(json.loads(text, parse_float=Decimal)) == cents


@pytest.mark.parametrize(
    "value",
    [
        "50.00",
        50.0,
        None,
        True,
        [],
        Decimal("0.001"),
        Decimal("-1"),
        -1,
        Decimal("NaN"),
        Decimal("Infinity"),
        Decimal("1e999999"),
        10**30,
        Decimal("1e-999999"),
    ],
    ids=str,
)
def test_what_is_no_sum_of_money_is_never_read_as_one(value: object) -> None:
    with pytest.raises(Unreadable):
        read_amount(value)


@pytest.mark.parametrize(
    ("state", "detail", "status"),
    [
        ("pending", "pending_waiting_transfer", ChargeStatus.ACTIVE),
        ("in_process", "", ChargeStatus.ACTIVE),
        ("approved", "accredited", ChargeStatus.PAID),
        ("in_mediation", "", ChargeStatus.PAID),
        ("refunded", "refunded", ChargeStatus.PAID),
        ("charged_back", "settled", ChargeStatus.PAID),
        ("cancelled", "by_collector", ChargeStatus.REMOVED_BY_US),
        ("cancelled", "expired", ChargeStatus.REMOVED_BY_PROVIDER),
        ("cancelled", None, ChargeStatus.REMOVED_BY_PROVIDER),
        ("rejected", "", ChargeStatus.REMOVED_BY_PROVIDER),
        ("authorized", "", ChargeStatus.UNKNOWN),
        ("news", "", ChargeStatus.UNKNOWN),
        (None, None, ChargeStatus.UNKNOWN),
        ([], {}, ChargeStatus.UNKNOWN),
    ],
)
def test_every_state_is_one_of_ours(state: Any, detail: Any, status: ChargeStatus) -> None:
    charge = read_charge([{**PAYMENT, "status": state, "status_detail": detail}])

    assert charge.status is status
    assert len(charge.payments) == (status is ChargeStatus.PAID)


def test_a_paid_one_speaks_for_the_charge_and_an_active_one_before_a_cancelled_one() -> None:
    old = {**PAYMENT, "id": 1, "status": "cancelled"}
    active = {**PAYMENT, "id": 2, "status": "pending"}
    paid = {**PAYMENT, "id": 3}

    assert read_charge([old, active]).status is ChargeStatus.ACTIVE
    charge = read_charge([old, active, paid])
    assert charge.status is ChargeStatus.PAID
    assert [payment.end_to_end_id for payment in charge.payments] == ["3"]


@pytest.mark.parametrize("mark", [900, "900", Decimal("900.0"), "900.0"])
def test_it_expires_by_what_we_asked(mark: object) -> None:
    charge = read_charge([{**PAYMENT, "metadata": {"expires_in": mark}}])

    assert charge.expires_at - charge.created_at == timedelta(minutes=15)


@pytest.mark.parametrize("metadata", [None, [], {}, {"expires_in": -1}, {"expires_in": "x"}])
def test_without_what_we_asked_it_expires_when_the_provider_says(metadata: object) -> None:
    charge = read_charge([{**PAYMENT, "metadata": metadata}])

    assert charge.expires_at - charge.created_at == timedelta(minutes=30)


@pytest.mark.parametrize(
    "change",
    [
        {"id": None},
        {"id": "E1"},
        {"id": True},
        {"transaction_amount": "50.00"},
        {"transaction_amount": None},
        {"currency_id": "ARS"},
        {"external_reference": None},
        {"date_created": None},
        {"date_created": "2026-03-10T11:00:00"},
        {"date_of_expiration": None},
        {"date_approved": None},
        {"refunds": [{"id": 1, "amount": "x", "source": {"type": "admin"}}]},
    ],
    ids=str,
)
def test_money_and_time_that_cannot_be_trusted_are_not(change: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        read_charge([{**PAYMENT, **change}])


def test_a_code_with_a_wrong_checksum_is_none() -> None:
    data = {"transaction_data": {"qr_code": "00020126580014br.gov.bcb.pix63040000"}}

    assert read_charge([{**PAYMENT, "point_of_interaction": data}]).copy_paste is None


def test_a_payment_of_another_shop_has_no_txid_of_ours() -> None:
    assert read_payment({**PAYMENT, "external_reference": "Pedido nº 7"}) == PaidPix(
        end_to_end_id="91",
        amount=Cents(5_000),
        paid_at=datetime(2026, 3, 10, 15, 5, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("in_process", RefundStatus.PENDING),
        ("authorized", RefundStatus.PENDING),
        ("approved", RefundStatus.DONE),
        ("rejected", RefundStatus.FAILED),
        ("cancelled", RefundStatus.FAILED),
        ("news", RefundStatus.UNKNOWN),
        (None, RefundStatus.UNKNOWN),
    ],
)
def test_every_state_of_a_refund_is_one_of_ours(state: object, status: RefundStatus) -> None:
    refund = read_refund({**REFUND, "status": state}, "r1")

    assert (refund.status, refund.refund_id, refund.return_id) == (status, "r1", "7")


@pytest.mark.parametrize("number", ["123", 123])
def test_a_notice_names_a_payment(number: object) -> None:
    body = json.dumps({"type": "payment", "data": {"id": number}}).encode()

    assert read_notices(body) == [Notice(end_to_end_id="123")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b"\xff",
        b"[" * 100_000,
        b'{"type": "payment"}',
        b'{"type": "payment", "data": []}',
        b'{"type": "payment", "data": {"id": null}}',
        b'{"type": "payment", "data": {"id": true}}',
        b'{"type": "payment", "data": {"id": "../1"}}',
        b'{"type": "payment", "data": {"id": 1.5}}',
        b'{"type": "order", "data": {"id": "1"}}',
        b'{"type": ["payment"], "data": {"id": "1"}}',
        b'{"topic": "payment", "resource": "1"}',
        b'{"type": "payment", "data": {"id": ' + b"9" * 5_000 + b"}}",
    ],
    ids=lambda body: body[:40],
)
def test_junk_yields_nothing(body: bytes) -> None:
    assert read_notices(body) == []


@given(st.binary())
def test_any_bytes_are_read_or_yield_nothing(body: bytes) -> None:
    assert isinstance(read_notices(body), list)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.decimals(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.sampled_from([*PAYMENT, "metadata", "refunds", "point_of_interaction"]), JSON)
def test_any_value_in_a_payment_is_read_or_refused(name: str, value: Any) -> None:
    try:
        charge = read_charge([{**PAYMENT, name: value}])
    except Unreadable:
        return
    assert charge.amount >= 0
