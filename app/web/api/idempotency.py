"""Calls that change something: one transaction each, and once for each Idempotency-Key."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import Response, abort, current_app, request
from sqlalchemy.orm import Session

from app.accounts.queries import KeyHolder
from app.booking.errors import KeyInUse, KeyReused
from app.booking.idempotency import Answer, RequestKey, once
from app.booking.placing import Wanted
from app.errors import Conflict, Invalid, NotFound
from app.events import Actor
from app.extensions import db, transact
from app.web.api.bodies import read_body
from app.web.api.callers import actor_of
from app.web.api.refusals import offer_others
from app.web.api.sending import respond
from app.web.errors import problem, problem_response, status_of

HEADER = "Idempotency-Key"
LONGEST_KEY = 255

STORED = (Invalid, NotFound)
"""Refusals that depend on the request alone: a retry gets them again."""


@dataclass
class Call:
    """One request that changes something.

    ``wanted`` tells what to offer others for if it is refused; the work sets it when it knows.
    """

    holder: KeyHolder
    now: datetime
    body: Any = None
    request_key: RequestKey | None = None
    wanted: Callable[[Session], Wanted] | None = None

    @property
    def location_id(self) -> UUID:
        return self.holder.location_id

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.holder.timezone)

    @property
    def actor(self) -> Actor:
        return actor_of(self.holder)

    @property
    def digest(self) -> str | None:
        """What the booking keeps for ever, so that a late retry finds it."""
        return self.request_key.digest if self.request_key else None


Work = Callable[[Session, Call], Answer]
Revival = Callable[[Session, Call, UUID], Answer]


def undertake(
    holder: KeyHolder, work: Work, *, needs_key: bool = False, revive: Revival | None = None
) -> Response:
    """Do what the request asks in one transaction, once for its key, and answer.

    A refusal undoes everything first. Then, in a transaction of its own, it is stored when it
    depends on the request alone; one that depends on the world is not, so that a retry can win.

    Raises:
        DomainError: the refusal, with alternatives where it has some.
    """
    call = _read_call(holder, needs_key=needs_key)
    try:
        answer = transact(lambda session: _run(session, call, work, revive))
    except (KeyReused, KeyInUse):
        raise
    except (*STORED, Conflict) as refusal:
        offer_others(db.session(), refusal, call.wanted, zone=call.zone, now=call.now)
        if call.request_key is None or isinstance(refusal, Conflict):
            raise
        status = status_of(refusal)
        stored = Answer(status, problem(status, refusal.code, refusal.facts))
        answer = transact(lambda session: _run(session, call, lambda *_: stored, revive))
    return respond(answer)


def _read_call(holder: KeyHolder, *, needs_key: bool) -> Call:
    call = Call(holder, current_app.extensions["clock"].now())
    key = read_key(needed=needs_key)
    call.body = read_body()
    if key is not None:
        call.request_key = RequestKey.of(
            holder.location_id,
            client=str(holder.key_id),
            call=f"{request.method} {request.path}",
            key=key,
            body=call.body,
        )
    return call


def read_key(*, needed: bool) -> str | None:
    """Read the Idempotency-Key; a missing or malformed one is answered 400."""
    key = request.headers.get(HEADER)
    if not key and needed:
        abort(problem_response(problem(400, "idempotency_key_required")))
    if key is None:
        return None
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        errors = [{"field": HEADER, "code": "invalid_key"}]
        abort(problem_response(problem(400, "invalid_request", {"errors": errors})))
    return key


def _run(session: Session, call: Call, work: Work, revive: Revival | None) -> Answer:
    if call.request_key is None:
        return work(session, call)
    return once(
        session,
        call.request_key,
        lambda: work(session, call),
        revive=revive and (lambda booking_id: revive(session, call, booking_id)),
    )
