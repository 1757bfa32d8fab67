#!/usr/bin/env python3
"""Set Firme up and start it, with nothing but Python's standard library.

    python3 run.py up                 start the desk with its demo (make run)
    python3 run.py test [ARGS]        run the tests; ARGS go to pytest (make test)
    python3 run.py check              formatting, lint, types, layers, spelling (make check)
    python3 run.py flask ARGS         any flask command, on the database of `up`

The file parses on Python 3.6 so that an old Python gets one sentence instead of a trace.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

with contextlib.suppress(ImportError):  # Windows, which gets its sentence below
    import fcntl

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
UNFINISHED = VENV / "firme-unfinished"
INSTALLED = VENV / "firme-installed"
LOCKS = {"run": ROOT / "requirements.lock", "test": ROOT / "requirements-test.lock"}


class Stopped(Exception):
    """One sentence for the person who typed the command."""


def say(text: str) -> None:
    print(text, flush=True)


def child_environment() -> "dict[str, str]":
    """The caller's environment without what would lead Python or pip into another environment."""
    unwanted = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "PIP_TARGET", "PIP_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    kept.update(quiet, PIP_NO_INPUT="1", PIP_USER="0", VIRTUAL_ENV=str(VENV))
    kept.setdefault("UV_SYSTEM_CERTS", "1")
    return kept


def run_step(title: str, command: "list[str]", expected_lines: int = 0) -> None:
    """Run a command while showing that it moves.

    Raises: Stopped with the command's last words; on a full disk it says so.
    """
    lines = []  # type: list[str]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        process = subprocess.Popen(
            command, cwd=str(ROOT), env=child_environment(), universal_newlines=True, **pipes
        )
    except OSError as error:
        raise Stopped(f"{command[0]} does not start: {error.strerror}") from None
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
    reader.start()
    show_until_done(title, process, lines, expected_lines)
    reader.join(timeout=5)
    if process.returncode:
        text = "".join(lines[-15:]).strip()
        if "No space left on device" in text:
            raise Stopped(f"The disk is full: free some space below {ROOT} and try again.")
        raise Stopped(f"{text}\n{title} failed; the lines above say why.")


def show_until_done(
    title: str, process: "subprocess.Popen[str]", lines: "list[str]", expected_lines: int
) -> None:
    began = time.monotonic()
    if not sys.stdout.isatty():
        say(f"{title} ...")
        next_word = began + 10
        while process.poll() is None:
            time.sleep(0.1)
            if time.monotonic() > next_word:
                next_word += 10
                say(f"{title} ... {int(time.monotonic() - began)} s")
        return
    while process.poll() is None:
        time.sleep(0.1)
        done = sum(line.startswith(("Collecting", "Downloading")) for line in lines)
        share = f" {min(99, 100 * done // expected_lines)}%" if expected_lines else ""
        sys.stdout.write(f"\r\033[K{title} ...{share} {int(time.monotonic() - began)} s")
        sys.stdout.flush()
    say(f"\r\033[K{title} ... {time.monotonic() - began:.0f} s")


def python_version(python: str) -> "tuple[int, ...]":
    """The version a Python says it has; empty when it does not run (a pyenv shim, a stub)."""
    try:
        answer = subprocess.check_output(
            [python, "-c", "import sys; print(*sys.version_info[:2])"],
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
            timeout=20,
        )
        return tuple(int(part) for part in answer.split())
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()


