"""Step credit: a group of answers with the oracle's evidence to an advantage for every token.

A step that lessens h* earns 1, one that does not, or cannot be executed, -1; so does the end of a plan
that stops before the goal, and the end of a valid one earns 1. What comes after a step that could not be
executed earns nothing, for nobody knows where it would lead. From each credit the mean of the group's is
taken, and it is divided by their standard deviation, as GRPO does with answers: a group without any fault
teaches nothing.

Thoughts that name the same steps (``step: (pick-up a)``) share their credit.
"""

from __future__ import annotations

import math
from typing import Sequence

from .culprits import Evidence, failed_line

_STEP = "step: "


def line_credits(found: Evidence, text: str) -> dict[int, float]:
    """The credit of lines, from 1; 0 stands for the end of the answer. Empty for an answer without a plan."""
    if not found.lines and not found.failed and found.verdict not in ("goal", "valid"):
        return {}
    lines = text.split("\n")
    out = {line: 1.0 if change > 0 else -1.0 for line, change in zip(found.lines, found.changes)}
    if found.failed:
        if line := failed_line(found, lines):
            out[line] = -1.0
    else:
        out[0] = 1.0 if found.verdict == "valid" else -1.0
    thoughts = [k for k, told in enumerate(lines, 1) if told.startswith(_STEP)]
    for k, line in zip(thoughts, sorted(line for line in out if line > 0)):
        if lines[k - 1][len(_STEP):].strip() != lines[line - 1].strip():
            break  # the plan is not the one that was thought of
        out[k] = out[line]
    return out


def advantages(credits: Sequence[dict[int, float]]) -> list[dict[int, float]]:
    """The credits of a group less their mean, by their standard deviation; zeros if all are equal."""
    values = [v for lines in credits for v in lines.values()]
    if not values:
        return [dict.fromkeys(lines, 0.0) for lines in credits]
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    return [{k: (v - mean) / deviation if deviation > 0 else 0.0 for k, v in lines.items()} for lines in credits]


def on_tokens(lines: Sequence[int], credit: dict[int, float], last: int | None) -> list[float]:
    """The advantage of each token, by the line it stands on. The end's is that of all tokens from ``last`` on, None for
    an answer that was cut off: a model decides to stop where it writes no further step, not with the end token."""
    return [credit.get(0 if last is not None and i >= last else line, 0.0) for i, line in enumerate(lines)]


__all__ = ["advantages", "line_credits", "on_tokens"]
