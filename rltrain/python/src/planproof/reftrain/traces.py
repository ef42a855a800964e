"""Thoughts with the state after each step: what ``planproof export --thoughts long --style
compact`` writes, in shorter forms, so that forms can be compared on the same plans.

The long form is the tracer's, whose states come from the grounder and are checked by the judge::

    state: (clear a) ...        before the first step, and after each
    todo: (on a b)              what the goal still asks for
    step: (pick-up a)
    needs: (clear a) ...        what the step needs, and has
    forbidden: (stack a b)      a step that only a constraint rules out here
    done                        the goal holds

``goals`` leaves out what steps need, and the first state, which stands in the prompt; ``states`` also what
the goal still asks for; ``changes`` tells what a step adds
and deletes instead; ``steps`` has neither, so that what a state brings can be told from what
writing the plan twice does; ``none`` is the plan alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Iterator, Sequence

from .data import DataError, Row, decode, read_text

#: Forms of the thoughts, by what they cost.
FORMS = ("none", "steps", "changes", "states", "goals", "long")

#: Lines of thoughts at which something is decided, all else follows from them.
DECISIONS = ("step:", "done")

_OPEN, _CLOSE = "<think>\n", "</think>\n"
_KEPT = {"steps": ("step:", "forbidden:", "done"), "states": ("step:", "forbidden:", "state:", "done"),
         "goals": ("step:", "forbidden:", "state:", "todo:", "done"),
         "changes": ("step:", "forbidden:", "state:", "done")}


def shorten(answer: str, form: str) -> str:
    """An answer with long thoughts in another form. Raises ValueError for one without thoughts."""
    if form not in FORMS:
        raise ValueError(f"{form!r} is none of {', '.join(FORMS)}")
    if not answer.startswith(_OPEN) or _CLOSE not in answer:
        raise ValueError("no thoughts: export with --thoughts long --style compact")
    thoughts, plan = answer[len(_OPEN):].split(_CLOSE, 1)
    if form == "long":
        return answer
    return plan if form == "none" else _OPEN + "".join(line + "\n" for line in _lines(thoughts.splitlines(), form)) + _CLOSE + plan


def _lines(lines: Sequence[str], form: str) -> Iterator[str]:
    before: list[str] | None = None
    for line in lines:
        if not line.startswith(_KEPT[form]):
            continue
        if not line.startswith("state:"):
            yield line
            continue
        now = _facts(line)
        if before is not None and form in ("states", "goals"):  # the first one stands in the prompt
            yield line
        elif before is not None:
            for label, facts, other in (("add:", now, before), ("del:", before, now)):
                told = [fact for fact in facts if fact not in other]
                if told:
                    yield " ".join([label, *told])
        before = now


def _facts(line: str) -> list[str]:
    inner = line.partition(" ")[2].strip()
    return [f"({fact})" for fact in inner[1:-1].split(") (")] if inner else []


def thoughts_file(data: str | Path) -> Path:
    """The file with thoughts beside one of rows, as ``export --format jsonl --format trl-sft`` writes both."""
    path = Path(data)
    return path.parent / "trl-sft" / path.name


def with_thoughts(rows: Sequence[Row], data: str | Path, form: str) -> list[Row]:
    """The rows, their answers with thoughts of a form, from the file beside theirs. Raises
    DataError for a file or a row that lacks them."""
    if form == "none":
        return list(rows)
    path = thoughts_file(data)
    found: dict[str, str] = {}
    errors: list[str] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        entry = decode(line, f"{path}:{number}", errors) if line.strip() else None
        if entry is None:
            continue
        try:
            found[str(entry["id"])] = shorten(entry["completion"], form)
        except (KeyError, ValueError, AttributeError) as err:
            errors.append(f"{path}:{number}:1: error[thoughts]: {json.dumps(str(err))}")
    errors += [f"{path}:1:1: error[missing]: no thoughts about {row.id}" for row in rows if row.id not in found and not errors]
    if errors:
        raise DataError(errors)
    return [replace(row, answer=found[row.id]) for row in rows]


__all__ = ["DECISIONS", "FORMS", "shorten", "thoughts_file", "with_thoughts"]
