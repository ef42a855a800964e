"""Training rows: files that ``planproof export`` writes, a curriculum over their difficulty,
and batches that any step can be asked for, so that a run goes on after a kill with the very
batches it would have had.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Generic, Iterator, Mapping, Sequence, TypeVar

from .._adapt import read_json
from ..errors import PlanproofError
from ..rows import wrong_hash

#: Errors of one file that are told; the rest is counted.
MOST_ERRORS = 20


class DataError(PlanproofError):
    """A file of rows that cannot be used: every fault as ``file:line:col: error[code]: text``."""

    def __init__(self, errors: Sequence[str]):
        shown = list(errors[:MOST_ERRORS])
        if len(errors) > len(shown):
            shown.append(f"and {len(errors) - len(shown)} more errors")
        super().__init__("\n".join(shown))
        self.errors = list(errors)

    def __reduce__(self) -> tuple[type, tuple[list[str]]]:
        return type(self), (self.errors,)


@dataclass(frozen=True)
class Row:
    """One task with its prompts, by the names of the file's columns. ``prompt`` is the whole
    one, the others lack the constraints, the goal, or both, and are "" where the file has
    none. ``answer`` and ``gold`` are never shown to a model."""

    id: str
    task: str
    structure: str
    split: str
    domain_text: str = field(repr=False)
    problem_text: str = field(repr=False)
    prompt: str = field(repr=False)
    prompt_unconstrained: str = field(repr=False, default="")
    prompt_goal_masked: str = field(repr=False, default="")
    prompt_both_masked: str = field(repr=False, default="")
    answer: str = field(repr=False, default="")
    gold: Mapping[str, Any] | None = field(repr=False, default=None)
    difficulty: float = 0.0
    bin: str = ""
    #: The structure without constraints: what tasks are counted by. Older files lack it.
    base_structure: str = ""
    constraints: tuple[str, ...] = ()
    #: For each step of the gold plan all that are as good (best.py), where they were asked for.
    best: tuple[tuple[str, ...], ...] = field(repr=False, compare=False, default=())
    #: Where the row is in its file, for errors about it.
    place: str = field(repr=False, compare=False, default="")

    @property
    def base(self) -> str:
        """What the row is a copy of, for statistics."""
        return self.base_structure or self.structure

    def oracle_task(self, loaded: bool = False) -> str | dict[str, str]:
        """The task as an Item has it: its hash for an oracle that has loaded the file, else its texts."""
        return self.task if loaded else {"domain": self.domain_text, "problem": self.problem_text}


_TEXTS = ("id", "task", "structure", "split", "domain_text", "problem_text", "prompt")
_OPTIONAL = ("prompt_unconstrained", "prompt_goal_masked", "prompt_both_masked", "answer", "bin", "base_structure")


def read_text(path: str | Path) -> str:
    """The text of a file. Raises DataError if it cannot be read, or is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as err:
        raise DataError([f"{path}:1:1: error[file]: {err.strerror or err}"]) from None
    except UnicodeDecodeError as err:
        raise DataError([f"{path}:1:1: error[encoding]: byte {err.start} is not UTF-8"]) from None


def decode(line: str, place: str, errors: list[str]) -> dict[str, Any] | None:
    """The object in a line, or None and one more error; ``place`` is ``file:line``."""
    try:
        data = read_json(line)
    except json.JSONDecodeError as err:
        errors.append(f"{place}:{err.colno}: error[json]: {err.msg}")
        return None
    except (RecursionError, ValueError) as err:  # a ValueError: more digits than Python reads
        errors.append(f"{place}:1: error[json]: {'nested too deeply' if isinstance(err, RecursionError) else err}")
        return None
    if not isinstance(data, dict):
        errors.append(f"{place}:1: error[json]: the row is no object")
        return None
    return data


def read(path: str | Path, *, split: str | None = None, need: Sequence[str] = ()) -> list[Row]:
    """Reads a file of rows, all of them or those of one split (``test`` means its clean and
    contaminated halves). ``need`` names further columns that every row read must have, such
    as ``answer`` for supervised training or ``prompt_unconstrained`` for CARL.

    Raises DataError with all faults of the file, or when no row is left.
    """
    text = read_text(path)
    rows: list[Row] = []
    errors: list[str] = []
    first: dict[str, int] = {}
    # Not splitlines: it also splits at U+2028 and its like, which JSON allows in texts.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        row = _row(line, f"{path}:{number}", need, errors)
        if row is None:
            continue
        if row.id in first:
            errors.append(f"{path}:{number}:{_column(line, 'id')}: error[duplicate]: "
                          f"the id {row.id!r} is that of line {first[row.id]}")
            continue
        first[row.id] = number
        if split is None or row.split == split or row.split.startswith(split + "-"):
            rows.append(row)
    if errors:
        raise DataError(errors)
    if not rows:
        what = "no rows" if split is None or not first else f"none of the {len(first)} rows is in the split {split!r}"
        raise DataError([f"{path}:1:1: error[empty]: {what}"])
    return rows


