"""Somebody else's client of the API Pix (PyPI: pypix-api) at our simulator, over mTLS."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.base import BankPixAPIBase
from pypix_api.exceptions import PixRecursoNaoEncontradoException

from app.devservices.pix_bank.server import PixBank, Tls
from app.payments.pix.brcode import parse
from tests.payments.scenes import BODY, CLIENT, KEY, SECRET, TXID, BankClock


def their_bank(bank: PixBank, papers: Path) -> BankPixAPIBase:
    class Ours(BankPixAPIBase):
        BASE_URL = bank.tls_base_url
        TOKEN_URL = f"{bank.tls_base_url}/oauth/token"

        def get_bank_code(self) -> str:
            return "000"

        def get_base_url(self) -> str:
            return self.BASE_URL

    client = OAuth2Client(
        Ours.TOKEN_URL,
        client_id=CLIENT.client_id,
        client_secret=SECRET,
        cert=str(papers / "client.pem"),
        pvk=str(papers / "client.key"),
    )
    scopes = "cob.read cob.write pix.read pix.write webhook.read webhook.write"
    return Ours(client, scopes=scopes)


@pytest.fixture
def tls_bank(papers: Path, bank_clock: BankClock) -> Any:
    tls = Tls(papers / "bank.pem", papers / "bank.key", papers / "authority.pem")
    with PixBank(clients=(CLIENT,), now=bank_clock.now, tls=tls) as bank:
        yield bank


def test_it_charges_is_paid_and_gives_back(
    tls_bank: PixBank, papers: Path, bank_clock: BankClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(papers / "authority.pem"))
    theirs = their_bank(tls_bank, papers)

    charge = theirs.criar_cob(TXID, BODY)
    assert (charge["status"], charge["valor"]["original"]) == ("ATIVA", "50.00")
    assert parse(charge["pixCopiaECola"]).location == charge["location"]
    paid = tls_bank.books.pay(CLIENT, TXID)
    name = paid["endToEndId"]
    assert theirs.consultar_cob(TXID)["pix"][0]["endToEndId"] == name
    assert theirs.consultar_pix_por_e2eid(name)["valor"] == "50.00"
    since, until = (bank_clock.now() + timedelta(hours=h) for h in (-1, 1))
    listed = theirs.consultar_pix(since.isoformat(), until.isoformat())
    assert [pix["endToEndId"] for pix in listed["pix"]] == [name]

    refund = theirs.solicitar_devolucao_pix(name, "r1", {"valor": "20.00"})
    tls_bank.tick()

    assert refund["status"] == "EM_PROCESSAMENTO"
    assert theirs.consultar_devolucao_pix(name, "r1")["status"] == "DEVOLVIDO"
    with pytest.raises(PixRecursoNaoEncontradoException):
        theirs.consultar_cob("b" * 32)


def test_it_takes_a_charge_back_and_sets_a_webhook(
    tls_bank: PixBank, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(papers / "authority.pem"))
    theirs = their_bank(tls_bank, papers)
    theirs.criar_cob(TXID, BODY)

    removed = theirs.revisar_cob(TXID, {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
    theirs.configurar_webhook(KEY, "https://desk.example.com/webhooks/pix/a/s")

    assert removed["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert theirs.consultar_webhook(KEY)["webhookUrl"].endswith("/a/s")
    assert theirs.excluir_webhook(KEY) is True


def test_without_a_certificate_nobody_gets_in(
    tls_bank: PixBank, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(papers / "authority.pem"))

    with pytest.raises(requests.exceptions.RequestException):
        requests.post(f"{tls_bank.tls_base_url}/oauth/token", timeout=5)
