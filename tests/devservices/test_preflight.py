import os
import socket
from pathlib import Path

import pytest

from app.devservices.errors import CannotStart
from app.devservices.preflight import (
    bank_port,
    check_folder,
    check_port,
    port_from,
    secret_key,
)


def test_a_taken_port_gets_one_sentence_with_the_way_out() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(CannotStart, match=rf"Port {port} is taken .* PORT=\d+ make run"):
            check_port("127.0.0.1", port)


def test_a_free_port_is_fine_at_once_after_another_program_left_it() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]

    check_port("127.0.0.1", port)


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "", "80 80", "٨٠"])
def test_a_port_that_is_none_gets_one_sentence(text: str) -> None:
    with pytest.raises(CannotStart, match="must be a number from 1 to 65535"):
        port_from(text)


def test_the_bank_takes_the_first_free_port_above_the_desk_s() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]

        found = bank_port("", desk=taken - 1)

        assert found > taken
        check_port("127.0.0.1", found)
        with pytest.raises(CannotStart, match=r"PIX_BANK_PORT=\d+ make run"):
            bank_port(str(taken), desk=8000)


@pytest.mark.parametrize(
    ("wanted", "desk", "sentence"),
    [
        ("8000", 8000, "the desk's own"),
        ("door", 8000, "PIX_BANK_PORT is 'door'"),
        ("", 65535, "No port above 65535 is free"),
    ],
)
def test_a_bank_without_a_port_gets_one_sentence(wanted: str, desk: int, sentence: str) -> None:
    with pytest.raises(CannotStart, match=sentence):
        bank_port(wanted, desk=desk)


def test_an_address_of_another_machine_gets_one_sentence() -> None:
    with pytest.raises(CannotStart, match=r"192\.0\.2\.1 is not an address of this machine"):
        check_port("192.0.2.1", 8000)


def test_a_file_where_the_data_folder_should_be_gets_one_sentence(folder: Path) -> None:
    (folder / "var").write_text("not a folder")

    with pytest.raises(CannotStart, match="is a file"):
        check_folder(folder / "var")


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_a_data_folder_that_cannot_be_written_gets_one_sentence(folder: Path) -> None:
    folder.chmod(0o555)

    with pytest.raises(CannotStart, match="Permission denied"):
        check_folder(folder / "var")


def test_the_secret_key_is_made_once_and_its_owner_alone_reads_it(folder: Path) -> None:
    made = secret_key(folder)

    assert secret_key(folder) == made
    assert len(made) >= 32
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_cut_off_secret_key_is_made_again(folder: Path) -> None:
    (folder / "secret_key").write_text("abc")

    assert len(secret_key(folder)) >= 32
