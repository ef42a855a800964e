"""When to try again, and when to stop a training run."""

from __future__ import annotations

import email.utils
import os
import random
import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any

from .errors import CircuitOpen


@dataclass(frozen=True)
class Policy:
    """Retries of one request.

    Waits are drawn from [0, min(cap, base * 2**n)] seconds (full jitter), or are what
    the server asks for if that is longer.
    """

    tries: int = 10
    base: float = 0.05
    cap: float = 10.0

    def wait(self, failures: int, retry_after: float | None = None) -> float:
        """Seconds to wait after a number of failures, from 1."""
        drawn = random.uniform(0, min(self.cap, self.base * 2 ** min(failures, 30)))
        return max(drawn, retry_after or 0.0)


def parse_retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, a number or a date; None if it is neither."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(min(int(value[:9]), 86_400))
    try:
        date = email.utils.parsedate_to_datetime(value)
        return min(max(0.0, date.timestamp() - time.time()), 86_400.0)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


class Breaker:
    """Stops a run in which too many items have no score.

    Results come in steps of at least ``step`` items. More than ``share`` of a step, or
    any in ``streak`` steps one after the other, opens it: from then on every call
    raises CircuitOpen, until reset. A stream of missing scores would teach nothing,
    and a stream of zeros that planning is bad.
    """

    def __init__(self, share: float = 0.05, streak: int = 3, step: int = 64):
        self.share, self.streak, self.step = share, streak, max(1, step)
        self.reset()
        _breakers.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.share, self.streak, self.step)

    def reset(self) -> None:
        """Closes it again and forgets what was counted."""
        self._lock = threading.Lock()
        self._total = self._missing = self._bad_steps = 0
        self._why = ""

    def check(self) -> None:
        """Raises CircuitOpen if it is open."""
        if self._why:
            raise CircuitOpen(self._why)

    def count(self, missing: int, total: int, why: str = "") -> None:
        """Counts items, of which some have no score through no fault of their own."""
        with self._lock:
            self._total += total
            self._missing += missing
            if self._total < self.step:
                return
            total, missing, self._total, self._missing = self._total, self._missing, 0, 0
            self._bad_steps = self._bad_steps + 1 if missing else 0
            last = f" (last: {why})" if why else ""
            if missing > self.share * total:
                self._why = f"{missing} of {total} items had no score, more than {self.share:.0%}{last}: is the oracle up?"
            elif self._bad_steps >= self.streak:
                self._why = f"items without a score in {self._bad_steps} steps one after the other{last}: is the oracle up?"


_breakers: "weakref.WeakSet[Breaker]" = weakref.WeakSet()


def _forked() -> None:
    for breaker in list(_breakers):
        breaker._lock = threading.Lock()  # a thread that is not here may hold the old one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
