import ssl
import stat
from pathlib import Path
from typing import Any

import pytest

from app.devservices.pix_bank.server import PixBank, Tls
from app.payments.pix import certificates
from app.payments.pix.account import WrongAccount
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import ChargeStatus, ProviderDown
from app.payments.pix.registry import open_gateway
from tests.payments.conftest import openssl
from tests.payments.scenes import CLIENT, TXID, BankClock, a_charge, an_account

PASSWORD = "the-password-of-the-file"


def test_over_mtls_the_certificate_is_shown_and_the_bank_s_is_checked(
    papers: Path, bank_clock: BankClock
) -> None:
    tls = Tls(papers / "bank.pem", papers / "bank.key", papers / "authority.pem")
    with PixBank(clients=(CLIENT,), now=bank_clock.now, tls=tls) as bank:
        usual = {
            "base_url": bank.tls_base_url,
            "token_url": f"{bank.tls_base_url}/oauth/token",
            "ca_bundle": papers / "authority.pem",
        }
        with_papers = {"certificate": papers / "client.pem", "private_key": papers / "client.key"}
        strangers = {"certificate": papers / "stranger.pem", "private_key": papers / "stranger.key"}

        known = ApiPix(an_account(bank, **usual, **with_papers), now=bank_clock.now)
        assert a_charge(known).status is ChargeStatus.ACTIVE
        known.close()

        trusting_others = {**usual, "ca_bundle": papers / "stranger.pem"}
        for changes in (usual, {**usual, **strangers}, {**trusting_others, **with_papers}):
            unknown = ApiPix(an_account(bank, **changes), now=bank_clock.now)
            with pytest.raises(ProviderDown):
                unknown.find_charge(TXID)
            unknown.close()


def test_a_bank_whose_only_secret_is_the_certificate_gets_no_other(
    papers: Path, bank_clock: BankClock
) -> None:
    tls = Tls(papers / "bank.pem", papers / "bank.key", papers / "authority.pem")
    with PixBank(clients=(CLIENT,), now=bank_clock.now, tls=tls) as bank:
        account = an_account(
            bank,
            profile="sicoob",
            client_secret="",
            base_url=bank.tls_base_url,
            token_url=f"{bank.tls_base_url}/oauth/token",
            ca_bundle=papers / "authority.pem",
            certificate=papers / "client.pem",
            private_key=papers / "client.key",
        )
        gateway = ApiPix(account, now=bank_clock.now)

        assert a_charge(gateway).status is ChargeStatus.ACTIVE
        gateway.close()


def p12(papers: Path, name: str, *words: str, password: str = PASSWORD) -> Path:
    file = papers / name
    openssl(
        papers,
        *("pkcs12", "-export", "-in", "client.pem", "-out", name),
        *("-passout", f"pass:{password}"),
        *(words or ("-inkey", "client.key", "-certfile", "authority.pem")),
    )
    return file


def over_tls(bank: PixBank, papers: Path, **changes: Any) -> dict[str, Any]:
    return {
        "base_url": bank.tls_base_url,
        "token_url": f"{bank.tls_base_url}/oauth/token",
        "ca_bundle": papers / "authority.pem",
        **changes,
    }


