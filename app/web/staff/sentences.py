"""Which field of our forms a refusal is about."""

from app.errors import DomainError
from app.web.messages import field_sentence, sentence
from app.web.staff.wording import gettext

_FORM_NAMES = {
    "customer.name": "name",
    "customer.phone": "phone",
    "customer.email": "email",
    "service_id": "service",
    "resource_ids": "resources",
    "starts_at": "time",
}


NOT_SERVED = "not_served"
"""The desk's own code: the chosen person, room or machine does not do the chosen service."""


def field_errors(refusal: DomainError) -> dict[str, str]:
    """Give a sentence for each wrong field, by the name it has in our forms."""
    return {
        _FORM_NAMES.get(error["field"], error["field"]): (
            gettext("Ese servicio no se ofrece ahí.")
            if error["code"] == NOT_SERVED
            else field_sentence(error["code"])
        )
        for error in refusal.facts.get("errors", ())
    }


def notice_of(refusal: DomainError, errors: dict[str, str], shown: set[str]) -> str | None:
    """Say the refusal at the top of a form where no field can say it."""
    return None if errors and errors.keys() <= shown else sentence(refusal.code)
