"""What Mercado Pago has: questions that change nothing."""

from collections.abc import Iterator, Mapping

from app.payments.pix.gateway import ProviderDown, RefundState, RefundStatus, Unreadable
from app.payments.pix.mercado_pago_http import MercadoPagoHttp
from app.payments.pix.mercado_pago_reading import is_by_others, read_amount, read_id, read_refund
from app.payments.pix.provider_http import Answer, Document, certain
from app.payments.pix.reading import entries, part

_PAGE = "50"


class Lookup:
    """Finds an account's payments and refunds."""

    def __init__(self, http: MercadoPagoHttp) -> None:
        self._http = http

    def of_charge(self, txid: str) -> list[Document]:
        """Find the payments of a charge, the oldest first, each in full.

        A search leaves the code out. What a search finds late is found by making the charge again:
        the same key answers with the same payment.
        """
        query = {"external_reference": txid, "sort": "date_created", "criteria": "asc"}
        results = _results(self._http.read("search", query=query))
        return self.again([each for each in results if each.get("external_reference") == txid])

    def again(self, documents: list[Document]) -> list[Document]:
        """Read payments once more, by their ids."""
        known = (self.payment(read_id(document.get("id"))) for document in documents)
        return [document for document in known if document]

    def payment(self, payment_id: str) -> Document | None:
        answer = self._http.read(payment_id)
        if answer.is_missing:
            return None
        document = certain(answer).document or {}
        if read_id(document.get("id")) != payment_id:
            raise Unreadable("the answer is about another payment")
        return document

    def pages(self, query: Mapping[str, str]) -> Iterator[list[Document]]:
        """Yield what a search finds, page after page."""
        offset, before = 0, None
        while True:
            paging = {"limit": _PAGE, "offset": str(offset)}
            answer = self._http.read("search", query={**query, **paging})
            results = _results(answer)
            if not results or results == before:
                break
            yield results
            offset, before = offset + len(results), results
            total = part(answer.document or {}, "paging").get("total")
            if isinstance(total, int) and offset >= total:
                break

    def refund(self, payment_id: str, return_id: str, refund_id: str) -> RefundState | None:
        answer = self._http.read(payment_id, "refunds", return_id)
        if answer.is_missing:
            return None
        refund = read_refund(certain(answer).document or {}, refund_id)
        if refund.return_id != return_id:
            raise Unreadable("the answer is about another refund")
        return refund

    def whole_refund(self, payment_id: str, refund_id: str) -> RefundState | None:
        """Find the refund that gave all of a payment back, or is about to.

        Nothing when there is none, or those that there are did not work.

        Raises:
            Unreadable: parts went back, and it is not told which is which.
        """
        payment = self.payment(payment_id)
        if payment is None:
            return None
        answer = self._http.read(payment_id, "refunds")
        if answer.items is None:
            raise ProviderDown("a list of refunds without a list")
        documents = entries(answer.items)
        refunds = [read_refund(each, refund_id) for each in documents if not is_by_others(each)]
        alive = [refund for refund in refunds if refund.status is not RefundStatus.FAILED]
        if not alive:
            return None
        price = read_amount(payment.get("transaction_amount"))
        if len(alive) > 1 or alive[0].amount != price:
            raise Unreadable("parts of a payment went back, and it is not told which is which")
        return alive[0]


def _results(answer: Answer) -> list[Document]:
    """Raises: ProviderDown when it does not say what was found: that is not nothing."""
    if answer.is_missing:
        return []
    results = (certain(answer).document or {}).get("results")
    if not isinstance(results, list):
        raise ProviderDown("a search without results")
    return entries(results)
