"""Which field of our forms a refusal is about."""

from app.errors import DomainError
from app.web.messages import field_sentence

_FORM_NAMES = {
    "customer.name": "name",
    "customer.phone": "phone",
    "customer.email": "email",
    "service_id": "service",
    "resource_ids": "resources",
    "starts_at": "time",
}


def field_errors(refusal: DomainError) -> dict[str, str]:
    """Give a sentence for each wrong field, by the name it has in our forms."""
    return {
        _FORM_NAMES.get(error["field"], error["field"]): field_sentence(error["code"])
        for error in refusal.facts.get("errors", ())
    }
