import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.devservices.pix_bank.server import PixBank
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import FakeMercadoPago, shop_account
from tests.payments.scenes import CLIENT, BankClock, Inbox, an_account, an_inbox


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, a bank's certificate, a client's, and a stranger's that proves nothing."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make certificates with")
    folder = tmp_path_factory.mktemp("papers")

    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("authority", "stranger"):
        openssl(
            folder,
            *("req", "-x509", *new, "-days", "2", "-subj", f"/CN={name}"),
            *("-keyout", f"{name}.key", "-out", f"{name}.pem"),
        )
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    for name in ("bank", "client"):
        openssl(
            folder,
            "req",
            *new,
            "-subj",
            f"/CN={name}",
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.csr",
        )
        openssl(
            folder,
            *("x509", "-req", "-in", f"{name}.csr", "-days", "2", "-extfile", "names"),
            *("-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial"),
            *("-out", f"{name}.pem"),
        )
    return folder


@pytest.fixture
def bank_clock() -> BankClock:
    return BankClock()


@pytest.fixture
def bank(bank_clock: BankClock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT,), now=bank_clock.now) as bank:
        yield bank


@pytest.fixture
def gateway(bank: PixBank, bank_clock: BankClock) -> Iterator[ApiPix]:
    gateway = ApiPix(an_account(bank), now=bank_clock.now)
    yield gateway
    gateway.close()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with an_inbox() as inbox:
        yield inbox


@pytest.fixture
def shop(bank_clock: BankClock) -> Iterator[FakeMercadoPago]:
    with FakeMercadoPago(bank_clock.now) as shop:
        yield shop


@pytest.fixture
def mp(shop: FakeMercadoPago, bank_clock: BankClock) -> Iterator[MercadoPago]:
    mp = MercadoPago(shop_account(shop), now=bank_clock.now)
    yield mp
    mp.close()
