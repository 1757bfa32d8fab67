from app.errors import Conflict


class StaleCustomer(Conflict):
    """Somebody changed the customer's record since the page was drawn."""

    code = "stale_customer"


class CustomerMerged(Conflict):
    """The record is part of another one; ``facts["customer_id"]`` is the one that stands."""

    code = "customer_merged"
