"""Make calls of the API fail as `faults` has planned."""

from __future__ import annotations

import socket
from contextlib import suppress

from flask import Flask, Response, g, request

from app.devservices.pix_bank.api import problem
from app.devservices.pix_bank.faults import WORKS_FIRST, Fault, Faults, Plan
from app.devservices.pix_bank.wire import Refusal

_PAGE = "<html><body><h1>Em manutenção</h1></body></html>"
_REFUSALS = {
    Fault.DOWN: Refusal("ServicoIndisponivel", 503, "Serviço em manutenção."),
    Fault.BROKEN: Refusal("ErroInternoDoServidor", 500, "Condição inesperada."),
    Fault.UNAUTHORIZED: Refusal("NaoAutorizado", 401, "Token desconhecido."),
    Fault.FORBIDDEN: Refusal("AcessoNegado", 403, "Acesso negado."),
    Fault.LATE: Refusal("IndisponibilidadePorTempoEsgotado", 504, "Demorou além do esperado."),
}
_PAGES = {Fault.HTML: 502, Fault.NOWHERE: 404}


def fail_as_planned(app: Flask, faults: Faults) -> None:
    """Have each call of the API meet its plan, if there is one."""

    @app.before_request
    def fail_first() -> Response | None:
        if not request.path.startswith("/api"):
            return None
        path = request.path.removeprefix("/api").removeprefix("/v2").removeprefix("/v3")
        plan = g.plan = faults.take(request.method, path)
        if plan is None or plan.fault in WORKS_FIRST:
            return None
        faults.wait(plan.seconds)
        return _instead(plan.fault)

    @app.after_request
    def fail_afterwards(response: Response) -> Response:
        plan: Plan | None = g.get("plan")
        if plan is None or plan.fault not in WORKS_FIRST:
            return response
        faults.wait(plan.seconds)
        return _spoiled(plan.fault, response)


def _instead(fault: Fault) -> Response | None:
    """What is answered before anything is done; nothing lets the call go on."""
    if fault in _REFUSALS:
        return problem(_REFUSALS[fault])
    if fault in _PAGES:
        return Response(_PAGE, _PAGES[fault])
    if fault is Fault.LIMITED:
        return Response("{}", 429, {"Retry-After": "7"}, content_type="application/json")
    if fault is Fault.CUT:
        return _hang_up(Response(status=500))
    return None


def _spoiled(fault: Fault, response: Response) -> Response:
    """What is answered after the work was done."""
    match fault:
        case Fault.LOST:
            return _hang_up(response)
        case Fault.LATE:
            return problem(_REFUSALS[fault])
        case Fault.EMPTY:
            return Response(status=response.status_code)
        case _:
            return Response(_PAGE, response.status_code)


def _hang_up(response: Response) -> Response:
    """End the connection under the caller's feet; the response goes nowhere."""
    connection: socket.socket = request.environ["werkzeug.socket"]
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    return response
