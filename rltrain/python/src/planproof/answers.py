"""What the oracle says beside scores: typed answers of its other operations (docs/ORACLE.md)."""

from __future__ import annotations

import base64
from typing import Any, Callable, ClassVar, Mapping, Sequence, TypeVar

from . import schema
from .errors import TransportError
from .schema import Ask, Result


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _list_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(kind, value))


_is_texts = _list_of(_is_text)


def _is_observation(value: Any) -> bool:
    return isinstance(value, dict) and _is_text(value.get("step")) and _is_text(value.get("message")) and \
        all(_is_texts(value.get(name, [])) for name in ("actions", "disclosed", "repeated")) and "actions" in value


class Answer:
    """An answer to one item. ``ok`` says whether there is one; else ``status`` is
    ``unavailable``, ``timeout`` or ``bad_request``, ``message`` says why, and everything
    else is None or empty. ``raw`` is the item as it came, ``value`` its answer."""

    __slots__ = ("raw",)

    #: The operation, the member of an item that holds its answer, and the members of a
    #: question in the order of a tuple: those from ``LEAST`` on may be left out.
    OP: ClassVar[str]
    MEMBER: ClassVar[str]
    FIELDS: ClassVar[tuple[str, ...]]
    LEAST: ClassVar[int]
    #: Whether the rewards of the request matter.
    SPEC: ClassVar[bool] = False
    #: Whether an answer is read, so that it matters how.
    READER: ClassVar[bool] = False
    #: What members of the answer have to be, and those that may be missing or null.
    FORM: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    MAYBE: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}

    def __init__(self, raw: Mapping[str, Any]):
        self.raw = raw

    @property
    def status(self) -> str:
        """How the question ended: ``ok`` if it was answered."""
        return str(self.raw["status"])

    @property
    def ok(self) -> bool:
        """Whether the question was answered."""
        return bool(self.raw["status"] == "ok")

    @property
    def message(self) -> str:
        """Why not, or what is wrong with the plan or step, in words."""
        return str(self.raw["message"])

    @property
    def value(self) -> Mapping[str, Any]:
        """The answer as the oracle gave it; empty if there is none."""
        return self.raw[self.MEMBER] or {}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        told = self.value if self.ok else self.message
        return f"{type(self).__name__}(status={self.status!r}, {told!r})"


class Extraction(Answer):
    """The plan that a response commits to, as ``planproof extract --json`` tells it."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "extract", "extraction", ("task", "completion"), 2
    READER = True
    FORM = {"status": _is_text, "plan": _is_texts}
    MAYBE = {"lines": _list_of(_is_count), "malformed": _list_of(_is_object)}

    @property
    def found(self) -> str | None:
        """``plan``, ``no-plan``, ``ambiguous`` or ``claims-unsolvable``."""
        return self.value.get("status")

    @property
    def plan(self) -> list[str]:
        """Its steps; lines that are none are in ``malformed``."""
        return list(self.value.get("plan") or ())

    @property
    def lines(self) -> list[int]:
        """The line in the response, from 1, of each step."""
        return list(self.value.get("lines") or ())

    @property
    def malformed(self) -> list[dict[str, Any]]:
        """Lines that stand where a step should: ``line``, ``step``, ``text``."""
        return list(self.value.get("malformed") or ())


class Verdict(Answer):
    """The judgement of a plan, as ``planproof validate --json`` tells it."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "validate", "verdict", ("task", "plan"), 2
    FORM = {"valid": lambda v: v is None or isinstance(v, bool), "executed": _is_count}
    MAYBE = {"cost": _is_text, "failure": _is_object}

    @property
    def valid(self) -> bool | None:
        """Whether the plan is valid; None if that was not decided."""
        return self.value.get("valid")

    @property
    def cost(self) -> str | None:
        """Its cost, exactly, as a decimal or a fraction."""
        return self.value.get("cost")

    @property
    def executed(self) -> int:
        """How many steps can be executed."""
        return self.value.get("executed") or 0

    @property
    def failure(self) -> Mapping[str, Any]:
        """What is wrong: ``kind``, ``step``, ``unsatisfied``, ...; empty for a valid plan."""
        return self.value.get("failure") or {}


