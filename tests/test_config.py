from dataclasses import FrozenInstanceError

import pytest

from app.config import Config, ConfigError

ENOUGH = {
    "DATABASE_URL": "postgresql://firme@/firme",
    "REDIS_URL": "redis://localhost",
    "SECRET_KEY": "k" * 32,
}


def test_three_settings_are_enough() -> None:
    config = Config.from_environment(ENOUGH)

    assert (config.database_url, config.redis_url) == (
        *("postgresql://firme@/firme", "redis://localhost"),
    )
    assert (config.pool_size, config.pool_overflow, config.testing) == (8, 8, False)
    assert not config.is_https


@pytest.mark.parametrize("missing", sorted(ENOUGH))
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_setting_is_named(missing: str, value: str | None) -> None:
    environment = {name: text for name, text in ENOUGH.items() if name != missing}
    if value is not None:
        environment[missing] = value

    with pytest.raises(ConfigError, match=f"^{missing} is not set"):
        Config.from_environment(environment)


def test_a_key_short_enough_to_guess_is_refused_and_not_printed() -> None:
    with pytest.raises(ConfigError, match="shorter than 32") as refusal:
        Config.from_environment(ENOUGH | {"SECRET_KEY": "s3cret" * 5})

    assert "s3cret" not in str(refusal.value)


def test_the_rest_may_be_set() -> None:
    config = Config.from_environment(
        ENOUGH
        | {
            "BASE_URL": "https://reservas.example/",
            "POOL_SIZE": "3",
            "POOL_OVERFLOW": "0",
            "API_READ_LIMIT": "10 per second",
            "API_WRITE_LIMIT": "2 per second",
            "LOGIN_LIMIT": "5 per minute",
        }
    )

    assert (config.base_url, config.is_https) == ("https://reservas.example", True)
    assert (config.pool_size, config.pool_overflow) == (3, 0)
    assert (config.api_read_limit, config.api_write_limit) == ("10 per second", "2 per second")
    assert config.login_limit == "5 per minute"


def test_settings_do_not_change_while_it_runs() -> None:
    config = Config.from_environment(ENOUGH)

    with pytest.raises(FrozenInstanceError):
        config.pool_size = 1  # type: ignore[misc]
