import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.money import Cents
from app.payments.pix.api_pix_reading import (
    read_amount,
    read_charge,
    read_instant,
    read_notices,
    read_payment,
    read_payments,
    read_refund,
)
from app.payments.pix.brcode import parse
from app.payments.pix.gateway import ChargeState, ChargeStatus, Notice, RefundStatus, Unreadable

BODIES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())[
    "webhook_bodies"
]
E2E = "E12345678202009091221kkkkkkkkkkk"
TXID = "c3e0e7a4e7f1469a9f782d3d4999343c"
LOCATION = "pix.example.com/qr/v2/2353c790eefb11eaadc10242ac120002"
CREATED = datetime(2020, 9, 9, 20, 15, 0, 358000, tzinfo=UTC)

CHARGE: dict[str, Any] = {
    "calendario": {"criacao": "2020-09-09T20:15:00.358Z", "expiracao": 3600},
    "txid": TXID,
    "revisao": 0,
    "status": "ATIVA",
    "valor": {"original": "100.00"},
    "chave": "a key",
    "location": LOCATION,
}
PIX: dict[str, Any] = {
    "endToEndId": E2E,
    "txid": TXID,
    "valor": "110.00",
    "horario": "2020-09-09T20:15:00.358Z",
    "infoPagador": "0123456789",
}
REFUND: dict[str, Any] = {
    "id": "123ABC",
    "rtrId": "D12345678202009091221abcdf098765",
    "valor": "10.00",
    "horario": {"solicitacao": "2020-09-09T20:15:00.358Z"},
    "status": "EM_PROCESSAMENTO",
}

repeatable = settings(derandomize=True, database=None, deadline=None)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def charge(**changes: Any) -> ChargeState:
    return read_charge(
        {**CHARGE, **changes},
        copy_paste_fields=("pixCopiaECola", "textoImagemQRcode"),
        merchant_name="Firme",
        merchant_city="Recife",
    )


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("0.01", 1),
        ("0.10", 10),
        ("1.15", 115),
        ("10.00", 1_000),
        ("9999999999.99", 999_999_999_999),
    ],
)
def test_an_amount_is_read_to_the_cent(text: str, cents: int) -> None:
    assert read_amount(text) == cents


@pytest.mark.parametrize(
    "value",
    [
        "10,00",
        "1.000,00",
        " 10.00",
        "10.00\n",
        "10.00 ",
        "１０.00",
        "10",
        "10.0",
        "10.000",
        "-1.00",
        "+1.00",
        "12345678901.00",
        ".00",
        "",
        10.0,
        10,
        True,
        None,
        ["10.00"],
    ],
    ids=repr,
)
def test_an_amount_in_any_other_form_is_refused(value: object) -> None:
    with pytest.raises(Unreadable):
        read_amount(value)


@pytest.mark.parametrize(
    "text",
    [
        "2020-09-09T20:15:00.358Z",
        "2020-09-09T17:15:00.358-03:00",
        "2020-09-10T01:45:00.358+05:30",
        "2020-09-09T20:15:00.358000000Z",
    ],
)
def test_instants_of_any_offset_are_the_same_instant(text: str) -> None:
    assert read_instant(text) == CREATED


@pytest.mark.parametrize(
    "value",
    ["2020-09-09T20:15:00", "2020-09-09", "ontem", "", None, 1599682500, "0001-01-01T00:00:00+14"],
    ids=repr,
)
def test_an_instant_without_an_offset_is_no_instant(value: object) -> None:
    with pytest.raises(Unreadable):
        read_instant(value)


def test_a_code_that_the_bank_leaves_out_is_made_from_its_location() -> None:
    made = charge().copy_paste

    assert made is not None
    assert (parse(made).location, parse(made).merchant_name) == (LOCATION, "FIRME")
    assert charge(location=None, loc={"location": f"https://{LOCATION}"}).copy_paste == made
    assert charge(location=None).copy_paste is None
    assert charge(location="https://", loc=[]).copy_paste is None


def test_the_bank_s_own_code_is_kept_as_it_is_unless_no_bank_would_pay_it() -> None:
    made = charge().copy_paste
    assert made is not None
    lower = made[:-4] + made[-4:].lower()

    assert charge(location=None, pixCopiaECola=lower).copy_paste == lower
    assert charge(location=None, textoImagemQRcode=made).copy_paste == made
    assert charge(pixCopiaECola=made[:-1] + "Z").copy_paste == made
    assert charge(location=None, pixCopiaECola="6304").copy_paste is None


def test_an_amount_mismatch_of_the_spec_s_own_example_is_kept_visible() -> None:
    read = charge(status="CONCLUIDA", pix=[{**PIX}])

    assert (read.amount, read.payments[0].amount) == (Cents(10_000), Cents(11_000))


@pytest.mark.parametrize(
    ("expiry", "seconds"), [(3600, 3600), ("3600", 3600), (None, 86_400), (10**9, 10**9)]
)
def test_an_expiry_may_be_a_number_a_text_or_missing(expiry: object, seconds: int) -> None:
    calendar = {"criacao": CHARGE["calendario"]["criacao"], "expiracao": expiry}

    assert charge(calendario=calendar).expires_at == CREATED + timedelta(seconds=seconds)