class Truth(Answer):
    """What is known of a task's optimal plans. Nothing is searched."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "truth", "truth", ("task", "schedule"), 1
    FORM = {"status": _is_text}
    MAYBE = {"cost": _is_text, "plan": _is_texts}

    @property
    def known(self) -> bool:
        """Whether anything is known."""
        return bool(self.value)

    @property
    def cost(self) -> str | None:
        """The optimal cost, exactly."""
        return self.value.get("cost")

    @property
    def plan(self) -> list[str]:
        """A plan of that cost."""
        return list(self.value.get("plan") or ())


class Solution(Answer):
    """A cheapest plan, or the proof that there is none, as ``planproof solve --json`` tells it. With the status
    ``timeout`` a limit came first; ``value`` then has the ``bounds`` that were reached."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "solve", "solution", ("task", "question"), 1
    FORM = {"status": _is_text}
    MAYBE = {"cost": _is_text, "plan": _is_texts, "certificate": _is_text, "bounds": _is_object}

    @property
    def solvable(self) -> bool | None:
        """Whether there is a plan; None if that was not decided."""
        return {"solved-optimally": True, "unsolvable": False}.get(self.value.get("status", "")) if self.ok else None

    @property
    def cost(self) -> str | None:
        """The optimal cost, exactly."""
        return self.value.get("cost") if self.ok else None

    @property
    def plan(self) -> list[str]:
        """A plan of that cost."""
        return list(self.value.get("plan") or ())

    @property
    def certificate(self) -> bytes | None:
        """The proof that was asked for; ``certificate_error`` of ``value`` says why there is none."""
        text = self.value.get("certificate")
        return None if text is None else base64.b64decode(text)


