"""Where plans go wrong: the first culprit of each answer, by the oracle's exact distances.

A step that can be executed changes h*, the number of steps to the nearest goal state, by an exact
amount (the reward ``shaped``, step by step). The culprit is the first step that does not bring the
goal nearer, or that cannot be executed; of a plan that only gets nearer and stops, its end.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from ..client import Client
from ..schema import Item, Result
from .data import Row
from .evaluate import UNREAD, settled

#: Weight of the potential in the reward ``shaped`` (docs/REWARDS.md).
WEIGHT = 0.5


#: The tags at which plans begin (docs/EXTRACTION.md).
OPEN = ("<plan>", "[PLAN]")


class Evidence(NamedTuple):
    """What the oracle says of an answer, step by step. ``changes``: by how much each executed step
    lessens h* (1 towards the goal, 0 or less elsewhere; dead ends count as twice h* of the start).
    ``lines``: the line of each of these steps in the answer, from 1. ``failed``: whether a step
    after them cannot be executed, and ``why`` not."""

    verdict: str
    changes: tuple[int, ...]
    lines: tuple[int, ...]
    failed: bool
    why: str


class Culprit(NamedTuple):
    """The first step at fault: its number from 1, the step ("" for an end), and how."""

    step: int
    action: str
    kind: str


def evidence(result: Result) -> Evidence:
    """The evidence of a result under ``shaped`` with step rewards. Raises ValueError for others."""
    raw = result.raw
    rewards, lines, start = result.step_rewards, result.step_lines, raw["ref_len"]
    if rewards is None or lines is None:
        raise ValueError(f"no score step by step: {raw['message'] or raw['status']}")
    changes = tuple(round(r * (start or 1) / WEIGHT) for r in rewards[:-1])
    return Evidence(raw["verdict"], changes, tuple(lines), raw["first_bad_step"] > 0, raw["message"])


def gather(client: Client, rows: Sequence[Row], texts: Sequence[str], ended: Sequence[bool], *, loaded: bool = False) -> list[Evidence]:
    """The evidence of one answer to each row. Raises as evaluate.judge."""
    items = [Item(row.oracle_task(loaded), text, None if end else "length", row.gold) for row, text, end in zip(rows, texts, ended, strict=True)]
    results = client.score(items, spec="shaped", step_rewards=True, on_error="none")
    return [evidence(result) for result in settled(rows, results)]


def failed_line(found: Evidence, lines: Sequence[str]) -> int:
    """The line, from 1, of the step that cannot be executed: that after the last executed one, or the
    first in the plan's tags; 0 if there is none."""
    before = found.lines[-1] if found.lines else next((k for k, told in enumerate(lines, 1) if told.strip() in OPEN), 0)
    return before + 1 if 0 < before < len(lines) else 0


def culprit(found: Evidence, text: str) -> Culprit | None:
    """What is at fault in an answer; of a valid plan the first detour, None for a cheapest one."""
    if found.verdict == "truncated":
        return Culprit(0, "", "cut off by the bound on tokens")
    if found.verdict in UNREAD:
        return Culprit(0, "", "no plan")
    lines = text.split("\n")
    for i, (change, line) in enumerate(zip(found.changes, found.lines), 1):
        if change <= 0:
            return Culprit(i, lines[line - 1].strip(), "detour" if found.verdict == "valid" else "away from the goal")
    at = len(found.changes) + 1
    if found.failed:
        line = failed_line(found, lines)
        action = lines[line - 1].strip() if line else ""
        return Culprit(at, action, _failure(found))
    return None if found.verdict == "valid" else Culprit(at, "", "stops before the goal")


def _failure(found: Evidence) -> str:
    if found.why.endswith("is forbidden here"):
        return "forbidden step"
    fact = found.why.rpartition(": (")[2].split(" ")[0].rstrip(")") if found.verdict == "precondition" else ""
    return f"{fact} does not hold" if fact else f"no such step ({found.verdict})"


def table(culprits: Iterable[Culprit | None]) -> list[Mapping[str, Any]]:
    """How often each kind of fault occurs with each action, most frequent first, and the mean number of its step."""
    counts: dict[tuple[str, str], list[int]] = {}
    for found in culprits:
        if found is not None:
            counts.setdefault((found.kind, found.action.strip("()").partition(" ")[0]), []).append(found.step)
    return [{"kind": kind, "action": action, "answers": len(steps), "step": sum(steps) / len(steps)}
            for (kind, action), steps in sorted(counts.items(), key=lambda entry: (-len(entry[1]), entry[0]))]


__all__ = ["OPEN", "Culprit", "Evidence", "culprit", "evidence", "failed_line", "gather", "table"]
