"""Messages of the oracle (docs/ORACLE.md): requests out, replies checked.

A reply is believed only when it has the form that the schema promises. Anything
else is a TransportError: it is retried, and never becomes a score.
"""

from __future__ import annotations

import json
import math
from typing import Any, Iterable, Literal, Mapping, NamedTuple, Sequence, TypeVar, Union

from .errors import OracleUnavailable, RequestRefused, TransportError

SCHEMA = "planproof.score/1"


def schema_of(op: str) -> str:
    """The schema of an operation's messages."""
    return f"planproof.{op}/1"


ERROR_SCHEMA = "planproof.error/1"

#: Most items and bytes of one request; the oracle's limits are 4,096 and 64 MB.
MAX_ITEMS = 4096
MAX_BYTES = 48 << 20
#: Most bytes of a reply that are read.
MAX_REPLY = 512 << 20

STATUSES = ("ok", "timeout", "unavailable", "bad_request")
_STATUSES = frozenset(STATUSES)

Status = Literal["ok", "timeout", "unavailable", "bad_request"]
OnError = Literal["raise", "none", "zero"]
Reader = Literal["strict", "natural"]

#: "sha256:..." of a loaded task, the name of a bundled one, or {"domain": text, "problem": text}.
Task = Union[str, Mapping[str, Any]]
#: A text, or a chat whose last message by the assistant counts.
Completion = Union[str, Sequence[Mapping[str, Any]]]
#: A reward by its name or address, or inline as in a reward file.
Spec = Union[str, Mapping[str, Any]]


class Item(NamedTuple):
    """One response to score.

    ``task`` is ``"sha256:..."`` of a task that the oracle has loaded, the name of a
    bundled one (``"blocksworld:3-5"``), or ``{"domain": text, "problem": text}``.
    ``completion`` is the model's answer, or a chat whose last message by the assistant
    counts. ``finish`` is ``"length"`` when it was cut off. ``gold`` (a mapping with plan,
    steps, cost, ...) and ``budget`` are what is known of the task, for rewards that
    compare; ``constrained_decoding`` says that a grammar constrained the decoding.
    ``reader`` is ``"strict"`` or ``"natural"``: how the answer is read (docs/EXTRACTION.md).
    """

    task: Task
    completion: Completion
    finish: str | None = None
    gold: Mapping[str, Any] | None = None
    budget: Any = None
    constrained_decoding: bool | None = None
    reader: Reader | None = None


#: What is scored: a completion, a tuple, a mapping with the names of Item, or an Item.
Answer = Union[str, Item, "tuple[Task, Completion]", "tuple[Task, Completion, str | None]", Mapping[str, Any]]

_OPTIONAL = ("finish", "gold", "budget", "constrained_decoding", "reader")
_NOTHING = (None,) * len(_OPTIONAL)


