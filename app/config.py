import os
from collections.abc import Mapping
from dataclasses import dataclass

_WEAKEST_KEY = 32


class ConfigError(Exception):
    """A setting is missing or wrong; the message says which, in one sentence."""


@dataclass(frozen=True)
class Config:
    """The deployment's settings. What an owner chooses lives in the database instead."""

    database_url: str
    redis_url: str
    secret_key: str
    base_url: str = "http://127.0.0.1:8000"
    pool_size: int = 8
    pool_overflow: int = 8
    pool_wait_seconds: int = 2
    api_read_limit: str = "60000 per minute"
    api_write_limit: str = "30000 per minute"
    login_limit: str = "10 per minute"
    allow_simulated_pix: bool = False
    testing: bool = False

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https://")

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> "Config":
        """Read the settings once.

        Raises:
            ConfigError: one is missing, or the secret key is short enough to guess.
        """

        def required(name: str) -> str:
            value = environment.get(name, "")
            if not value:
                raise ConfigError(f"{name} is not set. `make run` sets it; see README.md.")
            return value

        secret_key = required("SECRET_KEY")
        if len(secret_key) < _WEAKEST_KEY:
            raise ConfigError(f"SECRET_KEY is shorter than {_WEAKEST_KEY} characters.")
        defaults = Config(required("DATABASE_URL"), required("REDIS_URL"), secret_key)
        return Config(
            database_url=defaults.database_url,
            redis_url=defaults.redis_url,
            secret_key=secret_key,
            base_url=environment.get("BASE_URL", defaults.base_url).rstrip("/"),
            pool_size=int(environment.get("POOL_SIZE", defaults.pool_size)),
            pool_overflow=int(environment.get("POOL_OVERFLOW", defaults.pool_overflow)),
            api_read_limit=environment.get("API_READ_LIMIT", defaults.api_read_limit),
            api_write_limit=environment.get("API_WRITE_LIMIT", defaults.api_write_limit),
            login_limit=environment.get("LOGIN_LIMIT", defaults.login_limit),
            allow_simulated_pix=environment.get("ALLOW_SIMULATED_PIX", "") == "1",
        )
