import os
import sys
from pathlib import Path

import pytest

from app.devservices import programs
from app.devservices.children import Child, Children
from app.devservices.errors import CannotStart
from app.devservices.programs import hosts_of, shown, start_bank, wait_until_open
from tests.devservices.test_up import a_free_port


@pytest.mark.parametrize(
    ("host", "hosts", "address"),
    [
        ("127.0.0.1", ["127.0.0.1"], "127.0.0.1"),
        ("localhost", ["localhost"], "localhost"),
        ("0.0.0.0", ["0.0.0.0"], "localhost"),
        ("::", ["::"], "localhost"),
        ("::1", ["::1", "127.0.0.1"], "[::1]"),
        ("192.0.2.1", ["192.0.2.1", "127.0.0.1"], "192.0.2.1"),
    ],
)
def test_the_bank_reaches_the_web_whatever_the_host_is(
    host: str, hosts: list[str], address: str
) -> None:
    assert hosts_of(host) == hosts
    assert shown(host) == address


def some_children(folder: Path) -> Children:
    environment = {**os.environ, "PYTHONPATH": str(programs.ROOT)}
    return Children(environment, folder=folder, pid_file=folder / "running.json")


def test_the_bank_opens_in_a_folder_that_its_owner_alone_reads(folder: Path) -> None:
    children = some_children(folder)
    try:
        start_bank(children, folder, folder=folder / "bank", port=a_free_port())

        assert children.is_alive("simulated bank")
        assert (folder / "bank").stat().st_mode & 0o777 == 0o700
    finally:
        children.stop()


def test_a_web_that_ends_at_once_gets_one_sentence(folder: Path) -> None:
    children = some_children(folder)
    web = Child("web", [sys.executable, "-c", ""], log=folder / "web.log", mark="unused")
    children.add(web)
    try:
        with pytest.raises(CannotStart, match=r"The web does not answer: see .*web\.log"):
            wait_until_open(children, web, host="127.0.0.1", port=a_free_port())
    finally:
        children.stop()