class Result:
    """What the oracle says of one response.

    ``score`` is None unless ``status`` is ``"ok"`` (or the caller asked for zeros).
    The other attributes are the members of docs/ORACLE.md; ``raw`` has them as they came,
    and those of later oracles, too.
    """

    __slots__ = ("raw", "score")

    def __init__(self, raw: Mapping[str, Any]):
        self.raw = raw
        self.score: float | None = raw["score"]

    @property
    def ok(self) -> bool:
        """Whether the score is a statement about the response."""
        return self.status == "ok"

    @property
    def status(self) -> Status:
        """``ok``; ``timeout``: the judge's work is bounded; ``unavailable``: ask again;
        ``bad_request``: the item, its task or what the reward needs is wrong."""
        status: Status = self.raw["status"]
        return status

    @property
    def valid(self) -> bool:
        """Whether the plan is valid."""
        return self.verdict == "valid"

    @property
    def verdict(self) -> str:
        """What the judge says, ``valid`` or why not; "" if it says nothing."""
        return str(self.raw["verdict"])

    @property
    def components(self) -> Mapping[str, float]:
        """The parts of the score by name, the same names for all results of one reward that are
        ok; empty otherwise."""
        components: Mapping[str, float] = self.raw["components"]
        return components

    @property
    def plan_len(self) -> int:
        """Steps of the plan that was read."""
        return int(self.raw["plan_len"])

    @property
    def ref_len(self) -> int | None:
        """Steps of the reference plan, None if there is none."""
        return _optional_int(self.raw["ref_len"])

    @property
    def ref_optimal(self) -> bool:
        """Whether no plan is shorter than the reference."""
        return bool(self.raw["ref_optimal"])

    @property
    def first_bad_step(self) -> int:
        """The first step that cannot be executed, from 1; -1 for none."""
        return int(self.raw["first_bad_step"])

    @property
    def cost(self) -> float | str | None:
        """Of the plan, or of the part that can be executed: a number if a float holds it
        exactly, otherwise a decimal or a fraction as text; None if undefined."""
        cost: float | str | None = self.raw["cost"]
        return cost

    @property
    def reader(self) -> Reader | None:
        """The reader that read the response; None if none did."""
        reader: Reader | None = self.raw["reader"]
        return reader

    @property
    def optimality_gap(self) -> float | str | None:
        """Cost of a valid plan minus the optimal cost, as cost; None if either is unknown."""
        gap: float | str | None = self.raw["optimality_gap"]
        return gap

    @property
    def digest(self) -> str | None:
        """SHA-256 over what the score is a function of; None without a task."""
        digest: str | None = self.raw["digest"]
        return digest

    @property
    def reason(self) -> str:
        """The finer status behind status and verdict (docs/REWARDS.md)."""
        return str(self.raw["reason"])

    @property
    def message(self) -> str:
        """Why, in words; "" for a valid plan."""
        return str(self.raw["message"])

    @property
    def step_rewards(self) -> list[float] | None:
        """The score step by step: of each executed step, then of the end of the response
        (docs/REWARDS.md). None if it was not asked for, or there is no score."""
        rewards: list[float] | None = self.raw.get("step_rewards")
        return rewards

    @property
    def step_lines(self) -> list[int] | None:
        """The line in the response, from 1, of each executed step."""
        lines: list[int] | None = self.raw.get("step_lines")
        return lines

    @property
    def violations(self) -> int | None:
        """How many steps of the plan the task forbids. None for a task that forbids nothing
        (docs/RESTRICTIONS.md), or without a score."""
        return _optional_int(self.raw.get("violations"))

    def __getstate__(self) -> tuple[Mapping[str, Any], float | None]:
        return self.raw, self.score

    def __setstate__(self, state: tuple[Mapping[str, Any], float | None]) -> None:
        self.raw, self.score = state

    def __repr__(self) -> str:
        return f"Result(score={self.score}, status={self.raw['status']!r}, verdict={self.raw['verdict']!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and (self.raw, self.score) == (other.raw, other.score)

    __hash__ = None  # type: ignore[assignment]


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)


def without_score(status: str, message: str) -> dict[str, Any]:
    """An item of a reply that has no score, with all members."""
    return {
        "id": None, "status": status, "score": None, "components": {}, "verdict": "",
        "plan_len": 0, "ref_len": None, "ref_optimal": False, "first_bad_step": -1, "cost": None,
        "optimality_gap": None, "reader": None, "digest": None, "reason": status, "message": message,
    }


