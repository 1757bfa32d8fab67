"""The stories of programs use the API tests' business and program."""

from tests.web.api.conftest import api, corte, location, lucia

__all__ = ["api", "corte", "location", "lucia"]
