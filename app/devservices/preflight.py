"""What must be true before anything starts, each with its sentence."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import socket
from contextlib import suppress
from pathlib import Path

from app.devservices.errors import CannotStart, sentence_for
from app.devservices.processes import write_private

DISK_NEEDED = 200_000_000  # a fresh database and its log take about 120 MB
PORTS_TRIED = 100


def check_port(host: str, port: int, *, variable: str = "PORT") -> None:
    """Raises: CannotStart when the address cannot be listened on, with the variable to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise CannotStart(
                f"Port {port} is for root only: choose one above 1023, as in "
                f"{variable}=8001 make run."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                other = port + 10 if port + 10 < 65536 else 8000  # the bank may sit next door
                raise CannotStart(
                    f"Port {port} is taken by another program: "
                    f"{variable}={other} make run uses another."
                ) from None
            raise CannotStart(f"{host} is not an address of this machine: {error}.") from None


def port_from(text: str, *, variable: str = "PORT") -> int:
    """Raises: CannotStart when it is no port."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise CannotStart(f"{variable} is {text!r}: it must be a number from 1 to 65535.")


def bank_port(wanted: str, *, desk: int) -> int:
    """The port of the simulated bank: the wanted one, or the first free one above the desk's.

    Raises: CannotStart when it is taken, or none is free.
    """
    if wanted:
        port = port_from(wanted, variable="PIX_BANK_PORT")
        if port == desk:
            raise CannotStart(f"PIX_BANK_PORT is {port}, the desk's own: it must be another.")
        check_port("127.0.0.1", port, variable="PIX_BANK_PORT")
        return port
    for port in range(desk + 1, min(desk + PORTS_TRIED, 65535) + 1):
        with suppress(CannotStart):
            check_port("127.0.0.1", port)
            return port
    raise CannotStart(
        f"No port above {desk} is free for the simulated bank: "
        "name one, as in PIX_BANK_PORT=8500 make run."
    )


def check_folder(folder: Path) -> None:
    """Make the data folder and prove that files can be written there.

    Raises: CannotStart when they cannot, or the disk is nearly full.
    """
    probe = folder / f".probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_text("written")
        free = shutil.disk_usage(folder).free
    except FileExistsError:
        raise CannotStart(f"{folder} is a file: the data needs a folder of that name.") from None
    except OSError as error:
        raise sentence_for(error, folder) from error
    finally:
        with suppress(OSError):
            probe.unlink()
    if free < DISK_NEEDED:
        raise CannotStart(
            f"The disk is full: {folder} has {free // 1_000_000} MB left and "
            f"{DISK_NEEDED // 1_000_000} MB are needed."
        )


def secret_key(folder: Path) -> str:
    """The key that signs sessions: made once, kept in the data folder, its owner's alone."""
    path = folder / "secret_key"
    try:
        kept = path.read_text().strip()
        if len(kept) >= 32:
            return kept
    except FileNotFoundError:
        pass
    except UnicodeDecodeError:
        pass
    except OSError as error:
        raise sentence_for(error, path) from error
    made = secrets.token_urlsafe(48)
    write_private(path, made + "\n")
    return made