def _row(line: str, place: str, need: Sequence[str], errors: list[str]) -> Row | None:
    before = len(errors)

    def fault(column: str, code: str, text: str) -> None:
        errors.append(f"{place}:{_column(line, column)}: error[{code}]: {text}")

    data = decode(line, place, errors)
    if data is None:
        return None
    values: dict[str, Any] = {}
    for column in _TEXTS + _OPTIONAL:
        value = data.get(column)
        if value is None and column in _OPTIONAL and column not in need:
            continue
        if not isinstance(value, str):
            fault(column, "missing" if value is None else "type", f"the column {column} is {'missing' if value is None else 'no text'}")
        elif not value and (column in _TEXTS or column in need):
            fault(column, "missing", f"the column {column} is empty")
        else:
            values[column] = value
    if wrong := wrong_hash(data):
        fault("task", "wrong_hash", wrong)
    gold, difficulty, constraints = data.get("gold"), data.get("difficulty", 0), data.get("constraints") or []
    if gold is not None and not isinstance(gold, dict) or gold is None and "gold" in need:
        fault("gold", "type", "gold is no object")
    if isinstance(difficulty, bool) or not isinstance(difficulty, (int, float)) or not -1e300 < difficulty < 1e300:
        fault("difficulty", "type", "difficulty is no number")
    if not isinstance(constraints, list) or not all(isinstance(c, str) for c in constraints):
        fault("constraints", "type", "constraints is no list of texts")
    if len(errors) > before:
        return None
    return Row(gold=gold, difficulty=float(difficulty), constraints=tuple(constraints), **values,
               place=f"{place}:{_column(line, 'problem_text')}")


def _column(line: str, name: str) -> int:
    """Where a member of a one-line object is, from 1; 1 when it is not there."""
    at = line.find(json.dumps(name) + ":")
    return (at if at >= 0 else line.find(json.dumps(name))) + 1 or 1


# -- curriculum --------------------------------------------------------------------------


def bins(rows: Sequence[Row]) -> list[str]:
    """The names of the curriculum's bins, easiest first: by the least difficulty in each."""
    least: dict[str, float] = {}
    for row in rows:
        least[row.bin] = min(row.difficulty, least.get(row.bin, row.difficulty))
    return sorted(least, key=lambda name: (least[name], name))


@dataclass(frozen=True)
class Stage:
    """From step ``start`` on, batches are drawn from the rows with these indices."""

    start: int
    rows: tuple[int, ...]


def curriculum(rows: Sequence[Row], steps: int, *, share: float = 0.5) -> list[Stage]:
    """Stages that add one bin after the other, easiest first, over the first ``share`` of
    the steps; then all rows are in."""
    if steps < 1 or not 0 <= share <= 1:
        raise ValueError(f"a curriculum of {steps} steps over a share of {share}")
    names = bins(rows)
    stages: list[Stage] = []
    for i in range(len(names)):
        start = int(share * steps * i / max(1, len(names) - 1) + 1e-9)
        taken = set(names[: i + 1])
        stage = Stage(start, tuple(k for k, row in enumerate(rows) if row.bin in taken))
        if stages and stages[-1].start == start:
            stages.pop()  # a stage without steps
        stages.append(stage)
    return stages


T = TypeVar("T")  # what a batch is of

#: Steps whose rows are dealt by length.
WINDOW = 8


class Batches(Generic[T]):
    """Batches of rows, a pure function of seed and step: within a stage every row comes once
    before one comes again, in an order drawn anew each time.

    ``at(step)`` is the batch of a step, from 0; iterating gives those from ``start`` on, for ever.
    With ``length``, the rows of eight steps are dealt by it, so that batches have little padding.
    """

    def __init__(self, rows: Sequence[T], size: int, seed: int, *, stages: Sequence[Stage] = (), start: int = 0,
                 length: Callable[[T], int] | None = None):
        if size < 1 or not rows:
            raise ValueError(f"batches of {size} rows from {len(rows)}")
        self.length = length
        self.rows, self.size, self.seed, self.start = rows, size, seed, start
        self.stages = list(stages) or [Stage(0, tuple(range(len(rows))))]
        if self.stages[0].start != 0 or any(not s.rows for s in self.stages) or any(
                a.start >= b.start for a, b in zip(self.stages, self.stages[1:])):
            raise ValueError("stages begin at step 0, one after the other, and none is empty")
        self._order: tuple[tuple[int, int], list[int]] | None = None

    def open(self, step: int) -> Stage:
        """The rows that a step may draw."""
        return self.stages[self._number(step)]

    def _number(self, step: int) -> int:
        return max(i for i, s in enumerate(self.stages) if s.start <= step)

    def at(self, step: int) -> list[T]:
        """The batch of a step."""
        number = self._number(step)
        stage = self.stages[number]
        n, at = len(stage.rows), step - stage.start
        if self.length is None:
            return self._drawn(number, n, at * self.size, self.size)
        window = self._drawn(number, n, at // WINDOW * WINDOW * self.size, WINDOW * self.size)
        window.sort(key=self.length)
        deal = random.Random(f"deal {self.seed} {number} {at // WINDOW}").sample(range(WINDOW), WINDOW)[at % WINDOW]
        return window[deal * self.size:(deal + 1) * self.size]

    def _drawn(self, stage: int, n: int, first: int, count: int) -> list[T]:
        return [self.rows[self._shuffled(stage, k // n)[k % n]] for k in range(first, first + count)]

    def _shuffled(self, stage: int, epoch: int) -> list[int]:
        if self._order is None or self._order[0] != (stage, epoch):
            order = list(self.stages[stage].rows)
            # A text as seed: Python hashes it the same on every machine and in every version.
            random.Random(f"batches {self.seed} {stage} {epoch}").shuffle(order)
            self._order = (stage, epoch), order
        return self._order[1]

    def __iter__(self) -> Iterator[list[T]]:
        step = self.start
        while True:
            yield self.at(step)
            step += 1


__all__ = ["Batches", "DataError", "Row", "Stage", "bins", "curriculum", "decode", "read", "read_text"]
