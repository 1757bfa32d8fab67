from app.errors import Conflict, Invalid


class AccountInUse(Conflict):
    """The location has an open account already; close it first."""

    code = "account_in_use"


class NotDue(Conflict):
    """Somebody decided on this money already, or it is on its way."""

    code = "payment_decided"


class RefundTooLate(Conflict):
    """The provider gives nothing back so long after the payment; do it by other means."""

    code = "refund_too_late"


class MoreThanPaid(Invalid):
    """More than what is left of the payment."""

    code = "more_than_paid"
