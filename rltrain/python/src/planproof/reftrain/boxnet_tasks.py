"""Tasks of BoxNet2D for a small model: one token for each fact and each move, and the judge behind the interface of a client.

A robot is named by its base, a joint of the grid, and a place by its column and row of the points of cells, both
from 0. ``arm:1,2:0,3`` says where an arm is, ``at:a,_:2,0`` and ``to:a,_:3,3`` an object and its target, and
``go:1,2:2,0`` and ``take:1,2:3,3`` move, without and with the object at the tip. A prompt is a line of facts; a plan
has a line for each step. Where a move starts is not written: it is where the tip is by then. Thoughts are those of
``planproof boxnet trace`` in such tokens. An answer becomes what ``planproof boxnet score`` reads: thoughts and a
JSON list of steps with the task's own names.
"""

from __future__ import annotations

import json
import re
import subprocess
from itertools import product
from typing import Any, Mapping, NamedTuple, Sequence

from ..binary import find_binary
from ..errors import OracleUnavailable
from .data import DataError, Row

#: Between thoughts and plan.
PLAN = "plan"
#: Names of objects.
OBJECTS = "abcde"
_PLACE = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_MOVE = re.compile(rf"(go|take):{_NUMBER},{_NUMBER}:{_NUMBER},{_NUMBER}")


def place(at: Sequence[float]) -> str:
    """A place: ``2,0`` for [1.25, 0.25]."""
    return f"{2 * at[0] - 0.5:g},{2 * at[1] - 0.5:g}"


def joint(base: Sequence[float]) -> str:
    """A base: ``1,2`` for [1.0, 2.0]."""
    return f"{base[0]:g},{base[1]:g}"


def prompt(task: Mapping[str, Any]) -> str:
    """The state and the targets, robots in the order of their bases."""
    arms = sorted(f"arm:{joint(r['base'])}:{place(r['arm'])}" for r in task["robots"])
    objects = [f"{kind}:{name},_:{place(o[member])}" for name, o in zip(OBJECTS, task["objects"]) for kind, member in (("at", "at"), ("to", "target"))]
    return " ".join([f"map:{task['map'][0]},{task['map'][1]}", *arms, *objects]) + "\n"


def bases(task: Mapping[str, Any]) -> dict[str, str]:
    """The bases of robots by their names."""
    return {r["name"]: joint(r["base"]) for r in task["robots"]}


def plan(task: Mapping[str, Any]) -> str:
    """The plan of a task: a line for each step."""
    by, lines = bases(task), []
    for step in task["plan"]:
        moves = []
        for robot, move in step.items():
            _, end = _PLACE.findall(move)
            moves.append(f"{'take' if move.endswith('True') else 'go'}:{by[robot]}:{place([float(x) for x in end])}")
        lines.append(in_order(" ".join(moves)))
    return "\n".join(lines)


# -- thoughts ----------------------------------------------------------------------------

_ROBOT = re.compile(r"(Robot \d+)")
_STATE = re.compile(r"- (Object \d+) is at \[.*?\. (.*) can reach \[.*?\]; (.*) can reach \[.*?\]\.")
_MOVES = re.compile(r"- (Robot \d+) moves \[.*?\] -> (\[.*?\]): it (.*)\.")
_WAITS = re.compile(r"Wait, could (Robot \d+) already move .*? No: with (Robot \d+): ")
#: What a move is for, by the words of a trace: to come to an object, to take it to its target or on its way, or to make room.
_WHY = (("to carry it later", "for"), ("to its target", "goal"), ("where it is needed next", "on"), ("makes room", "room"))


