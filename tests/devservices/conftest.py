import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A fresh folder that `nobody` may enter; pytest's own are closed to others."""
    made = Path(tempfile.mkdtemp(prefix="firme-devservices-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)
