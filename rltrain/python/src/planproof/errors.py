"""What can go wrong, apart from the model's answers: those have scores."""

from __future__ import annotations

from typing import Any


class PlanproofError(Exception):
    """Base of all errors of this package."""


class OracleUnavailable(PlanproofError):
    """No score could be had: asking again later may help.

    Raised when retries and the deadline are used up. It says nothing about the
    response that was to be scored.
    """


class RequestRefused(PlanproofError):
    """The oracle refuses the request, or an item of it: asking again is useless.

    ``code`` is the oracle's word for it (``bad_request``, ``unauthorized``, ...).
    A data set with a task that cannot be read ends here.
    """

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message)


class OracleRefuses(RequestRefused):
    """The oracle does not start because of what it is given: a file of tasks with bad rows, a
    reward that is none. The message is the oracle's, a line a fault, with their places."""

    def __init__(self, message: str):
        super().__init__("bad_input", message)

    def __str__(self) -> str:
        return "\n".join(line.removeprefix("planproof: ") for line in self.message.splitlines())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,)


class CircuitOpen(PlanproofError):
    """Too many items of a training run had no score: stop and look at the oracle.

    Unlike OracleUnavailable no adapter turns it into a value.
    """


class BinaryMissing(PlanproofError):
    """There is neither a URL of an oracle nor a planproof binary to start."""


class TransportError(Exception):
    """One try failed and another may succeed (internal).

    ``retry_after`` is what the server asked for, in seconds; ``fresh`` that nothing
    is wrong with the server: an idle connection was closed and a new one will do.
    """

    def __init__(self, message: str, retry_after: float | None = None, fresh: bool = False):
        super().__init__(message)
        self.retry_after = retry_after
        self.fresh = fresh
