"""Why a change of a booking was refused, in words."""

from app.booking.errors import PaymentsUnavailable
from app.booking.views import BookingView
from app.errors import DomainError
from app.extensions import db
from app.payments.accounts import find_open_account
from app.web.auth import scope
from app.web.messages import sentence
from app.web.staff.sentences import own_sentence
from app.web.staff.wording import clock_time, gettext


def refusal_words(refusal: DomainError, booking: BookingView) -> str:
    """Say a refusal in a booking's panel."""
    if isinstance(refusal, PaymentsUnavailable):
        return _bank_words(booking)
    return own_sentence(refusal) or sentence(refusal.code)


def _bank_words(booking: BookingView) -> str:
    mine = scope()
    if find_open_account(db.session(), mine.location_id) is None:
        return gettext("Este local no tiene una cuenta Pix: recibí la seña por otro medio.")
    if booking.expires_at is None:
        return sentence(PaymentsUnavailable.code)
    return gettext(
        "El banco no contesta; el lugar sigue guardado hasta las %(time)s."
        " Probá de nuevo o cobrá por otro medio.",
        time=clock_time(booking.expires_at, mine.zone),
    )