def use_a_new_enough_python() -> None:
    """Go on in this Python, or start again in a newer one found on PATH.

    Raises: Stopped when there is none.
    """
    if os.name != "posix":
        raise Stopped("Firme runs on Linux and macOS; on Windows use WSL.")
    if sys.version_info >= OLDEST_PYTHON:
        return
    places = os.pathsep.join([os.environ.get("PATH", ""), "/opt/homebrew/bin", "/usr/local/bin"])
    for minor in range(20, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which(f"python3.{minor}", path=places)
        if found and python_version(found) >= OLDEST_PYTHON:
            os.execv(found, [found, str(ROOT / "run.py"), *sys.argv[1:]])
    raise Stopped(
        "Firme needs Python 3.11 or newer and this is {}.{}.{}: install one, "
        "then run `make run PYTHON=python3.12`.".format(*sys.version_info[:3])
    )


def lock_digest(kind: str) -> str:
    return hashlib.sha256(LOCKS[kind].read_bytes()).hexdigest()


def is_installed(kind: str) -> bool:
    """Whether .venv holds exactly what the lock asks for and its Python still runs."""
    if UNFINISHED.exists() or not INSTALLED.exists():
        return False
    wanted = f"{kind} {lock_digest(kind)}"
    stamp = INSTALLED.read_text().splitlines()
    return wanted in stamp and str(ROOT) in stamp and python_version(str(VENV_PYTHON)) != ()


def hold_the_only_setup() -> object:
    """Make a second command that starts at the same time wait for the first one's setup."""
    held = (ROOT / "run.py").open()
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another command is setting this checkout up: waiting for it ...")
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:
        return None
    return held


def has_pip(python: str) -> bool:
    command = [python, "-m", "pip", "--version"]
    return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def installers() -> "list[tuple[str, list[str]]]":
    """Every way to install into .venv, the fastest first."""
    ways = []  # type: list[tuple[str, list[str]]]
    uv = shutil.which("uv")
    python = str(VENV_PYTHON)
    if uv:
        ways.append(("uv", [uv, "pip", "install", "--python", python]))
    wheels_only = ["install", "--only-binary=:all:"]
    if (VENV / "bin" / "pip").exists():
        ways.append(("pip", [python, "-m", "pip", *wheels_only]))
    elif has_pip(sys.executable):
        ways.append(("pip", [sys.executable, "-m", "pip", "--python", python, *wheels_only]))
    if not ways:
        raise Stopped(
            "This Python came without pip and venv: install them, on Debian and Ubuntu with "
            "`apt-get install python3-venv`, or put uv on PATH."
        )
    return ways


def make_venv() -> None:
    """Make .venv from nothing; a half-made one is thrown away, a foreign one is kept and used."""
    ours = UNFINISHED.exists() or INSTALLED.exists()
    if ours:
        shutil.rmtree(str(VENV), ignore_errors=True)
    elif python_version(str(VENV_PYTHON)) >= OLDEST_PYTHON:
        UNFINISHED.touch()
        return
    try:
        VENV.mkdir(exist_ok=True)
        UNFINISHED.touch()
    except OSError as error:
        raise Stopped(f"{VENV} cannot be written: {error.strerror}.") from None
    command = [sys.executable, "-m", "venv", str(VENV)]
    if importlib.util.find_spec("ensurepip") is None:  # Debian ships Python without it
        command.append("--without-pip")
    try:
        run_step("Making .venv", command)
    except Stopped:
        run_step("Making .venv without pip", [*command, "--without-pip"])


def install(kind: str) -> None:
    """Bring .venv to what the lock of this kind says; instant when it is there already."""
    if is_installed(kind):
        return
    held = hold_the_only_setup()
    if is_installed(kind):
        return
    moved = INSTALLED.exists() and str(ROOT) not in INSTALLED.read_text().splitlines()
    broken = not python_version(str(VENV_PYTHON))
    if moved or broken or UNFINISHED.exists() or not INSTALLED.exists():
        make_venv()
    UNFINISHED.touch()
    count = LOCKS[kind].read_text().count("==")
    ways = installers()
    for name, command in ways:
        try:
            title = f"Installing {count} packages with {name}"
            wanted = ["--require-hashes", "-r", str(LOCKS[kind])]
            run_step(title, command + wanted, expected_lines=count * 2)
            break
        except Stopped:
            if name == ways[-1][0]:
                raise
            say(f"{name} could not install them; pip takes over.")
    kinds = ("run", "test") if kind == "test" else ("run",)
    stamp = [f"{each} {lock_digest(each)}" for each in kinds]
    INSTALLED.write_text("\n".join([*stamp, str(ROOT)]) + "\n")
    UNFINISHED.unlink()
    del held


def become(command: "list[str]") -> None:
    """Turn this process into the command, so that Ctrl-C and exit codes are the command's own."""
    environment = child_environment()
    environment["PATH"] = os.pathsep.join([str(VENV / "bin"), environment.get("PATH", "")])
    os.chdir(str(ROOT))
    sys.stdout.flush()
    os.execve(str(VENV_PYTHON), [str(VENV_PYTHON), *command], environment)


def main(arguments: "list[str]") -> int:
    verb = arguments[0] if arguments else ""
    if verb not in ("up", "test", "check", "flask"):
        say((__doc__ or "").strip())
        return 2
    use_a_new_enough_python()
    install("test" if verb in ("test", "check") else "run")
    if verb == "check":
        become(["-m", "app.devservices.checks"])
    if verb == "test":
        become(["-m", "app.devservices.run_tests", *arguments[1:]])
    if verb == "flask":
        become(["-m", "app.devservices.flask_command", *arguments[1:]])
    become(["-m", "app.devservices.up"])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stopped as error:
        sys.exit(str(error))
    except OSError as error:
        if error.errno == 28:
            sys.exit(f"The disk is full: free some space below {ROOT} and try again.")
        sys.exit(f"{error.filename or ROOT}: {error.strerror}.")
    except KeyboardInterrupt:
        sys.exit(130)
