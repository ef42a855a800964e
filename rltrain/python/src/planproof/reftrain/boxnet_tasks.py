"""Tasks of BoxNet2D for a small model: short texts, and the judge behind the interface of a client.

A prompt has a line for each robot and object, an answer a line for each step. A place is one token, its column
and row of the points of cells, from 0, with fractions for places between. Thoughts are those of ``planproof boxnet trace``, but for
the arithmetic of reach. An answer becomes what ``planproof boxnet score`` reads: thoughts and a JSON list of steps.
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any, Mapping, Sequence

from ..binary import find_binary
from ..errors import OracleUnavailable
from .data import DataError, Row

#: Between thoughts and plan.
PLAN = "plan"
_TOKEN = re.compile(r"-?\d[\d.]*,-?\d[\d.]*(?<!\.)|->|[\w-]*\w|[^\s\w]")
_PLACE = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")
_WHY = re.compile(r", since [^\n]*")
_MOVE = re.compile(r"(\S+) (\S+) (\S+) ([TF])")


def place(x: float, y: float) -> str:
    """A place as one token: ``2,0`` for [1.25, 0.25], ``1.5,1.5`` for the base [1.0, 1.0]."""
    return f"{2 * x - 0.5:g},{2 * y - 0.5:g}"


def point(token: str) -> list[float]:
    """Undoes place, to four decimals. Raises ValueError."""
    x, y = (round((float(number) + 0.5) / 2, 4) for number in token.split(","))
    return [x, y]


def prompt(row: Mapping[str, Any]) -> str:
    """The state and the targets."""
    lines = [f"map {row['map'][0]} {row['map'][1]}"]
    lines += [f"robot {i} base {place(*r['base'])} arm {place(*r['arm'])}" for i, r in enumerate(row["robots"])]
    lines += [f"object {i} at {place(*o['at'])} target {place(*o['target'])}" for i, o in enumerate(row["objects"])]
    return "\n".join(lines) + "\n"


def plan(steps: Sequence[Mapping[str, str]]) -> str:
    """A plan: a line for each step, robots with ; between."""
    lines = [PLAN]
    for step in steps:
        moves = []
        for robot, move in step.items():
            start, end = (place(float(x), float(y)) for x, y in _PLACE.findall(move))
            moves.append(f"{robot.split()[-1]} {start} {end} {'T' if move.endswith('True') else 'F'}")
        lines.append(" ; ".join(moves))
    return "\n".join(lines)


def thoughts(response: str, short: bool = False) -> str:
    """The thoughts of a trace, in tokens of this module; ``short`` has who moves where and for what, without the checks."""
    text = response.partition("<think>")[2].partition("</think>")[0].strip()
    text = _PLACE.sub(lambda m: place(float(m[1]), float(m[2])), _WHY.sub(".", text))
    return "\n".join(" ".join(_TOKEN.findall(line)) for line in text.split("\n") if line.strip() and not (short and not line.startswith("-")))


def response(text: str) -> str:
    """An answer as the judge reads it; what is no plan stays as it is, and cannot be read."""
    before, _, after = ("\n" + text).rpartition(f"\n{PLAN}\n")
    steps = []
    try:
        for line in after.split("\n"):
            moves = [_MOVE.fullmatch(move.strip()) for move in line.split(";")]
            if None in moves:
                return text
            steps.append({f"Robot {m[1]}": f"{point(m[2])} -> {point(m[3])}, {m[4] == 'T'}" for m in moves if m})
    except ValueError:
        return text
    return f"<think>\n{before.strip()}\n</think>\n```json\n{json.dumps(steps)}\n```"


def rows(solved: str, traces: str | None = None, short: bool = False) -> list[Row]:
    """Rows of tasks that ``planproof boxnet generate`` has made; with ``traces``, the answers of ``boxnet trace`` to
    the same tasks, answers have their thoughts, ``short`` or whole."""
    tasks = [json.loads(line) for line in solved.splitlines()]
    traced = [json.loads(line)["messages"][1]["content"] for line in traces.splitlines()] if traces else []
    out = []
    for i, task in enumerate(tasks):
        answer = plan(task["plan"])
        if traced:
            answer = thoughts(traced[i], short) + "\n" + answer
        text = prompt(task)
        size = f"{task['map'][0]}x{task['map'][1]}, {len(task['objects'])} objects"
        out.append(Row(id=task["id"], task=task["id"], structure=task["structure"], base_structure=task["structure"], split=task["split"],
                       domain_text="boxnet", problem_text=json.dumps(task), prompt=text, prompt_unconstrained=text, answer=answer,
                       gold={"cost": task["optimal_steps"], "steps": task["optimal_steps"], "optimal": task["proved"]},
                       difficulty=float(task["optimal_steps"]), bin=size))
    return out


class Scored:
    """A result as reward.Scorer and evaluate read it."""

    ok = True

    def __init__(self, row: Mapping[str, Any], efficiency: bool):
        success, parts = row["success"], dict(row["components"])
        score = row["reward"] if efficiency else parts["format"] + parts["execute"]
        self.raw = {
            "status": "ok", "score": score, "verdict": "valid" if success else "parse" if row["reason"] == "unreadable" else "invalid",
            "optimality_gap": row["step_diff"] if success else None, "components": parts, "cost": row["steps"] if success else None,
            "plan_len": row["steps"],
        }


class Judge:
    """Scores by ``planproof boxnet score``, the reward multirobot; without ``efficiency`` for form and success only."""

    def __init__(self, efficiency: bool = True, binary: str | None = None):
        self.efficiency, self.command = efficiency, [find_binary(binary), "boxnet", "score", "--workers", "1", "-"]

    def score(self, items: Sequence[Any], *, spec: Any = None, on_error: str = "none") -> list[Scored]:
        """Results in the order of the items; an answer that was cut off is what it is. ``spec`` counts for nothing."""
        lines = []
        for i, item in enumerate(items):
            task = json.loads(item.task["problem"])
            lines.append(json.dumps({k: task[k] for k in ("map", "robots", "objects", "optimal_steps", "proved")} | {"id": str(i), "response": response(item.completion)}))
        done = subprocess.run(self.command, input="\n".join(lines) + "\n", capture_output=True, text=True)
        scored = [json.loads(line) for line in done.stdout.splitlines()]
        faults = [x["error"] for x in scored if "error" in x]
        if faults:
            raise DataError(faults)
        if len(scored) != len(lines):
            raise OracleUnavailable(f"planproof boxnet score ended with {done.returncode}: {done.stderr.strip()}")
        return [Scored(x, self.efficiency) for x in scored]

    def close(self) -> None:
        """There is nothing to end."""


__all__ = ["Judge", "place", "plan", "point", "prompt", "response", "rows", "thoughts"]
