"""Tell the person at the keyboard what is happening while it takes longer than a moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE_SECONDS = 1.0  # what is done sooner needs no word
PLAIN_WORD_SECONDS = 10.0


def say(text: str) -> None:
    """Print a line; a terminal that was closed keeps nothing from being stopped cleanly."""
    with suppress(OSError):
        print(text, flush=True)


@contextmanager
def showing(title: str) -> Iterator[None]:
    """Show the title and the seconds while the block runs; nothing when it is quick."""
    done = threading.Event()
    shower = threading.Thread(target=_show, args=(title, done), daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


def _show(title: str, done: threading.Event) -> None:
    began = time.monotonic()
    if done.wait(PATIENCE_SECONDS):
        return
    on_terminal = sys.stdout.isatty()
    if not on_terminal:
        say(f"{title} ...")
    pause = 0.2 if on_terminal else PLAIN_WORD_SECONDS
    while not done.wait(pause):
        seconds = int(time.monotonic() - began)
        if on_terminal:
            sys.stdout.write(f"\r\033[K{title} ... {seconds} s")
            sys.stdout.flush()
        else:
            say(f"{title} ... {seconds} s")
    if on_terminal:
        say(f"\r\033[K{title} ... {time.monotonic() - began:.0f} s")