@pytest.mark.parametrize(
    ("name", "words", "password"),
    [
        ("client.p12", (), PASSWORD),
        ("client.PFX", (), PASSWORD),
        ("old.p12", ("-inkey", "client.key", "-legacy"), PASSWORD),
        ("open.p12", ("-inkey", "client.key"), ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_p12_file_is_shown_over_mtls_as_the_bank_sent_it(
    papers: Path, bank_clock: BankClock, name: str, words: tuple[str, ...], password: str
) -> None:
    file = p12(papers, name, *words, password=password)
    tls = Tls(papers / "bank.pem", papers / "bank.key", papers / "authority.pem")
    with PixBank(clients=(CLIENT,), now=bank_clock.now, tls=tls) as bank:
        changes = over_tls(bank, papers, certificate=file, private_key_password=password)
        gateway = ApiPix(an_account(bank, **changes), now=bank_clock.now)

        assert a_charge(gateway).status is ChargeStatus.ACTIVE
        gateway.close()


def test_a_p12_file_of_a_stranger_proves_nothing(papers: Path, bank_clock: BankClock) -> None:
    stranger = p12(papers, "stranger.p12", "-in", "stranger.pem", "-inkey", "stranger.key")
    tls = Tls(papers / "bank.pem", papers / "bank.key", papers / "authority.pem")
    with PixBank(clients=(CLIENT,), now=bank_clock.now, tls=tls) as bank:
        changes = over_tls(bank, papers, certificate=stranger, private_key_password=PASSWORD)
        gateway = ApiPix(an_account(bank, **changes), now=bank_clock.now)

        with pytest.raises(ProviderDown):
            gateway.find_charge(TXID)
        gateway.close()


def test_the_key_of_a_p12_file_is_on_disk_encrypted_for_an_instant(
    papers: Path, bank: PixBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    real = ssl.SSLContext.load_cert_chain

    def look(context: ssl.SSLContext, path: str, *_: Any, password: str) -> None:
        seen.append((Path(path).read_text(), stat.S_IMODE(Path(path).stat().st_mode)))
        real(context, path, password=password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", look)
    monkeypatch.setattr(certificates.tempfile, "tempdir", str(tmp_path))
    file = p12(papers, "client.p12")
    open_gateway(an_account(bank, certificate=file, private_key_password=PASSWORD)).close()

    [(text, mode)] = seen
    assert mode == 0o600
    assert text.count("BEGIN CERTIFICATE") == 2
    assert "BEGIN ENCRYPTED PRIVATE KEY" in text
    assert "BEGIN PRIVATE KEY" not in text
    assert list(tmp_path.iterdir()) == []


def test_a_p12_file_that_cannot_be_loaded_leaves_nothing_behind(
    papers: Path, bank: PixBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ssl.SSLError

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", refuse)
    monkeypatch.setattr(certificates.tempfile, "tempdir", str(tmp_path))

    with pytest.raises(WrongAccount):
        open_gateway(
            an_account(bank, certificate=p12(papers, "client.p12"), private_key_password=PASSWORD)
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "password", "sentence"),
    [
        ((), "a wrong password", "cannot be opened"),
        ((), None, "cannot be opened"),
        (("-nokeys",), PASSWORD, "has no certificate with its key"),
        (("-nocerts", "-inkey", "client.key"), PASSWORD, "has no certificate with its key"),
    ],
)
def test_a_p12_file_that_does_not_do_is_named_in_one_sentence_without_its_password(
    papers: Path, bank: PixBank, words: tuple[str, ...], password: str | None, sentence: str
) -> None:
    file = p12(papers, "odd.p12", *words)

    with pytest.raises(WrongAccount, match=sentence) as met:
        open_gateway(an_account(bank, certificate=file, private_key_password=password))

    assert met.value.__cause__ is None
    assert str(met.value).startswith("Pix account main: ")
    for hidden in (PASSWORD, password or PASSWORD, str(file)):
        assert hidden not in str(met.value)


@pytest.mark.parametrize("content", [b"", b"junk", b"-----BEGIN CERTIFICATE-----"])
def test_junk_is_no_p12_file(bank: PixBank, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "junk.p12"
    file.write_bytes(content)

    with pytest.raises(WrongAccount, match="cannot be opened"):
        open_gateway(an_account(bank, certificate=file))


def test_a_p12_file_beside_another_key_is_a_mistake(papers: Path, bank: PixBank) -> None:
    file = p12(papers, "client.p12")

    with pytest.raises(WrongAccount, match=r"a \.p12 file brings its own key"):
        open_gateway(an_account(bank, certificate=file, private_key=papers / "client.key"))
