"""Notices of providers. Who knows the secret gets them kept; nothing is believed or done here."""

from uuid import UUID

from flask import Blueprint, Flask, Response, abort, request
from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_for
from app.cashier.nudging import wake
from app.extensions import csrf, limiter, transact
from app.payments.accounts import find_account, is_secret_of
from app.payments.inbox import keep_notice
from app.payments.models import PaymentAccount
from app.payments.pix.gateway import GatewayError
from app.web.auth import public

bp = Blueprint("inbound", __name__, url_prefix="/webhooks/pix")
csrf.exempt(bp)
limiter.exempt(bp)

READ_INBOX = "app.jobs.pix.read"


def register(app: Flask) -> None:
    app.register_blueprint(bp)


@bp.post("/<account>/<secret>", strict_slashes=False)
@bp.post("/<account>/<secret>/pix", strict_slashes=False)
@public
def hear(account: str, secret: str) -> Response:
    """Keep a notice. The two addresses are one: providers add ``/pix`` to the one they know."""
    return _keep(account, secret)


@bp.post("/<account>", strict_slashes=False)
@bp.post("/<account>/pix", strict_slashes=False)
@public
def hear_with_query(account: str) -> Response:
    """The same for a provider that keeps our secret in ``?hmac=…&ignorar=``."""
    return _keep(account, request.args.get("hmac", "").removesuffix("/pix"))


def _keep(account: str, secret: str) -> Response:
    """Answer 200 once the notice is stored, and 401 to who does not know the secret.

    The worker is told, but nobody waits for it: a sweep finds the row. Without the database the
    answer is 503 and the provider tells us again.
    """
    body = request.get_data(cache=False)
    row = transact(lambda session: _account(session, account))
    if row is None or not is_secret_of(row, secret) or not _is_genuine(row):
        abort(401)
    transact(lambda session: keep_notice(session, row, body))
    wake(READ_INBOX)
    return Response(status=200)


def _account(session: Session, account: str) -> PaymentAccount | None:
    try:
        return find_account(session, UUID(account))
    except ValueError:
        return None


def _is_genuine(row: PaymentAccount) -> bool:
    """Check the provider's own signature, where it signs. What cannot be checked is not genuine."""
    try:
        gateway = gateway_for(row)
    except GatewayError:
        return False
    return gateway.is_genuine(query=request.args, headers=dict(request.headers))