def as_item(value: Any, task: Task | None = None) -> Item:
    """Reads an item: an Item, a (task, completion[, finish]) tuple, a dict with these
    names, or with a default task a completion."""
    if isinstance(value, Item):
        item = value
    elif isinstance(value, str):
        if task is None:
            raise TypeError("a completion alone needs a task: score(..., task=...)")
        item = Item(task, value)
    elif isinstance(value, Mapping):
        if "completion" not in value:
            raise TypeError(f"an item without a completion: it has {sorted(map(str, value))}")
        item = Item(value.get("task", task), value["completion"], *(value.get(name) for name in _OPTIONAL))
    elif isinstance(value, tuple) and 2 <= len(value) <= 3:
        item = Item(*value)
    else:
        raise TypeError(f"an item is a completion, a tuple, a dict or an Item, not {type(value).__name__}")
    if item.task is None:
        raise TypeError("an item without a task")
    if not isinstance(item.completion, (str, list, tuple)):
        raise TypeError(f"a completion is a text or a chat, not {type(item.completion).__name__}")
    return item


def encode_item(index: int, item: Item) -> str:
    """One item as JSON. Lone surrogates, which no JSON reader takes, become U+FFFD."""
    data: dict[str, Any] = {"id": index, "task": item[0], "completion": item[1]}
    if item[2:] != _NOTHING:
        data.update((name, value) for name, value in zip(_OPTIONAL, item[2:]) if value is not None)
    return encode(data)


def encode(data: Mapping[str, Any]) -> str:
    """An item, whose first member is its id, as JSON."""
    text = json.dumps(data)
    if "\\ud" in text:
        text = json.dumps(_clean(data))
    return text


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_clean(k): _clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(v) for v in value]
    return value


class Ask(NamedTuple):
    """What is asked of each item: the operation, and the members of its request."""

    op: str = "score"
    head: Mapping[str, Any] = {}


def ask_score(spec: Any = None, step_rewards: bool = False, reader: str | None = None) -> Ask:
    """Asks for scores."""
    head = {} if spec is None else {"spec": spec}
    if step_rewards:
        head["step_rewards"] = True
    if reader is not None:
        head["reader"] = check_reader(reader)
    return Ask("score", head)


def encode_request(request_id: str, ask: Ask, deadline_ms: int, items: Iterable[str]) -> bytes:
    """A request of encoded items. The schema is the first member, as the pipe needs it."""
    head = {"schema": schema_of(ask.op), "request_id": request_id, "deadline_ms": deadline_ms, **ask.head}
    return (json.dumps(head)[:-1] + ', "items": [' + ",".join(items) + "]}").encode()