def thoughts(task: Mapping[str, Any], response: str, short: bool = False) -> str:
    """The thoughts of a trace of ``planproof boxnet trace``, in tokens of this module: for each object who reaches it and
    who its target; for each step the moves, what they are for, and where the objects are after it. ``short`` has
    no states and no robots that wait."""
    text = response.partition("<think>")[2].partition("</think>")[0].strip()
    by, names = bases(task), {o["name"]: name for name, o in zip(OBJECTS, task["objects"])}
    where = {name: o["at"] for name, o in zip(names.values(), task["objects"])}
    lines: list[str] = []
    moves: list[str] = []
    for line in text.split("\n"):
        if found := _STATE.match(line):
            start, target = ([f"by:{b}" for b in sorted(by[r] for r in _ROBOT.findall(part))] for part in found.groups()[1:])
            lines.append(" ".join([names[found[1]], "from", *start, "reach", *target]))
        elif "has to be handed over" in line:
            lines[-1] += " hand"
        elif found := _MOVES.match(line):
            end, why = [float(x) for x in _PLACE.findall(found[2])[0]], next(word for told, word in _WHY if told in found[3])
            thing = next((name for name in names if name in found[3]), None)
            kind = "take" if why in ("goal", "on") else "go"
            if thing and kind == "take":
                where[names[thing]] = end
            moves.append(" ".join([f"{kind}:{by[found[1]]}:{place(end)}", why, *([names[thing]] if thing else [])]))
        elif (found := _WAITS.match(line)) and not short:
            moves.append(f"wait by:{by[found[1]]} for by:{by[found[2]]}")
        elif moves and not line.startswith(("  ", "Wait")):
            lines += _step(moves, where, short)
            moves = []
    return "\n".join(lines + (_step(moves, where, short) if moves else []))


def _step(moves: Sequence[str], where: Mapping[str, Sequence[float]], short: bool) -> list[str]:
    told = in_order(" ".join(moves))
    return [told] if short else [told, " ".join(f"at:{name},_:{place(at)}" for name, at in where.items())]


# -- answers -----------------------------------------------------------------------------


def response(text: str, task: Mapping[str, Any]) -> str:
    """An answer as the judge reads it; what is no plan stays as it is, and cannot be read. A move is written as often as
    the answer has it, and a robot that is not there has a name that no robot has."""
    before, _, after = ("\n" + text).rpartition(f"\n{PLAN}\n")
    if not before:
        after = text
    names = {base: name for name, base in bases(task).items()}
    tips: dict[str, list[float]] = {r["name"]: list(r["arm"]) for r in task["robots"]}
    steps = []
    for line in after.split("\n"):
        told = [_MOVE.fullmatch(move) for move in line.split(" ")]
        if None in told:
            return text
        moves: list[str] = []
        ends: dict[str, list[float]] = {}
        for found in told:
            assert found
            name = names.get(f"{found[2]},{found[3]}", f"Robot at {found[2]},{found[3]}")
            end = [round((float(x) + 0.5) / 2, 4) for x in found.groups()[3:]]
            move = f"{tips.get(name, end)} -> {end}, {found[1] == 'take'}"
            moves.append(f"{json.dumps(name)}: {json.dumps(move)}")
            ends[name] = end
        tips.update(ends)
        steps.append("{" + ", ".join(moves) + "}")
    return f"<think>\n{before.strip()}\n</think>\n```json\n[{', '.join(steps)}]\n```"


# -- rows --------------------------------------------------------------------------------


