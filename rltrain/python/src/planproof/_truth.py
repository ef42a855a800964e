"""Ground truth of many tasks by ``planproof truth fill``: planproof.ray.GroundTruth without Ray."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Sequence

from ._adapt import read_task
from .binary import find_binary
from .errors import PlanproofError, RequestRefused

#: What is known of one task; ``status`` is docs/TRUTH.md's word, or ``error``.
NOTHING: Mapping[str, Any] = {"status": "error", "cost": None, "steps": None, "plan": [], "message": ""}


def ground_truth(tasks: Sequence[Any], schedules: Iterable[str | None], *, binary: str | None = None, time: str = "60s",
                 memory: str = "2GB", search: str | None = None, jobs: int = 1) -> list[dict[str, Any]]:
    """Solves tasks to optimality, each once, and says for each what was found. What a limit of
    one task ended has the status that says so; what cannot be read has ``error`` and a message."""
    rows: dict[str, str] = {}  # a task and schedule as JSON, and its name in the store
    names, out = [], []
    for task, schedule in zip(tasks, schedules, strict=True):
        try:
            row = _row(read_task(task), schedule)
        except RequestRefused as err:
            names.append(err.message)
            continue
        names.append(rows.setdefault(json.dumps(row, sort_keys=True), f"row{len(rows)}"))
    known, said = _fill([{"id": name, **json.loads(row)} for row, name in rows.items()], binary, time, memory, search, jobs) if rows else ({}, "")
    for name in names:
        if name in known:
            found = known[name]
            out.append({**NOTHING, "status": found["status"], "cost": found.get("cost"), "steps": found.get("steps"), "plan": found.get("plan") or []})
        else:
            mine = [line for line in said.splitlines() if line.startswith(name + ":")]
            out.append({**NOTHING, "message": "\n".join(mine) or (said if name in rows.values() else name)})
    return out


def _row(task: Any, schedule: str | None) -> dict[str, Any]:
    row = {"task": task} if isinstance(task, str) else {"domain_text": task["domain"], "problem_text": task["problem"]}
    return {**row, "schedule": schedule} if schedule else row


def _fill(rows: list[dict[str, Any]], binary: str | None, time: str, memory: str, search: str | None, jobs: int) -> tuple[dict[str, dict[str, Any]], str]:
    program = find_binary(binary)
    with tempfile.TemporaryDirectory(prefix="planproof-truth-") as folder:
        store = os.path.join(folder, "truth.db")
        argv = [program, "truth", "fill", "-", "--store", store, "--json", "--jobs", str(jobs), "--time", time, "--memory", memory]
        done = subprocess.run(argv + (["--search", search] if search else []), input="".join(json.dumps(r) + "\n" for r in rows),
                              capture_output=True, text=True)
        if done.returncode not in (0, 2, 3) or not done.stdout.strip():
            raise PlanproofError(f"planproof truth fill ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        if json.loads(done.stdout).get("interrupted"):
            raise PlanproofError("planproof truth fill was interrupted")
        if not os.path.exists(store):
            return {}, done.stderr
        told = subprocess.run([program, "truth", "list", "--store", store, "--json"], capture_output=True, text=True)
        if told.returncode != 0:
            raise PlanproofError(f"planproof truth list ended with {told.returncode}: {told.stderr.strip()[-2000:]}")
    known: dict[str, dict[str, Any]] = {}
    for line in told.stdout.splitlines():
        row = json.loads(line)
        known.update((name, row) for name in row["ids"])
    return known, done.stderr


__all__ = ["NOTHING", "ground_truth"]
