"""Which field of our forms a refusal is about."""

from flask_babel import lazy_gettext

from app.errors import DomainError
from app.web.messages import field_sentence, sentence

_FORM_NAMES = {
    "customer.name": "name",
    "customer.phone": "phone",
    "customer.email": "email",
    "service_id": "service",
    "resource_ids": "resources",
    "starts_at": "time",
    "payment": "service",
}

NOT_SERVED = "not_served"
"""The desk's own code: the chosen person, room or machine does not do the chosen service."""

_OWN = {
    NOT_SERVED: lazy_gettext("Ese servicio no se ofrece ahí."),
    "too_little": lazy_gettext("El pago no alcanza para la seña de este servicio."),
    "no_deposit": lazy_gettext("Este servicio no pide seña."),
}
"""What people read for codes that only the desk meets."""


def field_errors(refusal: DomainError) -> dict[str, str]:
    """Give a sentence for each wrong field, by the name it has in our forms."""
    return {
        _FORM_NAMES.get(error["field"], error["field"]): (
            str(_OWN[error["code"]]) if error["code"] in _OWN else field_sentence(error["code"])
        )
        for error in refusal.facts.get("errors", ())
    }


def own_sentence(refusal: DomainError) -> str | None:
    """Say a wrong field in the desk's own words, if it has any."""
    codes = [error["code"] for error in refusal.facts.get("errors", ())]
    return next((str(_OWN[code]) for code in codes if code in _OWN), None)


def notice_of(refusal: DomainError, errors: dict[str, str], shown: set[str]) -> str | None:
    """Say the refusal at the top of a form where no field can say it."""
    return None if errors and errors.keys() <= shown else sentence(refusal.code)