class View(NamedTuple):
    """A symmetry of a map of so many cells: mirrored in x, in y, and then the two exchanged."""

    width: int
    height: int
    swap: bool
    left: bool
    up: bool

    def at(self, at: Sequence[float], width: float, height: float) -> list[float]:
        """A point of a grid of this size."""
        x, y = width - at[0] if self.left else at[0], height - at[1] if self.up else at[1]
        return [y, x] if self.swap else [x, y]

    def word(self, word: str) -> str:
        """A token."""
        kind, *pairs = word.split(":")
        if kind == "map":
            return f"map:{self.height},{self.width}" if self.swap else word
        for i, pair in enumerate(pairs):
            if not pair.endswith("_"):
                last = (2 * self.width - 1, 2 * self.height - 1) if i else (self.width, self.height)  # a point, or a joint
                x, y = self.at([float(n) for n in pair.split(",")], *last)
                pairs[i] = f"{x:g},{y:g}"
        return ":".join([kind, *pairs])

    def task(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """A task, without its plan."""
        w, h = self.width, self.height
        return {**task, "map": [h, w] if self.swap else [w, h],
                "robots": [{**r, "base": self.at(r["base"], w, h), "arm": self.at(r["arm"], w, h)} for r in task["robots"]],
                "objects": [{**o, "at": self.at(o["at"], w, h), "target": self.at(o["target"], w, h)} for o in task["objects"]]}


def in_order(line: str) -> str:
    """A line with what has no order in the order of bases: arms, moves with what is said of them, and lists of robots."""
    if line.startswith("map:"):
        first, *words = line.split(" ")
        return " ".join([first, *sorted(w for w in words if w.startswith("arm:")), *(w for w in words if not w.startswith("arm:"))])
    if _MOVED.match(line):
        return " ".join(sorted(_MOVED.findall(line), key=lambda unit: (unit.startswith("wait"), unit.partition(":")[2])))
    return _LIST.sub(lambda m: " ".join(sorted(m.group().split(" "))), line)


_MOVED = re.compile(r"(?:go|take|wait)\b.*?(?= (?:go:|take:|wait )|$)")
_LIST = re.compile(r"by:\S+(?: by:\S+)+")


def rows(solved: str, traces: str | None = None, short: bool = False, symmetric: bool = False) -> list[Row]:
    """Rows of tasks that ``planproof boxnet generate`` has made; with ``traces``, the answers of ``boxnet trace`` to
    the same tasks, answers have their thoughts, ``short`` or whole; ``symmetric``, each task in the eight views of its
    map, plan and thoughts included."""
    tasks = [json.loads(line) for line in solved.splitlines()]
    traced = [json.loads(line)["messages"][1]["content"] for line in traces.splitlines()] if traces else [""] * len(tasks)
    known: dict[tuple[View, str], str] = {}
    out = []
    for task, trace in zip(tasks, traced, strict=True):
        texts = [prompt(task), "\n".join([thoughts(task, trace, short), PLAN, plan(task)]) if trace else plan(task)]
        given = {member: task[member] for member in _ASKED}
        out.append(_row(task, task["id"], given, *texts))
        for i, (swap, left, up) in enumerate(product((False, True), repeat=3) if symmetric else ()):
            if i:
                view = View(task["map"][0], task["map"][1], swap, left, up)
                seen = ["\n".join(_seen(view, line, known) for line in text.split("\n")) for text in texts]
                out.append(_row(task, f"{task['id']}/{i}", view.task(given), *seen))
    return out


def _seen(view: View, line: str, known: dict[tuple[View, str], str]) -> str:
    words = []
    for word in line.split(" "):
        if (view, word) not in known:
            known[view, word] = view.word(word)
        words.append(known[view, word])
    return in_order(" ".join(words))


def _row(task: Mapping[str, Any], name: str, given: Mapping[str, Any], text: str, answer: str) -> Row:
    return Row(id=name, task=name, structure=task["structure"], base_structure=task["structure"], split=task["split"],
               domain_text="boxnet", problem_text=json.dumps(given), prompt=text, prompt_unconstrained=text, answer=answer,
               gold={"cost": task["optimal_steps"], "steps": task["optimal_steps"], "optimal": task["proved"]},
               difficulty=float(task["optimal_steps"]), bin=f"{task['map'][0]}x{task['map'][1]}, {len(task['objects'])} objects")


#: Members of a task that ``planproof boxnet score`` reads.
_ASKED = ("map", "robots", "objects", "optimal_steps", "proved")


class Scored:
    """A result as reward.Scorer and evaluate read it."""

    ok = True

    def __init__(self, row: Mapping[str, Any], efficiency: bool):
        success, parts = row["success"], dict(row["components"])
        score = row["reward"] if efficiency else parts["format"] + parts["execute"]
        self.raw = {
            "status": "ok", "score": score, "verdict": "valid" if success else "parse" if row["reason"] == "unreadable" else "invalid",
            "optimality_gap": row["step_diff"] if success else None, "components": parts, "cost": row["steps"] if success else None,
            "plan_len": row["steps"], "reason": row["reason"], "step": row["step"],
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
            lines.append(json.dumps({**task, "id": str(i), "response": response(item.completion, task)}))
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


__all__ = ["Judge", "View", "in_order", "joint", "place", "plan", "prompt", "response", "rows", "thoughts"]
