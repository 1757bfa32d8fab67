import pytest

from app.money import CURRENCIES, format_money


@pytest.mark.parametrize(
    ("cents", "currency", "language", "shown"),
    [
        (1_450_00, "BRL", "es", "R$ 1.450,00"),
        (1_450_00, "BRL", "pt", "R$ 1.450,00"),
        (1_450_00, "BRL", "en", "R$ 1,450.00"),
        (1_450_00, "UYU", "es", "$U 1.450"),
        (1_450_05, "UYU", "es", "$U 1.450,05"),
        (1_000_000_00, "ARS", "es", "$ 1.000.000"),
        (99, "USD", "en", "US$ 0.99"),
        (0, "BRL", "pt", "R$ 0,00"),
        (0, "ARS", "es", "$ 0"),
        (-40_50, "BRL", "pt", "-R$ 40,50"),
        (-1, "USD", "en", "-US$ 0.01"),
        (12_00, "EUR", "es", "EUR 12"),
    ],
)
def test_money_is_written_as_its_reader_knows_it(
    cents: int, currency: str, language: str, shown: str
) -> None:
    assert format_money(cents, currency, language=language) == shown.replace(
        " ", "\N{NO-BREAK SPACE}"
    )


def test_four_currencies_are_taken() -> None:
    assert {"BRL", "ARS", "UYU", "USD"} == CURRENCIES