def decode_json(body: bytes) -> Mapping[str, Any]:
    """A reply's object, or TransportError."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise TransportError(f"the oracle's reply is no JSON: {err}") from None
    if not isinstance(reply, dict):
        raise TransportError("the oracle's reply is no object")
    return reply


RETRIED_CODES = frozenset({"busy", "stopping", "internal", "request_timeout"})


def raise_fault(reply: Mapping[str, Any], retry_after: float | None = None) -> None:
    """Raises what an error object says; returns if the reply is none."""
    if reply.get("schema") != ERROR_SCHEMA:
        return
    error = reply.get("error")
    if not isinstance(error, dict):
        raise TransportError("the oracle's error has no code")
    code, message = str(error.get("code", "")), str(error.get("message", ""))
    if code in RETRIED_CODES:
        raise TransportError(f"{code}: {message}", retry_after)
    raise RequestRefused(code, message)


def decode_items(reply: Mapping[str, Any], op: str, request_id: str, count: int, members: frozenset[str]) -> list[dict[str, Any]]:
    """The items of a reply to a request with ids from 0 to count-1, in that order, each
    with a known status and these members."""
    raise_fault(reply)
    if reply.get("schema") != schema_of(op):
        raise TransportError(f"the reply's schema is {str(reply.get('schema'))[:80]!r}, not {schema_of(op)!r}")
    if reply.get("request_id") != request_id:
        raise TransportError("the reply is to another request")
    items = reply.get("items")
    if not isinstance(items, list) or len(items) != count:
        raise TransportError(f"the reply does not have the {count} items of the request")
    for index, raw in enumerate(items):
        if not isinstance(raw, dict) or raw.get("id") != index or raw["id"] is True or raw["id"] is False:
            raise TransportError(f"item {index} of the reply is another one, or none")
        if not raw.keys() >= members:
            raise TransportError(f"item {index} of the reply lacks {sorted(members - raw.keys())}")
        status = raw["status"]
        if not isinstance(status, str) or status not in _STATUSES:
            raise TransportError(f"item {index} of the reply has the unknown status {str(status)[:80]!r}")
    return items


def is_number(value: Any) -> bool:
    """Whether a value of a reply is a number that can be counted with: Python's reader takes
    NaN and Infinity, too, and whole numbers that no float holds."""
    return type(value) in (int, float) and -1e300 < value < 1e300


def decode_reply(reply: Mapping[str, Any], request_id: str, count: int, step_rewards: bool = False) -> list[Result]:
    """The results of a reply to a request for scores."""
    results = []
    for index, raw in enumerate(decode_items(reply, "score", request_id, count, _WITH_STEPS if step_rewards else _MEMBERS)):
        score = raw["score"]
        if raw["status"] == "ok":
            if not is_number(score):
                raise TransportError(f"item {index} of the reply is ok but its score is no number")
        elif score is not None:
            raise TransportError(f"item {index} of the reply has a score although it is not ok")
        if not isinstance(raw["components"], dict) or not isinstance(raw["verdict"], str):
            raise TransportError(f"item {index} of the reply has no components or no verdict")
        if any(type(raw.get(name, 0)) is not int for name in ("violations", "plan_len")) or not all(map(is_number, raw["components"].values())):
            raise TransportError(f"item {index} of the reply has violations, a length or components that are no numbers")
        if step_rewards and score is not None:
            _check_steps(index, raw)
        results.append(Result(raw))
    return results


def _check_steps(index: int, raw: Mapping[str, Any]) -> None:
    rewards, lines = raw["step_rewards"], raw["step_lines"]
    if not isinstance(rewards, list) or not isinstance(lines, list) or len(rewards) != len(lines) + 1:
        raise TransportError(f"item {index} of the reply has no rewards of its steps")
    if any(type(n) is not int or n < 1 for n in lines):
        raise TransportError(f"the lines of the steps of item {index} are none")
    if not all(map(is_number, rewards)) or abs(math.fsum(rewards) - raw["score"]) > 1e-6 * max(1.0, abs(raw["score"])):
        raise TransportError(f"the rewards of the steps of item {index} do not sum to its score")


_MEMBERS = frozenset(without_score("ok", ""))
_WITH_STEPS = _MEMBERS | {"step_rewards", "step_lines"}

READERS = ("strict", "natural")


def check_reader(value: str) -> Reader:
    """The name of a reader, or ValueError."""
    if value == "strict":
        return "strict"
    if value == "natural":
        return "natural"
    raise ValueError(f"reader is {value!r}; it is strict or natural")


ON_ERROR = ("raise", "none", "zero")


R = TypeVar("R")


def settle(results: Sequence[R], on_error: str) -> list[R]:
    """Applies what a caller wants of items without a score, or another answer.

    Raises OracleUnavailable, or RequestRefused for a bad request, if on_error is raise.
    """
    index: int
    result: Any
    for index, result in enumerate(results):
        if result.ok:
            continue
        if on_error == "raise":
            where = f"item {index}: {result.raw['message'] or result.raw.get('reason') or result.raw['status']}"
            if result.raw["status"] == "bad_request":
                raise RequestRefused("bad_request", where)
            raise OracleUnavailable(f"{result.raw['status']}: {where}")
        if on_error == "zero" and isinstance(result, Result):
            result.score = 0.0
    return list(results)


def check_on_error(value: str) -> str:
    """The setting. Raises ValueError."""
    if value not in ON_ERROR:
        raise ValueError(f"on_error is {value!r}; it is one of {', '.join(ON_ERROR)}")
    return value
