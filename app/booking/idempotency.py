import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.booking.errors import KeyInUse, KeyReused
from app.database import LOCK_TIMEOUT, sqlstate
from app.errors import Conflict

_FIND = text("""
    SELECT k.fingerprint, k.status, k.body, b.id AS booking_id,
        pg_try_advisory_xact_lock(hashtextextended(:request_key, 0)) AS is_ours
    FROM (SELECT) AS one
    LEFT JOIN idempotency_key k
        ON k.location_id = :location_id AND k.request_key = :request_key
    LEFT JOIN booking b ON b.location_id = :location_id AND b.request_key = :request_key
""")

_WAIT = (
    text("SET LOCAL lock_timeout = '5s'"),
    text("SELECT pg_advisory_xact_lock(hashtextextended(:request_key, 0))"),
    text("SET LOCAL lock_timeout = '2500ms'"),
)

_REMEMBER = text("""
    INSERT INTO idempotency_key (location_id, request_key, fingerprint, status, body)
    VALUES (:location_id, :request_key, :fingerprint, :status, :body)
""").bindparams(bindparam("body", type_=JSONB))

PRUNE_BATCH = 5000

_PRUNE = text("""
    DELETE FROM idempotency_key WHERE (location_id, request_key) IN (
        SELECT location_id, request_key FROM idempotency_key
        WHERE created_at < clock_now() - interval '3 days' LIMIT :batch
        FOR UPDATE SKIP LOCKED)
""")


@dataclass(frozen=True)
class RequestKey:
    """One request that may come again: who sends it, which call, its key and its body."""

    location_id: UUID
    digest: str
    fingerprint: str

    @staticmethod
    def of(location_id: UUID, *, client: str, call: str, key: str, body: Any) -> "RequestKey":
        """Digest a key within its client and call, and the canonical JSON of the body."""
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return RequestKey(
            location_id,
            digest=hashlib.sha256(f"{client}\0{call}\0{key}".encode()).hexdigest(),
            fingerprint=hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest(),
        )


@dataclass(frozen=True)
class Answer:
    """What a request was answered: an HTTP status and a JSON object."""

    status: int
    body: dict[str, Any]
    is_replayed: bool = False


def once(
    session: Session,
    key: RequestKey,
    work: Callable[[], Answer],
    *,
    revive: Callable[[UUID], Answer] | None = None,
) -> Answer:
    """Do ``work`` and remember its answer in the same transaction, or give the answer again.

    A refusal that ``work`` raises is not remembered, so a retry can win; one that it returns is.
    A conflict may be with the twin request itself, which ended while this one began: then the
    twin's answer is the answer.
    When the stored answer was pruned, the booking still carries the key and ``revive`` answers
    with it as it is now, so no retry ever makes a second booking.

    Raises:
        KeyReused: the key came before with another body.
        KeyInUse: the first request still ran after five seconds.
    """
    found = _find(session, key)
    if not found.is_ours:
        _wait(session, key)
        found = _find(session, key)
    if found.status is not None:
        return _again(found, key)
    if found.booking_id is not None and revive is not None:
        answer = revive(found.booking_id)
        return Answer(answer.status, answer.body, is_replayed=True)
    try:
        answer = work()
    except Conflict:
        found = _find(session, key)
        if found.status is None:
            raise
        return _again(found, key)
    session.execute(
        _REMEMBER,
        {
            "location_id": key.location_id,
            "request_key": key.digest,
            "fingerprint": key.fingerprint,
            "status": answer.status,
            "body": answer.body,
        },
    )
    return answer


def _again(found: Row[Any], key: RequestKey) -> Answer:
    if found.fingerprint != key.fingerprint:
        raise KeyReused
    return Answer(found.status, found.body, is_replayed=True)


def _find(session: Session, key: RequestKey) -> Row[Any]:
    return session.execute(_FIND, {"location_id": key.location_id, "request_key": key.digest}).one()


def _wait(session: Session, key: RequestKey) -> None:
    raise_limit, lock, restore_limit = _WAIT
    session.execute(raise_limit)
    try:
        session.execute(lock, {"request_key": key.digest})
    except OperationalError as error:
        if sqlstate(error) != LOCK_TIMEOUT:
            raise
        raise KeyInUse from error
    session.execute(restore_limit)


def prune_keys(session: Session) -> int:
    """Forget answers older than three days (the contract keeps them for one); tell how many."""
    return session.execute(_PRUNE, {"batch": PRUNE_BATCH}).rowcount  # type: ignore[attr-defined, no-any-return]
