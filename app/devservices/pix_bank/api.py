"""The routes of the API Pix."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta, timezone
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import HTTPException

from app.devservices.pix_bank.access import Access
from app.devservices.pix_bank.books import Books
from app.devservices.pix_bank.journal import Document
from app.devservices.pix_bank.refunds import Refunds
from app.devservices.pix_bank.wire import Client, Refusal, instant, public

MOST_ON_A_PAGE = 1_000
_BRASILIA = timezone(timedelta(hours=-3))


_ROUTES = (
    ("POST", "/oauth/token", "token"),
    ("PUT", "/cob/<txid>", "put_charge"),
    ("PATCH", "/cob/<txid>", "patch_charge"),
    ("GET", "/cob/<txid>", "get_charge"),
    ("GET", "/cob", "list_charges"),
    ("GET", "/pix/<e2e>", "get_payment"),
    ("GET", "/pix", "list_payments"),
    ("PUT", "/pix/<e2e>/devolucao/<refund_id>", "put_refund"),
    ("GET", "/pix/<e2e>/devolucao/<refund_id>", "get_refund"),
    ("PUT", "/webhook/<path:key>", "put_webhook"),
    ("GET", "/webhook/<path:key>", "get_webhook"),
    ("GET", "/webhook", "list_webhooks"),
    ("DELETE", "/webhook/<path:key>", "delete_webhook"),
)


def make_api(books: Books, refunds: Refunds, access: Access) -> Blueprint:
    api, calls = Blueprint("api", __name__), _Calls(books, refunds, access)
    for method, path, name in _ROUTES:
        api.add_url_rule(path, name, getattr(calls, name), methods=[method])
    return api


class _Calls:
    def __init__(self, books: Books, refunds: Refunds, access: Access) -> None:
        self._books = books
        self._refunds = refunds
        self._access = access

    def _client(self, scope: str) -> Client:
        return self._access.client_of(request, scope=scope)

    def token(self) -> Response:
        granted = self._access.grant(request, grants_less=self._books.quirks.grants_less)
        return answer(granted or {"error": "invalid_client"}, 200 if granted else 401)

    def put_charge(self, txid: str) -> Response:
        charge = self._books.put_charge(self._client("cob.write"), txid, body())
        return answer(_charge(self._books, charge), 201)

    def patch_charge(self, txid: str) -> Response:
        charge = self._books.patch_charge(self._client("cob.write"), txid, body())
        return answer(_charge(self._books, charge), 200)

    def get_charge(self, txid: str) -> Response:
        me = self._client("cob.read")
        charge = self._books.charge(me, txid, _number("revisao", None))
        return answer(_complete(self._books, me, charge), 200)

    def list_charges(self) -> Response:
        me = self._client("cob.read")
        since, until = _span("CobConsultaInvalida")
        status = request.args.get("status")
        found = [
            {**_complete(self._books, me, charge), "idCob": charge["txid"]}
            for charge in self._books.list_charges(me)
            if since <= instant(charge["calendario"]["criacao"]) <= until
            and status in {None, charge["status"]}
        ]
        page, asked = _page(self._books, found)
        return answer({"parametros": asked, "cobs": page}, 200)

    def get_payment(self, e2e: str) -> Response:
        return answer(
            _times(self._books, public(self._books.payment(self._client("pix.read"), e2e))), 200
        )

    def list_payments(self) -> Response:
        me = self._client("pix.read")
        since, until = _span("PixConsultaInvalida")
        txid = request.args.get("txid")
        found = [
            _times(self._books, public(pix))
            for pix in self._books.payments(me)
            if since <= instant(pix["horario"]) <= until
            and txid in {None, pix.get("txid")}
            and _is_as_asked("txIdPresente", "txid" in pix)
            and _is_as_asked("devolucaoPresente", "devolucoes" in pix)
        ]
        page, asked = _page(self._books, found)
        # the official file requires `cobs` here too, an oversight that costs nothing to keep
        return answer({"parametros": asked, "cobs": [], "pix": page}, 200)

    def put_refund(self, e2e: str, refund_id: str) -> Response:
        refund = self._refunds.ask(self._client("pix.write"), e2e, refund_id, body())
        return answer(_times(self._books, refund), 201)

    def get_refund(self, e2e: str, refund_id: str) -> Response:
        return answer(
            _times(self._books, self._refunds.find(self._client("pix.read"), e2e, refund_id)), 200
        )

    def put_webhook(self, key: str) -> Response:
        self._books.set_webhook(self._client("webhook.write"), key, body().get("webhookUrl"))
        return Response(status=200)

    def get_webhook(self, key: str) -> Response:
        return answer(self._books.webhook(self._client("webhook.read"), key), 200)

    def list_webhooks(self) -> Response:
        me = self._client("webhook.read")
        page, asked = _page(
            self._books, [self._books.webhooks[me.key]] if self._books.webhooks.get(me.key) else []
        )
        return answer({"parametros": asked, "webhooks": page}, 200)

    def delete_webhook(self, key: str) -> Response:
        self._books.delete_webhook(self._client("webhook.write"), key)
        return Response(status=204)


def answer(document: Document, status: int) -> Response:
    return Response(json.dumps(document), status, content_type="application/json")


def problem(refusal: Refusal) -> Response:
    document = json.dumps(refusal.document())
    return Response(document, refusal.status, content_type="application/problem+json")


def http_problem(failure: HTTPException) -> Response:
    status = failure.code or 500
    kind = "NaoEncontrado" if status == 404 else "RequisicaoInvalida"
    return problem(Refusal(kind, status, failure.name))


def body() -> Document:
    """Raises: Refusal when the body is no JSON object."""
    document = request.get_json(force=True, silent=True)
    if not isinstance(document, dict):
        raise Refusal("RequisicaoInvalida", 400, "O corpo não é um objeto JSON.")
    return document


def _charge(books: Books, charge: Document) -> Document:
    shown = public(charge)
    if books.quirks.leaves_code_out:
        del shown["pixCopiaECola"]
    if books.quirks.writes_expiry_as_text:
        shown["calendario"]["expiracao"] = str(shown["calendario"]["expiracao"])
    return _times(books, shown)


def _complete(books: Books, client: Client, charge: Document) -> Document:
    shown = _charge(books, charge)
    payments = books.payments_of(client, charge["txid"])
    if payments and not books.quirks.leaves_payments_out:
        shown["pix"] = [_times(books, public(pix)) for pix in payments]
    return shown


def _times(books: Books, document: Document) -> Document:
    """The document with the times as this bank writes them."""
    names = {"criacao", "horario", "solicitacao", "liquidacao"}

    def rewrite(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {each: rewrite(part, each) for each, part in value.items()}
        if isinstance(value, list):
            return [rewrite(part) for part in value]
        if name in names:
            return instant(value).astimezone(_BRASILIA).isoformat()
        return value

    if not books.quirks.writes_local_times:
        return document
    rewritten: Document = rewrite(document)
    return rewritten


def _span(kind: str) -> tuple[datetime, datetime]:
    since, until = request.args.get("inicio"), request.args.get("fim")
    if not since or not until:
        raise Refusal(kind, 400, "Faltam os parâmetros.", ("inicio", "ou fim ausente"))
    begin, end = instant(since), instant(until)
    if end < begin:
        raise Refusal(kind, 400, "O período é inválido.", ("fim", "é anterior a inicio"))
    return begin, end


def _is_as_asked(name: str, has: bool) -> bool:
    asked = request.args.get(name)
    return asked is None or (asked.lower() == "true") == has


def _number(name: str, default: int | None) -> int | None:
    text = request.args.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 9:
        raise Refusal("RequisicaoInvalida", 400, "Parâmetro inválido.", (name, "não é um número"))
    return int(text)


def _page(books: Books, found: list[Document]) -> tuple[list[Document], Document]:
    """One page of what was found, and what the caller asked with."""
    number = _number("paginacao.paginaAtual", 0) or 0
    size = _number("paginacao.itensPorPagina", 100) or 0
    if not 1 <= size <= MOST_ON_A_PAGE:
        reason = ("paginacao.itensPorPagina", "não respeita o schema")
        raise Refusal("RequisicaoInvalida", 400, "A paginação é inválida.", reason)
    asked: Document = {
        name: request.args[name] for name in ("inicio", "fim", "txid") if name in request.args
    }
    if books.quirks.ignores_paging:
        return found, asked
    asked["paginacao"] = {
        "paginaAtual": number,
        "itensPorPagina": size,
        "quantidadeDePaginas": max(1, math.ceil(len(found) / size)),
        "quantidadeTotalDeItens": len(found),
    }
    return found[number * size : (number + 1) * size], asked