def test_an_expiry_beyond_all_calendars_is_as_late_as_can_be() -> None:
    calendar = {"criacao": CHARGE["calendario"]["criacao"], "expiracao": 9_999_999_999}

    assert charge(calendario={**calendar, "expiracao": "9" * 10}).expires_at.year > 2300
    late = {"criacao": "9999-12-31T00:00:00Z", "expiracao": 9_999_999_999}
    assert charge(calendario=late).expires_at.year == 9999


@pytest.mark.parametrize("expiry", ["soon", -1, True, 1.5, [], "１"], ids=repr)
def test_an_expiry_that_is_no_number_is_refused(expiry: object) -> None:
    with pytest.raises(Unreadable):
        charge(calendario={"criacao": CHARGE["calendario"]["criacao"], "expiracao": expiry})


@pytest.mark.parametrize("status", ["EM_ANALISE", "", None, 3, ["ATIVA"]], ids=repr)
def test_a_status_of_a_later_release_is_unknown_and_breaks_nothing(status: object) -> None:
    assert charge(status=status).status is ChargeStatus.UNKNOWN
    assert read_refund({**REFUND, "status": status}).status is RefundStatus.UNKNOWN


def test_new_fields_are_ignored() -> None:
    assert charge(novidade={"a": [1]}, valor={"original": "100.00", "b": 1}) == charge()


@pytest.mark.parametrize(
    "change",
    [{"valor": {}}, {"valor": "100.00"}, {"calendario": None}, {"txid": "x y"}, {"txid": 7}],
    ids=str,
)
def test_a_charge_without_what_decides_about_money_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        charge(**change)


def test_refunds_may_be_one_thing_where_a_list_belongs() -> None:
    [alone] = read_payment({**PIX, "devolucoes": REFUND}).refunds
    [listed] = read_payment({**PIX, "devolucoes": [REFUND]}).refunds

    assert alone == listed
    assert (alone.amount, alone.status, alone.settled_at) == (
        Cents(1_000),
        RefundStatus.PENDING,
        None,
    )


def test_a_refund_s_odd_time_keeps_nothing_from_being_read() -> None:
    odd = {**REFUND, "horario": {"solicitacao": "ontem"}, "rtrId": None, "motivo": 12}

    read = read_refund(odd)

    assert (read.requested_at, read.return_id, read.reason) == (None, None, "12")


@pytest.mark.parametrize("nature", ["MED_OPERACIONAL", "MED_FRAUDE", "MED_PIX_AUTOMATICO"])
def test_what_the_bank_took_back_is_told_apart(nature: str) -> None:
    assert not read_refund({**REFUND, "natureza": nature}).is_ours
    assert read_refund({**REFUND, "natureza": "ORIGINAL"}).is_ours
    assert read_refund(REFUND).is_ours


def test_ids_of_34_characters_and_numbers_as_notes_are_taken_as_they_come() -> None:
    read = read_payment({**PIX, "endToEndId": E2E + "00", "infoPagador": 123456789})

    assert (read.end_to_end_id, read.payer_note) == (E2E + "00", "123456789")


def test_a_note_holds_nothing_that_a_database_cannot_take() -> None:
    read = read_payment({**PIX, "infoPagador": "a\x00b\ud83dc\n" + "d" * 200, "txid": "***"})

    assert read.payer_note == "abc" + "d" * 137
    assert read.txid is None


def test_one_unreadable_payment_hides_no_other() -> None:
    payments = read_payments([{**PIX, "valor": "110,00"}, PIX, "junk"])

    assert next(payments).end_to_end_id == E2E
    with pytest.raises(Unreadable, match="1 payments"):
        next(payments)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("two", [E2E, "E87654321202009091221dfghi123456"]),
        ("devolucoes_object", [E2E]),
        ("outgoing_efi", []),
        ("test_ping", []),
        ("no_list", []),
        ("empty", []),
        ("no_txid", ["E12345678202009091221abcdef12345"]),
    ],
)
def test_notices_of_every_known_kind_are_read(name: str, ids: list[str]) -> None:
    notices = read_notices(json.dumps(BODIES[name]).encode())

    assert [notice.end_to_end_id for notice in notices] == ids


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"null", b"[]", b'"pix"', b"{", b'{"pix":7}', b'{"pix":[7,null,{},[]]}'],
)
def test_junk_is_no_notice_and_no_fault(body: bytes) -> None:
    assert read_notices(body) == []


def test_junk_hides_no_notice() -> None:
    body = {"pix": ["junk", {"endToEndId": 7}, {"txid": TXID, "chave": "k"}, {"valor": "1.00"}]}

    assert read_notices(json.dumps(body).encode()) == [Notice(txid=TXID, key="k")]


def test_a_body_deep_enough_to_break_a_parser_is_junk() -> None:
    assert read_notices(b'{"pix":' + b"[" * 100_000) == []


@settings(repeatable, max_examples=200)
@given(json_like, st.sampled_from(sorted({*CHARGE, "pix", "loc", "pixCopiaECola"})))
def test_any_value_in_any_place_is_read_or_refused(value: Any, name: str) -> None:
    try:
        charge(**{name: value})
    except Unreadable:
        return


@settings(repeatable, max_examples=200)
@given(json_like, st.sampled_from([*PIX, "chave", "devolucoes"]))
def test_any_value_in_a_payment_is_read_or_refused(value: Any, name: str) -> None:
    assert isinstance(read_notices(json.dumps({"pix": [{**PIX, name: value}]}).encode()), list)
    try:
        read_payment({**PIX, name: value})
    except Unreadable:
        return
