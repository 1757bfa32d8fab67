"""The bank by itself: what it promises to whoever speaks the API Pix to it, and to its page."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from openapi_schema_validator import OAS30Validator

from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.devservices.pix_bank.wire import Client
from app.money import Cents
from app.payments.pix.brcode import parse
from tests.conftest import ROOT
from tests.payments.scenes import (
    BODY,
    CLIENT,
    NOON,
    TXID,
    WEBHOOK,
    BankClock,
    Inbox,
    an_inbox,
    enter,
)

OFFICIAL = ROOT.parent / "shared" / "pix" / "api-pix-openapi-2.9.0.yaml"
OTHER = Client(client_id="other", client_secret="also", key="another-key")


@pytest.fixture
def clock() -> BankClock:
    return BankClock()


@pytest.fixture
def bank(clock: BankClock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT, OTHER), now=clock.now) as bank:
        yield bank


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with an_inbox() as inbox:
        yield inbox


@pytest.fixture
def api(bank: PixBank) -> Iterator[httpx.Client]:
    with enter(bank) as api:
        yield api


@pytest.fixture(scope="module")
def official() -> dict[str, Any]:
    if not OFFICIAL.exists():
        pytest.skip("the Banco Central's file is not beside this checkout")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(OFFICIAL.read_text(encoding="utf-8"), Loader=loader)
    return document


def schema_of(official: dict[str, Any], call: str, status: int) -> dict[str, Any] | None:
    """What the file says that a call answers; references inside of it stay references."""
    method, _, path = call.partition(" ")
    answer = official["paths"][path][method.lower()]["responses"][str(status)]
    while "$ref" in answer:
        answer = official["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    content = answer.get("content")
    return next(iter(content.values()))["schema"] if content else None


def test_every_answer_is_as_the_official_file_says(
    bank: PixBank, api: httpx.Client, official: dict[str, Any], inbox: Inbox
) -> None:
    def check(call: str, answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, answer.text
        schema = schema_of(official, call, status)
        if schema is None:
            assert answer.content == b""
            return None
        rooted = {**schema, "components": official["components"]}
        errors = [error.message for error in OAS30Validator(rooted).iter_errors(answer.json())]
        assert errors == [], call
        kind = "application/problem+json" if status >= 400 else "application/json"
        assert answer.headers["content-type"] == kind
        return answer.json()

    span = {"inicio": "2026-01-01T00:00:00Z", "fim": "2026-12-31T00:00:00Z"}
    full = {**BODY, "solicitacaoPagador": "Seña", "infoAdicionais": [{"nome": "n", "valor": "v"}]}

    check("PUT /cob/{txid}", api.put(f"/cob/{TXID}", json=full), 201)
    check("PUT /cob/{txid}", api.put(f"/cob/{TXID}", json={}), 400)
    check("GET /cob/{txid}", api.get(f"/cob/{TXID}"), 200)
    check("GET /cob/{txid}", api.get("/cob/" + "x" * 30), 404)
    check("PATCH /cob/{txid}", api.patch(f"/cob/{TXID}", json=BODY), 200)
    check("GET /cob/{txid}", api.get(f"/cob/{TXID}", params={"revisao": 0}), 200)
    check("PUT /webhook/{chave}", api.put(WEBHOOK, json={"webhookUrl": inbox.url}), 200)
    check("GET /webhook/{chave}", api.get(WEBHOOK), 200)
    check("GET /webhook", api.get("/webhook"), 200)
    e2e = bank.books.pay(CLIENT, TXID, note="Oi")["endToEndId"]
    check("GET /cob/{txid}", api.get(f"/cob/{TXID}"), 200)
    check("PATCH /cob/{txid}", api.patch(f"/cob/{TXID}", json=BODY), 400)
    check("GET /cob", api.get("/cob", params=span), 200)
    check("GET /pix/{e2eid}", api.get(f"/pix/{e2e}"), 200)
    check("GET /pix/{e2eid}", api.get("/pix/" + "E" * 32), 404)
    refund = "/pix/{e2eid}/devolucao/{id}"
    check(f"PUT {refund}", api.put(f"/pix/{e2e}/devolucao/r1", json={"valor": "1.00"}), 201)
    check(f"PUT {refund}", api.put(f"/pix/{e2e}/devolucao/r2", json={"valor": "50.00"}), 400)
    check(f"GET {refund}", api.get(f"/pix/{e2e}/devolucao/r1"), 200)
    bank.tick()
    check(f"GET {refund}", api.get(f"/pix/{e2e}/devolucao/r1"), 200)
    bank.refunds.take_back(CLIENT, e2e, Cents(100))
    check("GET /pix", api.get("/pix", params=span), 200)
    bank.faults.add("GET /cob", Fault.DOWN)
    check("GET /cob/{txid}", api.get(f"/cob/{TXID}"), 503)
    bank.faults.add("GET /cob", Fault.FORBIDDEN)
    check("GET /cob/{txid}", api.get(f"/cob/{TXID}"), 403)
    check("DELETE /webhook/{chave}", api.delete(WEBHOOK), 204)
    check("DELETE /webhook/{chave}", api.delete(WEBHOOK), 404)


def test_every_notice_is_as_the_official_file_says(
    bank: PixBank, api: httpx.Client, official: dict[str, Any], inbox: Inbox
) -> None:
    api.put(WEBHOOK, json={"webhookUrl": inbox.url})
    api.put(f"/cob/{TXID}", json=BODY)
    pix = bank.books.pay(CLIENT, TXID)
    bank.notices.tell(pix)
    bank.refunds.take_back(CLIENT, pix["endToEndId"], Cents(100))
    bank.tick()

    body = official["components"]["requestBodies"]["WebhookPixBody"]
    schema = {
        **body["content"]["application/json"]["schema"],
        "components": official["components"],
    }
    assert len(inbox.bodies) == 2
    for told in inbox.bodies:
        assert list(OAS30Validator(schema).iter_errors(json.loads(told))) == []
    assert json.loads(inbox.bodies[1])["pix"][0]["devolucoes"][0]["status"] == "DEVOLVIDO"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"calendario": {"expiracao": 0}}, "cob.calendario.expiracao"),
        ({"calendario": None}, "cob.calendario.expiracao"),
        ({"valor": {"original": "0.00"}}, "cob.valor.original"),
        ({"valor": {"original": "10,00"}}, "cob.valor.original"),
        ({"valor": {"original": 10.0}}, "cob.valor.original"),
        ({"chave": "another-key"}, "cob.chave"),
        ({"chave": "k" * 78}, "cob.chave"),
        ({"solicitacaoPagador": "x" * 141}, "cob.solicitacaoPagador"),
        ({"infoAdicionais": [{"nome": "n"}]}, "cob.infoAdicionais"),
        ({"devedor": {"nome": "Fulano", "cpf": "1"}}, "cob.devedor"),
        ({"devedor": {"nome": "Fulano"}}, "cob.devedor"),
    ],
    ids=str,
)
def test_a_charge_that_breaks_the_rules_is_refused_by_name(
    api: httpx.Client, change: dict[str, Any], named: str
) -> None:
    answer = api.put(f"/cob/{TXID}", json={**BODY, **change})

    assert answer.status_code == 400
    assert [each["propriedade"] for each in answer.json()["violacoes"]] == [named]


@pytest.mark.parametrize(
    ("refund", "body"),
    [
        ("a-b", {"valor": "1.00"}),
        ("r1", {"valor": "0.00"}),
        ("r1", {"valor": 1.0}),
        ("r1", {}),
        ("r1", {"valor": "1.00", "descricao": "x" * 141}),
    ],
    ids=str,
)
def test_a_refund_that_breaks_the_rules_is_refused(
    bank: PixBank, api: httpx.Client, refund: str, body: dict[str, Any]
) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)
    e2e = bank.books.pay(CLIENT, TXID)["endToEndId"]

    answer = api.put(f"/pix/{e2e}/devolucao/{refund}", json=body)

    assert answer.status_code == 400
    assert answer.json()["title"] == "PixDevolucaoInvalida"
    assert "devolucoes" not in api.get(f"/pix/{e2e}").json()


def test_the_list_is_filtered_and_cut_into_pages_as_asked(bank: PixBank, api: httpx.Client) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)
    ids = [
        bank.books.pay(CLIENT, TXID, is_forced=True, tells_txid=number > 0)["endToEndId"]
        for number in range(3)
    ]
    bank.refunds.take_back(CLIENT, ids[2], Cents(1))
    span = {"inicio": "2026-03-10T15:00:00Z", "fim": "2026-03-10T15:00:00Z"}

    def found(**query: str) -> list[int]:
        document = api.get("/pix", params={**span, **query}).json()
        return [ids.index(pix["endToEndId"]) for pix in document["pix"]]

    page = {"paginacao.itensPorPagina": "2"}
    assert found() == [0, 1, 2]
    assert found(**page) == [0, 1]
    assert found(**page, **{"paginacao.paginaAtual": "1"}) == [2]
    assert found(**page, **{"paginacao.paginaAtual": "2"}) == []
    assert found(txIdPresente="true") == [1, 2]
    assert found(txIdPresente="false") == [0]
    assert found(devolucaoPresente="true") == [2]
    assert api.get("/pix", params={**span, "paginacao.itensPorPagina": "1001"}).status_code == 400


def test_a_body_that_is_no_object_and_a_path_that_is_none_get_a_problem(api: httpx.Client) -> None:
    for answer in (
        api.put(f"/cob/{TXID}", content=b"[]"),
        api.put(f"/cob/{TXID}", content=b"\xff"),
        api.put(f"/cob/{TXID}", content=b"x" * 70_000),
        api.put("/cob/short", json=BODY),
        api.get("/nowhere"),
        api.get("/pix"),
        api.get("/pix", params={"inicio": "ontem", "fim": "2026-01-01T00:00:00Z"}),
        api.get("/pix", params={"inicio": "2026-01-02T00:00:00Z", "fim": "2026-01-01T00:00:00Z"}),
        api.get(f"/cob/{TXID}", params={"revisao": "-1"}),
    ):
        assert 400 <= answer.status_code < 500
        assert answer.json()["type"].startswith("https://pix.bcb.gov.br/api/v2/error/")


def test_nobody_calls_without_a_token_or_after_its_end(
    bank: PixBank, api: httpx.Client, clock: BankClock
) -> None:
    assert httpx.get(f"{bank.base_url}/cob/{TXID}", trust_env=False).status_code == 401
    assert api.get(f"/cob/{TXID}").status_code == 404

    clock.advance(hours=1)

    assert api.get(f"/cob/{TXID}").status_code == 401


def test_one_client_never_sees_what_is_another_s(bank: PixBank, api: httpx.Client) -> None:
    api.put(f"/cob/{TXID}", json=BODY)
    e2e = bank.books.pay(CLIENT, TXID)["endToEndId"]

    with enter(bank, OTHER) as other:
        for path in (f"/cob/{TXID}", f"/pix/{e2e}", WEBHOOK):
            assert other.get(path).status_code == 404
        mine = other.put(f"/cob/{TXID}", json={**BODY, "chave": OTHER.key})

    assert mine.status_code == 201
    assert api.get(f"/cob/{TXID}").json()["status"] == "CONCLUIDA"


def test_putting_a_charge_again_is_a_new_revision_and_removal_ends_it(
    api: httpx.Client,
) -> None:
    first = api.put(f"/cob/{TXID}", json=BODY).json()
    second = api.put(f"/cob/{TXID}", json={**BODY, "valor": {"original": "60.00"}}).json()
    mixed = api.patch(f"/cob/{TXID}", json={"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR", **BODY})
    removed = api.patch(f"/cob/{TXID}", json={"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}).json()

    assert (first["revisao"], second["revisao"], removed["revisao"]) == (0, 1, 2)
    assert mixed.status_code == 400
    assert removed["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert api.put(f"/cob/{TXID}", json=BODY).status_code == 400
    old = api.get(f"/cob/{TXID}", params={"revisao": 0}).json()
    assert old["valor"]["original"] == "50.00"


def test_a_code_can_be_paid_nowhere_and_says_so(api: httpx.Client) -> None:
    charge = api.put(f"/cob/{TXID}", json=BODY).json()

    code = parse(charge["pixCopiaECola"])

    assert code.location == charge["location"]
    assert charge["location"].startswith("pix.example.com/")
    assert code.merchant_name == "SIMULADO NO PAGAR"


def test_the_same_story_gives_the_same_ids(clock: BankClock) -> None:
    def story() -> list[str]:
        with PixBank(clients=(CLIENT,), now=clock.now) as bank:
            charge = bank.books.put_charge(CLIENT, TXID, BODY)
            return [charge["location"], bank.books.pay(CLIENT, TXID)["endToEndId"]]

    assert story() == story()


def test_a_restarted_bank_remembers_everything(tmp_path: Path, clock: BankClock) -> None:
    with PixBank(clients=(CLIENT,), folder=tmp_path, now=clock.now) as bank:
        bank.books.set_webhook(CLIENT, CLIENT.key, "https://desk.example.com/x")
        bank.books.put_charge(CLIENT, TXID, BODY)
        pix = bank.books.pay(CLIENT, TXID)
        bank.notices.tell(pix, delay=timedelta(minutes=5))
        bank.refunds.ask(CLIENT, pix["endToEndId"], "r1", {"valor": "50.00"})
    with (tmp_path / "bank.jsonl").open("a") as file:
        file.write('["charge", "half a li')

    with PixBank(clients=(CLIENT,), folder=tmp_path, now=clock.now) as bank:
        assert bank.books.charge(CLIENT, TXID)["status"] == "CONCLUIDA"
        assert bank.books.webhook(CLIENT, CLIENT.key)["webhookUrl"] == "https://desk.example.com/x"
        assert len(bank.notices.list_waiting()) == 1
        assert bank.refunds.settle_due() == 1
        assert len(bank.notices.list_waiting()) == 2


def test_many_at_once_make_one_charge_each_and_pay_it_once(bank: PixBank) -> None:
    txids = [f"{number:032d}" for number in range(24)]
    paid: list[str] = []

    def live(txid: str) -> None:
        bank.books.put_charge(CLIENT, txid, BODY)
        paid.append(bank.books.pay(CLIENT, txid)["endToEndId"])

    threads = [threading.Thread(target=live, args=[txid]) for txid in txids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(paid)) == len(txids)
    assert [len(bank.books.payments_of(CLIENT, txid)) for txid in txids] == [1] * len(txids)


@pytest.mark.parametrize(
    ("fault", "is_done"),
    [
        (Fault.CUT, False),
        (Fault.LOST, True),
    ],
)
def test_a_connection_can_end_before_or_after_the_work(
    bank: PixBank, api: httpx.Client, fault: Fault, is_done: bool
) -> None:
    bank.faults.add("PUT /cob", fault)

    with pytest.raises(httpx.TransportError):
        api.put(f"/cob/{TXID}", json=BODY)

    assert (api.get(f"/cob/{TXID}").status_code == 200) is is_done


def test_a_slow_call_works_in_the_end_and_a_closing_bank_waits_for_none(
    clock: BankClock,
) -> None:
    with PixBank(clients=(CLIENT,), now=clock.now) as bank, enter(bank) as api:
        bank.faults.add("PUT /cob", Fault.SLOW, seconds=0.2)
        assert api.put(f"/cob/{TXID}", json=BODY).status_code == 201
        assert clock.now() == NOON
        bank.faults.add("GET /cob", Fault.SLOW, seconds=60)
        failures: list[Exception] = []
        caller = threading.Thread(target=attempt, args=[api, failures])
        caller.start()
    caller.join(timeout=10)

    assert not caller.is_alive()


def attempt(api: httpx.Client, failures: list[Exception]) -> None:
    try:
        api.get(f"/cob/{TXID}")
    except (httpx.HTTPError, RuntimeError) as failure:
        failures.append(failure)


def test_it_runs_alone_until_it_is_told_to_stop(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "app.devservices.pix_bank", "--data", str(folder / "bank")]

    def start() -> subprocess.Popen[str]:
        words = [*command, "--port", str(port)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(words, cwd=ROOT, text=True, **pipes)

    with start() as process:
        assert process.stdout is not None
        assert f"http://127.0.0.1:{port}" in process.stdout.readline()
        assert "Banco simulado" in httpx.get(f"http://127.0.0.1:{port}").text
        with start() as second:
            _, sentence = second.communicate(timeout=20)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)

    assert second.returncode == 1
    assert f"Port {port} is taken" in sentence
    assert process.returncode == 0
