"""What may go wrong between a bank and its client, on demand."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    DOWN = "down"  # 503, nothing done
    BROKEN = "broken"  # 500, nothing done
    LIMITED = "limited"  # 429 with Retry-After, nothing done
    UNAUTHORIZED = "unauthorized"  # 401: the token is not known any more
    FORBIDDEN = "forbidden"  # 403
    HTML = "html"  # 502 with a page of some proxy
    NOWHERE = "nowhere"  # 404 with a page of some proxy, though the thing is there
    CUT = "cut"  # the connection ends before anything is done
    SLOW = "slow"  # works, after `seconds`
    LOST = "lost"  # works, then the connection ends without an answer
    LATE = "late"  # works, then 504
    EMPTY = "empty"  # works, and answers without content
    JUNK = "junk"  # works, and answers something that is no JSON


WORKS_FIRST = {Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK}


@dataclass(frozen=True)
class Plan:
    """One call that will fail. `call` is a method and the beginning of a path: `PUT /cob`."""

    call: str
    fault: Fault
    seconds: float = 0.0


class Faults:
    """Plans are met in the order they were made, each one once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: deque[Plan] = deque()
        self.released = threading.Event()

    def add(self, call: str, fault: Fault | str, *, times: int = 1, seconds: float = 0.0) -> None:
        with self._lock:
            self._plans.extend([Plan(call, Fault(fault), seconds)] * times)

    def clear(self) -> None:
        with self._lock:
            self._plans.clear()

    def list_planned(self) -> list[Plan]:
        with self._lock:
            return list(self._plans)

    def take(self, method: str, path: str) -> Plan | None:
        """The plan that this call meets, which is then spent."""
        with self._lock:
            for plan in self._plans:
                if f"{method} {path}".startswith(plan.call):
                    self._plans.remove(plan)
                    return plan
        return None

    def wait(self, seconds: float) -> None:
        """Let time pass, unless the bank closes."""
        self.released.wait(seconds)