class Check(Answer):
    """Whether a certificate proves what it claims, as ``planproof check-certificate --json`` tells it."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "check-certificate", "check", ("task", "certificate"), 2
    FORM = {"holds": lambda v: isinstance(v, bool), "claim": _is_text}
    MAYBE = {"reason": _is_text, "cost": _is_text}

    @property
    def holds(self) -> bool | None:
        """Whether it does; None if that was not decided."""
        return self.value.get("holds")

    @property
    def claim(self) -> str | None:
        """What it claims: ``optimal`` or ``unsolvable``."""
        return self.value.get("claim")


class Mask(Answer):
    """Which steps can come after a prefix of a plan. After a step that cannot be executed
    there are none, ``message`` says why, and ``done`` is less than the prefix has."""

    __slots__ = ()
    OP, MEMBER, FIELDS, LEAST = "mask", "mask", ("task", "prefix"), 1
    FORM = {"actions": _is_texts, "goal": lambda v: isinstance(v, bool), "done": _is_count}

    @property
    def actions(self) -> list[str]:
        """The steps that can come next."""
        return list(self.value.get("actions") or ())

    @property
    def goal(self) -> bool:
        """Whether the goal holds."""
        return bool(self.value.get("goal"))

    @property
    def done(self) -> int:
        """How many steps of the prefix can be executed."""
        return self.value.get("done") or 0


class Turn(Answer):
    """What the environment ``plan_step`` answers to a step after a prefix, or with a profile
    ``plan_adapt`` to an answer after the answers before."""

    __slots__ = ()
    OP, MEMBER, LEAST, SPEC, READER = "step", "result", 3, True, True
    FIELDS: ClassVar[tuple[str, ...]] = ("task", "prefix", "action", "gold", "budget", "profile")
    FORM = {"observation": _is_observation, "reward": schema.is_number, "done": lambda v: isinstance(v, bool)}

    @property
    def observation(self) -> Mapping[str, Any]:
        """``state``, ``facts``, ``actions``, ``executed``, ``step``, ``message``, ``disclosed``, ..."""
        return self.value.get("observation") or {}

    @property
    def reward(self) -> float | None:
        """The reward; None after a reset, or where there is no answer."""
        return self.value.get("reward")

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self.value.get("done"))


class Start(Turn):
    """The first observation of an episode, with its ``prompt``."""

    __slots__ = ()
    OP, LEAST, SPEC = "reset", 1, False
    FIELDS: ClassVar[tuple[str, ...]] = ("task", "profile")
    FORM = {"observation": _is_observation, "done": lambda v: isinstance(v, bool)}
    MAYBE = {"reward": schema.is_number}


ANSWERS = {kind.OP: kind for kind in (Extraction, Verdict, Truth, Solution, Check, Mask, Turn, Start)}

A = TypeVar("A", bound=Answer)


def encode_question(kind: type[Answer], item: Any) -> str:
    """A question as JSON: a tuple in the order of ``kind.FIELDS``, a mapping with these
    names, or, where that is enough, the task alone."""
    if isinstance(item, str):
        item = (item,)
    if isinstance(item, tuple):
        if not kind.LEAST <= len(item) <= len(kind.FIELDS):
            raise TypeError(f"{kind.OP} asks about ({', '.join(kind.FIELDS)}), not {len(item)} values")
        item = dict(zip(kind.FIELDS, item))
    elif not isinstance(item, Mapping):
        raise TypeError(f"{kind.OP} asks about a tuple or a dict, not {type(item).__name__}")
    elif set(item) == {"domain", "problem"}:
        item = {"task": item}
    missing = [name for name in kind.FIELDS[: kind.LEAST] if item.get(name) is None]
    if missing:
        raise TypeError(f"{kind.OP}: no {' and no '.join(missing)}")
    told = {name: item[name] for name in kind.FIELDS if item.get(name) is not None}
    for name in ("prefix", "plan"):
        if isinstance(told.get(name), tuple):
            told[name] = list(told[name])
    if isinstance(told.get("certificate"), bytes):
        told["certificate"] = base64.b64encode(told["certificate"]).decode()
    return schema.encode({"id": 0, **told})


def without_answer(ask: Ask, status: str, message: str) -> Any:
    """What stands for an item that got no answer."""
    if ask.op == "score":
        return Result(schema.without_score(status, message))
    kind = ANSWERS[ask.op]
    return kind({"id": None, "status": status, kind.MEMBER: None, "message": message})


def read_answers(reply: Mapping[str, Any], ask: Ask, request_id: str, count: int) -> Sequence[Any]:
    """The answers of a reply, in order. Raises TransportError for one of another form."""
    if ask.op == "score":
        return schema.decode_reply(reply, request_id, count, bool(ask.head.get("step_rewards")))
    kind = ANSWERS[ask.op]
    answers = []
    items = schema.decode_items(reply, ask.op, request_id, count, frozenset(("id", "status", kind.MEMBER, "message")))
    for index, raw in enumerate(items):
        told = raw[kind.MEMBER]
        expected = (isinstance(told, dict) == (raw["status"] == "ok") or kind is Truth and told is None
                    or kind is Solution and raw["status"] in ("timeout", "unavailable") and isinstance(told, dict))
        if not expected:
            raise TransportError(f"item {index} of the reply has no {kind.MEMBER}, or one without being ok")
        wrong = [] if told is None else [name for name, right in kind.FORM.items() if name not in told or not right(told[name])]
        wrong += [] if told is None else [name for name, right in kind.MAYBE.items() if told.get(name) is not None and not right(told[name])]
        if wrong or not isinstance(raw["message"], str):
            raise TransportError(f"item {index} of the reply has another {' or '.join(wrong or ['message'])} than {ask.op} promises")
        answers.append(kind(raw))
    return answers


__all__ = ["Answer", "Check", "Extraction", "Mask", "Solution", "Start", "Truth", "Turn", "Verdict"]
