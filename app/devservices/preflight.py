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


def check_port(host: str, port: int) -> None:
    """Raises: CannotStart when the address cannot be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise CannotStart(
                f"Port {port} is for root only: choose one above 1023, as in PORT=8001 make run."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                other = port + 1 if port < 65535 else 8000
                raise CannotStart(
                    f"Port {port} is taken by another program: PORT={other} make run uses another."
                ) from None
            raise CannotStart(f"{host} is not an address of this machine: {error}.") from None


def port_from(text: str) -> int:
    """Raises: CannotStart when it is no port."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise CannotStart(f"PORT is {text!r}: it must be a number from 1 to 65535.")


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
