import logging
import re
import threading
from datetime import timedelta

import httpx
import pytest

from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.money import Cents
from app.payments.pix.account import ProviderAccount
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.api_pix_http import ApiPixHttp
from app.payments.pix.api_pix_profiles import PROFILES, Profile, TokenAuth
from app.payments.pix.gateway import (
    AccessDenied,
    ChargeStatus,
    GatewayError,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
)
from app.payments.pix.tokens import OwnTokens, Token
from tests.payments.scenes import (
    CLIENT,
    KEY,
    NOON,
    PRICE,
    SECRET,
    TXID,
    BankClock,
    a_charge,
    a_payment,
    an_account,
    answering,
)

EFI_REFUSAL = b'{"nome":"valor_invalido","mensagem":"CPF 12345678909"}'
ODD_REFUSAL = b'{"violacoes":[{"propriedade":"<b>12345678909</b>"},7]}'


def test_one_token_serves_many_calls(gateway: ApiPix, bank: PixBank) -> None:
    a_charge(gateway)
    for _ in range(5):
        gateway.find_charge(TXID)

    assert bank.access.issued == 1


def test_a_token_is_replaced_a_minute_before_it_ends(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    gateway.find_charge(TXID)
    bank_clock.advance(minutes=58, seconds=59)
    gateway.find_charge(TXID)
    before = bank.access.issued

    bank_clock.advance(seconds=2)
    gateway.find_charge(TXID)

    assert (before, bank.access.issued) == (1, 2)


def test_a_token_that_the_bank_forgot_is_replaced_in_the_middle_of_a_call(
    gateway: ApiPix, bank: PixBank
) -> None:
    gateway.find_charge(TXID)
    bank.access.revoke_all()

    assert a_charge(gateway).status is ChargeStatus.ACTIVE
    assert bank.access.issued == 2


def test_a_token_that_never_does_is_asked_for_once_and_no_more(
    gateway: ApiPix, bank: PixBank
) -> None:
    bank.faults.add("GET /cob", Fault.UNAUTHORIZED, times=2)

    with pytest.raises(AccessDenied):
        gateway.find_charge(TXID)
    assert bank.access.issued == 2


def test_many_threads_without_a_token_ask_for_one(gateway: ApiPix, bank: PixBank) -> None:
    threads = [threading.Thread(target=gateway.find_charge, args=[TXID]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert bank.access.issued == 1


def test_processes_that_share_a_store_share_the_token(bank: PixBank, bank_clock: BankClock) -> None:
    store = OwnTokens()
    for _ in range(2):
        gateway = ApiPix(an_account(bank), now=bank_clock.now, tokens=store)
        gateway.find_charge(TXID)
        gateway.close()

    assert bank.access.issued == 1


def test_a_wrong_secret_is_a_wrong_setting(bank: PixBank, bank_clock: BankClock) -> None:
    gateway = ApiPix(an_account(bank, client_secret="wrong"), now=bank_clock.now)

    with pytest.raises(AccessDenied, match=r"invalid_client \(401\)"):
        gateway.find_charge(TXID)
    gateway.close()


def test_a_scope_that_was_not_granted_is_a_wrong_setting(
    gateway: ApiPix, bank: PixBank, caplog: pytest.LogCaptureFixture
) -> None:
    bank.books.quirks.grants_less = True

    assert gateway.find_charge(TXID) is None
    with pytest.raises(AccessDenied, match="AcessoNegado"):
        a_charge(gateway)
    assert "granted less than asked" in caplog.text


@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.LOST])
def test_without_a_token_nothing_was_done(gateway: ApiPix, bank: PixBank, fault: Fault) -> None:
    bank.faults.add("POST /oauth/token", fault)

    with pytest.raises(ProviderDown):
        a_charge(gateway)

    assert gateway.find_charge(TXID) is None


def test_a_bank_that_is_not_there_is_down(bank_clock: BankClock) -> None:
    with PixBank(clients=(CLIENT,)) as bank:
        account = an_account(bank)
    gateway = ApiPix(account, now=bank_clock.now)

    with pytest.raises(ProviderDown, match="no connection"):
        a_charge(gateway)
    gateway.close()


def test_a_bank_that_goes_away_after_the_token_is_down_too(bank_clock: BankClock) -> None:
    with PixBank(clients=(CLIENT,), now=bank_clock.now) as bank:
        gateway = ApiPix(an_account(bank), now=bank_clock.now)
        gateway.find_charge(TXID)

    with pytest.raises(GatewayError) as met:
        a_charge(gateway)
    assert isinstance(met.value, ProviderDown | OutcomeUnknown)
    gateway.close()


def test_every_way_to_ask_for_a_token_is_understood(bank: PixBank, bank_clock: BankClock) -> None:
    for auth in (TokenAuth.BASIC, TokenAuth.BODY):
        http = ApiPixHttp(an_account(bank), Profile(token_auth=auth), now=bank_clock.now)
        assert http.read("/cob/" + TXID).is_missing
        http.close()


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"sicoob"}))
def test_the_simulator_understands_every_bank_s_profile(
    bank: PixBank, bank_clock: BankClock, profile: str
) -> None:
    account = an_account(bank, profile=profile, application_key="an application key")
    gateway = ApiPix(account, now=bank_clock.now)

    assert a_charge(gateway).status is ChargeStatus.ACTIVE
    gateway.set_webhook("https://desk.example.com/webhooks")
    assert list(gateway.list_payments(NOON, NOON)) == []
    gateway.close()


