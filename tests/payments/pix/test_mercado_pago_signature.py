"""The vector was accepted by Mercado Pago's own SDK 3.6.0 (design/pix.md section 9)."""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

from app.payments.pix.mercado_pago import MercadoPago
from app.payments.pix.mercado_pago_signature import TOLERANCE, is_signed
from tests.payments.mercado_pago import SIGNATURE_SECRET
from tests.payments.scenes import NOON

REQUEST = "bb56a2f1-6aae-46ac-982e-9dcd3581d08e"
TIME = 1_742_505_638
V1 = "41d4298b5dc8b11a013f9395d1002b9c3d1ef68ad0aec23043205d21c2fc7fec"
THEN = datetime.fromtimestamp(TIME, UTC)
MESSAGE = {"x-signature": f"ts={TIME},v1={V1}", "x-request-id": REQUEST}
QUERY = {"data.id": "123456", "type": "payment"}


def sign(text: str) -> str:
    return hmac.new(SIGNATURE_SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()


def is_ours(
    headers: dict[str, str],
    query: dict[str, str] = QUERY,
    now: datetime = THEN,
    secret: str = SIGNATURE_SECRET,
) -> bool:
    return is_signed(secret=secret, query=query, headers=headers, now=now)


def test_the_message_of_the_vector_is_signed() -> None:
    assert is_ours(MESSAGE)


@pytest.mark.parametrize(
    "signature",
    [
        f" ts = {TIME} , v1 = {V1} ",
        f"v1={V1},ts={TIME}",
        f"ts={TIME},v1={V1},v2=x",
        f"TS={TIME},V1={V1}",
    ],
)
def test_spaces_order_and_other_parts_do_not_matter(signature: str) -> None:
    assert is_ours({**MESSAGE, "x-signature": signature})


def test_names_of_headers_are_looked_up_in_any_case() -> None:
    assert is_ours({"X-Signature": MESSAGE["x-signature"], "X-REQUEST-ID": REQUEST})


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "garbage",
        ",",
        "=",
        f"ts={TIME}",
        f"v1={V1}",
        f"ts={TIME},v1=",
        f"ts=,v1={V1}",
        f"ts=x,v1={V1}",
        f"ts=-{TIME},v1={V1}",
        "ts=" + "9" * 400 + f",v1={V1}",
        f"ts=１７４２５０５６３８,v1={V1}",
        f"ts={TIME},v1={V1.upper()}",
        f"ts={TIME},v1={V1[:-1]}",
        f"ts={TIME},v1={'0' * 64}",
        f"ts={TIME},v1=é",
        f"ts={TIME},v1=\ud800",
        f"ts={TIME + 1},v1={V1}",
        f"ts={TIME},v2={V1}",
    ],
)
def test_anything_else_is_refused(signature: str) -> None:
    assert not is_ours({**MESSAGE, "x-signature": signature})


def test_a_message_without_a_signature_or_about_something_else_is_refused() -> None:
    assert not is_ours({})
    assert not is_ours({"x-request-id": REQUEST})
    assert not is_ours(MESSAGE, {"data.id": "123457"})
    assert not is_ours(MESSAGE, {})
    assert not is_ours(MESSAGE, {"data.id": "\ud800"})
    assert not is_ours({**MESSAGE, "x-request-id": "another"})
    assert not is_ours(MESSAGE, secret="another")
    assert not is_ours({**MESSAGE, "x-signature": f"ts={TIME},v1={sign('')}"}, secret="")


def test_what_is_missing_is_left_out_of_what_is_signed() -> None:
    nobody = {"x-signature": f"ts={TIME},v1={sign(f'id:123456;ts:{TIME};')}"}
    nothing = {**MESSAGE, "x-signature": f"ts={TIME},v1={sign(f'request-id:{REQUEST};ts:{TIME};')}"}

    assert is_ours(nobody)
    assert is_ours({**nobody, "x-request-id": " "})
    assert is_ours(nothing, {})
    assert is_ours(nothing, {"data.id": ""})


def test_the_case_of_an_id_is_kept() -> None:
    upper = sign(f"id:ORD01;request-id:{REQUEST};ts:{TIME};")

    assert is_ours({**MESSAGE, "x-signature": f"ts={TIME},v1={upper}"}, {"data.id": "ORD01"})


@pytest.mark.parametrize("factor", [1, 1_000])
def test_a_message_may_be_a_day_old_or_early_in_seconds_or_milliseconds(factor: int) -> None:
    time = TIME * factor
    message = {"x-signature": f"ts={time},v1={sign(f'id:123456;ts:{time};')}"}

    for away in (-TOLERANCE, timedelta(0), TOLERANCE):
        assert is_ours(message, now=THEN + away)
    for away in (-TOLERANCE, TOLERANCE):
        assert not is_ours(message, now=THEN + away * 1.001)


def test_the_gateway_knows_its_own_provider_s_messages(mp: MercadoPago) -> None:
    time = int(NOON.timestamp() * 1_000)
    signed = sign(f"id:123456;request-id:{REQUEST};ts:{time};")
    headers = {"X-Signature": f"ts={time},v1={signed}", "X-Request-Id": REQUEST}

    assert mp.is_genuine(query=QUERY, headers=headers)
    assert not mp.is_genuine(query=QUERY, headers={})
    assert not mp.is_genuine(query={"topic": "payment", "id": "123456"}, headers=headers)
