from typing import Literal

import pytest
from argon2 import PasswordHasher

from app.accounts import passwords
from app.accounts.passwords import hash_password, is_right

PASSWORD = "una clave larga de prueba"


def parameters(password_hash: str) -> str:
    """What decides how much work a hash takes: algorithm, version, memory, time, lanes."""
    return password_hash.rsplit("$", 2)[0]


def test_a_password_is_kept_as_argon2id_with_a_salt_of_its_own() -> None:
    first, second = hash_password(PASSWORD), hash_password(PASSWORD)

    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert PASSWORD not in first


def test_only_the_password_is_right() -> None:
    kept = hash_password(PASSWORD)

    assert is_right(PASSWORD, kept)
    assert not is_right(PASSWORD.upper(), kept)
    assert not is_right(PASSWORD + " ", kept)
    assert not is_right("", kept)


@pytest.mark.parametrize("length", [8, 200])
def test_a_password_has_8_to_200_characters(length: int) -> None:
    assert is_right("ñ" * length, hash_password("ñ" * length))


@pytest.mark.parametrize("length", [0, 7, 201])
def test_shorter_or_longer_ones_are_refused(length: int) -> None:
    with pytest.raises(ValueError, match="8 to 200"):
        hash_password("x" * length)


def test_an_endless_password_is_wrong_without_endless_work() -> None:
    assert not is_right("x" * 10_000_000, hash_password("x" * 199))


def test_an_unknown_user_takes_the_work_of_a_known_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = hash_password(PASSWORD)
    seen: list[str] = []
    real = passwords._HASHER

    class Watched(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            seen.append(str(hash))
            return real.verify(hash, password)

    monkeypatch.setattr(passwords, "_HASHER", Watched())

    for password, password_hash in ((PASSWORD, kept), ("otra clave", kept), (PASSWORD, None)):
        seen.clear()
        is_right(password, password_hash)
        assert [parameters(each) for each in seen] == [parameters(kept)]


def test_nobody_s_password_opens_nothing() -> None:
    assert not is_right("nobody has this password", None)
