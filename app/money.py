from typing import NewType

Cents = NewType("Cents", int)

MOST_CENTS = Cents(100_000_000_00)
"""One hundred million units: above any price of this trade, far below what a bigint holds."""

# Babel writes pesos of Uruguay and Argentina alike and puts "BRL" before reais in es_AR, so the
# symbols and the rule for cents are ours (design/ux.md 4.7).
_SYMBOLS = {"BRL": "R$", "ARS": "$", "UYU": "$U", "USD": "US$"}
_ALWAYS_WITH_CENTS = {"BRL"}

CURRENCIES = frozenset(_SYMBOLS)
"""ISO 4217 codes of the money that a location may take."""


def format_money(cents: int, currency: str, *, language: str) -> str:
    """Write an amount as people of ``language`` (es, pt, en) read it: ``R$ 1.450,00``."""
    units, rest = divmod(abs(cents), 100)
    thousands, point = (",", ".") if language.startswith("en") else (".", ",")
    text = f"{units:,}".replace(",", thousands)
    if rest or currency in _ALWAYS_WITH_CENTS:
        text += f"{point}{rest:02d}"
    sign = "-" if cents < 0 else ""
    return f"{sign}{_SYMBOLS.get(currency, currency)}\N{NO-BREAK SPACE}{text}"