def http_of(account: ProviderAccount) -> ApiPixHttp:
    return ApiPixHttp(account, PROFILES[account.profile], now=BankClock().now)


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (
            400,
            b'{"nome":"valor_invalido","mensagem":"CPF 12345678909"}',
            Rejected,
            "valor_invalido (400)",
        ),
        (409, b'{"nome":"txid_duplicado"}', Rejected, "txid_duplicado (409)"),
        (422, b"<html>", Rejected, "http_422 (422)"),
        (400, b"null", Rejected, "http_400 (400)"),
        (
            400,
            b'{"violacoes":[{"propriedade":"<b>12345678909</b>"},7]}',
            Rejected,
            "http_400 (400)",
        ),
        (302, b"", Rejected, "http_302 (302)"),
        (401, b"", AccessDenied, "http_401 (401)"),
        (403, b"[]", AccessDenied, "http_403 (403)"),
        (408, b"", OutcomeUnknown, "http_408"),
        (500, b"", OutcomeUnknown, "http_500"),
        (502, b"<html>", OutcomeUnknown, "http_502"),
        (504, b"{}", OutcomeUnknown, "http_504"),
        (429, b"", ProviderDown, "http_429"),
        (503, b"", ProviderDown, "http_503"),
    ],
)
def test_refusals_and_failures_are_told_apart_without_repeating_their_text(
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    body: bytes,
    kind: type[GatewayError],
    text: str,
) -> None:
    http = http_of(answering(lambda _: httpx.Response(status, content=body), monkeypatch))

    with pytest.raises(kind) as met:
        http.write("PUT", "/cob/x", {})

    assert type(met.value) is kind
    assert str(met.value) == text


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx.ConnectError("refused"), ProviderDown),
        (httpx.ConnectTimeout("slow"), ProviderDown),
        (httpx.PoolTimeout("busy"), ProviderDown),
        (httpx.WriteTimeout("slow"), OutcomeUnknown),
        (httpx.WriteError("broken"), OutcomeUnknown),
        (httpx.ReadTimeout("slow"), OutcomeUnknown),
        (httpx.ReadError("reset"), OutcomeUnknown),
        (httpx.RemoteProtocolError("half"), OutcomeUnknown),
        (httpx.DecodingError("gzip"), OutcomeUnknown),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.__name__,
)
def test_what_was_sent_is_in_doubt_and_what_was_not_is_not(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, kind: type[GatewayError]
) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise failure

    http = http_of(answering(fail, monkeypatch))

    with pytest.raises(kind):
        http.write("PUT", "/cob/x", {})
    with pytest.raises(ProviderDown):
        http.read("/cob/x")


def test_an_application_key_goes_with_every_call_and_into_no_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def note(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.params.get("gw-dev-app-key"))
        return httpx.Response(400)

    account = answering(note, monkeypatch, profile="banco_do_brasil", application_key="app-secret")
    http = http_of(account)

    with pytest.raises(Rejected) as met:
        http.read("/cob/x")
    assert seen == ["app-secret"]
    assert "app-secret" not in repr(met.value)


def test_no_secret_and_no_document_in_any_log_or_error(
    gateway: ApiPix, bank: PixBank, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    e2e = a_payment(gateway, bank)
    gateway.set_webhook("https://desk.example.com/the-webhook-secret")
    texts = []
    for call, fault in (
        ("PUT", Fault.LOST),
        ("PUT", Fault.BROKEN),
        ("PATCH", Fault.HTML),
        ("GET", Fault.JUNK),
        ("GET", Fault.UNAUTHORIZED),
        ("GET", Fault.CUT),
        ("POST", Fault.DOWN),
    ):
        bank.faults.add(call, fault, times=2)
        for ask in (
            lambda: gateway.find_charge(TXID),
            lambda: gateway.remove_charge(TXID),
            lambda: gateway.find_webhook(),
            lambda: gateway.set_webhook("https://desk.example.com/the-webhook-secret"),
            lambda: gateway.refund(e2e, "r1", Cents(1)),
            lambda: gateway.refund(e2e, "r2", PRICE),
        ):
            try:
                ask()
            except GatewayError as failure:
                texts.append(f"{failure!r} {failure.__cause__!r} {failure.__dict__}")
        bank.faults.clear()
    token = gateway._http._tokens.find("main")
    assert token is not None

    written = caplog.text + " ".join(texts) + repr(token) + repr(an_account(bank))

    assert texts != []
    for secret in (SECRET, KEY, token.value, "the-webhook-secret", CLIENT.client_id):
        assert secret not in written
    assert not re.search(r"[Bb]earer|[Bb]asic [A-Za-z0-9+/=]{8}", written)


def test_a_token_s_life_may_be_a_text_missing_or_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    http = http_of(answering(lambda _: httpx.Response(404, json={}), monkeypatch))
    http.read("/cob/x")

    token = http._tokens.find("main")

    assert token == Token("t", NOON + timedelta(minutes=4))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (httpx.Response(400, json={"error": "invalid_scope"}), AccessDenied),
        (httpx.Response(404, json={}), AccessDenied),
        (httpx.Response(200, json={"access_token": ""}), AccessDenied),
        (httpx.Response(200, content=b"<html>"), AccessDenied),
        (httpx.Response(503), ProviderDown),
        (httpx.Response(500), ProviderDown),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else str(value.status_code),
)
def test_a_token_that_does_not_come_is_a_wrong_setting_or_a_closed_bank(
    monkeypatch: pytest.MonkeyPatch, answer: httpx.Response, kind: type[GatewayError]
) -> None:
    account = answering(lambda _: answer, monkeypatch, token_url="https://bank.example.com/oauth")

    with pytest.raises(kind):
        http_of(account).read("/cob/x")
