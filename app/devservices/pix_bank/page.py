"""The page on which a person plays the customer's bank. It works without JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from flask import Blueprint, Response, redirect, render_template, request

from app.devservices.pix_bank.books import ACTIVE, PAID, Books, deadline_of, left_of
from app.devservices.pix_bank.faults import Fault, Faults
from app.devservices.pix_bank.journal import Document
from app.devservices.pix_bank.notices import Notices
from app.devservices.pix_bank.refunds import ACCEPT, REFUSE, WAIT, Refunds
from app.devservices.pix_bank.wire import AMOUNT, Client, Refusal, cents, instant
from app.money import Cents, format_money
from app.payments.pix.brcode import NotBrCode, parse

_BRASILIA = timezone(timedelta(hours=-3))
MOST_SHOWN = 50
LATER = timedelta(seconds=30)

NOTICES = {
    "now": "Avisar ahora",
    "later": f"Avisar en {LATER.seconds} segundos",
    "twice": "Avisar dos veces",
    "never": "No avisar",
}
DECISIONS = {ACCEPT: "Devolver", REFUSE: "Rechazar", WAIT: "Esperar a que yo decida"}
CALLS = {
    "PUT /cob": "Crear un cobro",
    "GET /cob": "Consultar un cobro",
    "PATCH /cob": "Anular un cobro",
    "GET /pix": "Consultar pagos",
    "PUT /pix": "Pedir una devolución",
    "POST /oauth/token": "Pedir un token",
}
FAULTS = {
    Fault.DOWN: "Banco cerrado (503)",
    Fault.BROKEN: "Error interno (500)",
    Fault.CUT: "Corta antes de hacerlo",
    Fault.LOST: "Lo hace y no contesta",
    Fault.LATE: "Lo hace y contesta 504",
}
_SENTENCES = {
    "CobNaoEncontrado": "No hay tal cobro.",
    "CobOperacaoInvalida": "Ese cobro ya no se puede pagar.",
    "PixNaoEncontrado": "No hay tal pago.",
    "PixDevolucaoInvalida": "No queda tanto por devolver.",
}
_STATUS = {
    ACTIVE: ("Esperando el pago", "waiting"),
    PAID: ("Pagado", "paid"),
}
_REFUND = {
    "EM_PROCESSAMENTO": "en proceso",
    "DEVOLVIDO": "devuelto",
    "NAO_REALIZADO": "rechazado",
}


@dataclass(frozen=True)
class RefundView:
    refund_id: str
    end_to_end_id: str
    amount: str
    status: str
    is_pending: bool


@dataclass(frozen=True)
class PaymentView:
    end_to_end_id: str
    amount: str
    paid_at: str
    left: int
    refunds: list[RefundView]


@dataclass(frozen=True)
class ChargeView:
    client_id: str
    txid: str
    amount: str
    status: str
    look: str
    is_open: bool
    deadline: str
    note: str
    code: str
    payments: list[PaymentView]


_ROUTES = (
    ("GET", "/", "home"),
    ("POST", "/pay", "pay"),
    ("POST", "/settle", "settle"),
    ("POST", "/take-back", "take_back"),
    ("POST", "/decide", "decide"),
    ("POST", "/fail", "fail"),
)


def make_page(
    books: Books, refunds: Refunds, notices: Notices, faults: Faults, *, prompt: bool
) -> Blueprint:
    page, views = Blueprint("page", __name__), _Views(books, refunds, notices, faults, prompt)
    for method, path, name in _ROUTES:
        page.add_url_rule(path, name, getattr(views, name), methods=[method])
    page.before_request(_refuse_other_sites)
    page.after_request(_allow_nothing_from_outside)
    page.register_error_handler(Refusal, views.say_no)
    return page


@dataclass(frozen=True)
class _Views:
    books: Books
    refunds: Refunds
    notices: Notices
    faults: Faults
    prompt: bool

    def show(self, status: int = 200, message: str = "") -> Response:
        code = request.args.get("code", "").strip()
        charges = _charges(self.books, code)
        text = render_template(
            "page.html",
            charges=charges[:MOST_SHOWN],
            hidden=max(0, len(charges) - MOST_SHOWN),
            code=code,
            message=message,
            notices=NOTICES,
            decisions=DECISIONS,
            decision=self.refunds.decision,
            calls=CALLS,
            faults=FAULTS,
            planned=[
                (CALLS.get(plan.call, plan.call), FAULTS.get(plan.fault, plan.fault))
                for plan in self.faults.list_planned()
            ],
            waiting=len(self.notices.list_waiting()),
            prompt=self.prompt,
        )
        return Response(text, status, content_type="text/html; charset=utf-8")

    def client(self) -> Client:
        only = next(iter(self.books.clients)) if len(self.books.clients) == 1 else ""
        known = self.books.clients.get(request.form.get("client", only))
        if known is None:
            raise Refusal("NaoEncontrado", 404, "No hay tal cuenta.")
        return known

    def say_no(self, refusal: Refusal) -> Response:
        return self.show(refusal.status, _SENTENCES.get(refusal.kind, refusal.detail))

    def home(self) -> Response:
        return self.show()

    def pay(self) -> Response:
        form = request.form
        pix = self.books.pay(
            self.client(),
            form.get("txid", ""),
            amount=_amount(form.get("amount", "")),
            is_late="late" in form,
            is_forced="forced" in form,
            tells_txid="lose_txid" not in form,
            note=form.get("note", ""),
        )
        match form.get("notice", "now"):
            case "later":
                self.notices.tell(pix, delay=LATER)
            case "twice":
                self.notices.tell(pix, copies=2)
            case "never":
                pass
            case _:
                self.notices.tell(pix)
        return _home()

    def settle(self) -> Response:
        form = request.form
        e2e, refund_id = form.get("e2e", ""), form.get("refund", "")
        self.refunds.settle(self.client(), e2e, refund_id, is_done="done" in form)
        return _home()

    def take_back(self) -> Response:
        me = self.client()
        pix = self.books.payment(me, request.form.get("e2e", ""))
        self.refunds.take_back(me, pix["endToEndId"], Cents(left_of(pix)))
        return _home()

    def decide(self) -> Response:
        if request.form.get("decision") in DECISIONS:
            self.refunds.decision = request.form["decision"]
        return _home()

    def fail(self) -> Response:
        form = request.form
        if "clear" in form:
            self.faults.clear()
        elif form.get("call") in CALLS and form.get("fault") in set(Fault):
            self.faults.add(form["call"], form["fault"])
        return _home()


def _refuse_other_sites() -> Response | None:
    is_ours = request.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
    return None if request.method == "GET" or is_ours else Response("Otro sitio.", 403)


def _allow_nothing_from_outside(response: Response) -> Response:
    policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
    response.headers["Content-Security-Policy"] = policy + "; frame-ancestors 'none'"
    return response


def _home() -> Response:
    return redirect("/", 303)  # type: ignore[return-value]


def _amount(text: str) -> Cents | None:
    """An amount as people type it, with a comma or a dot; nothing means the charge's own.

    Raises:
        Refusal: it is none.
    """
    text = text.strip().replace(",", ".")
    if not text:
        return None
    if text.isdecimal():
        text += ".00"
    if not AMOUNT.fullmatch(text) or cents(text) == 0:
        raise Refusal("RequisicaoInvalida", 400, "El importe no se entiende: escribí 10,50.")
    return cents(text)


def _charges(books: Books, code: str) -> list[ChargeView]:
    """The newest first; with a code, only the charge that it leads to."""
    location = None
    if code:
        try:
            location = parse(code).location
        except NotBrCode:
            return []
    now = books.now()
    return [
        _charge(books, client, charge, now)
        for client in books.clients.values()
        for charge in reversed(books.list_charges(client))
        if not code or charge["location"] == location
    ]


def _charge(books: Books, client: Client, charge: Document, now: datetime) -> ChargeView:
    status, look = _STATUS.get(charge["status"], ("Anulado", "over"))
    is_open = charge["status"] == ACTIVE and now <= deadline_of(charge)
    if charge["status"] == ACTIVE and not is_open:
        status, look = "Vencido", "over"
    return ChargeView(
        client_id=client.client_id,
        txid=charge["txid"],
        amount=_money(charge["valor"]["original"]),
        status=status,
        look=look,
        is_open=is_open,
        deadline=_time(deadline_of(charge)),
        note=charge.get("solicitacaoPagador", ""),
        code=charge["pixCopiaECola"],
        payments=[_payment(pix) for pix in books.payments_of(client, charge["txid"])],
    )


def _payment(pix: Document) -> PaymentView:
    return PaymentView(
        end_to_end_id=pix["endToEndId"],
        amount=_money(pix["valor"]),
        paid_at=_time(instant(pix["horario"])),
        left=left_of(pix),
        refunds=[
            RefundView(
                refund_id=each["id"],
                end_to_end_id=pix["endToEndId"],
                amount=_money(each["valor"]),
                status=_REFUND[each["status"]],
                is_pending=each["status"] == "EM_PROCESSAMENTO",
            )
            for each in pix.get("devolucoes", [])
        ],
    )


def _money(value: str) -> str:
    return format_money(cents(value), "BRL", language="es")


def _time(at: datetime) -> str:
    return f"{at.astimezone(_BRASILIA):%d/%m %H:%M:%S}"
