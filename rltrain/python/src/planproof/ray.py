"""Scoring, and ground truth, at scale with Ray Data. Ray is not imported.

::

    ds = ray.data.read_json("rollouts.jsonl")          # columns task, completion
    ds.map_batches(ScoreBatch, fn_constructor_kwargs={"url": URL, "spec": "process"}, concurrency=4)

    tasks = ray.data.read_json("tasks.jsonl")          # a column task
    tasks.map_batches(GroundTruth, fn_constructor_kwargs={"time": "60s"}, concurrency=8, batch_size=64)
"""

from __future__ import annotations

import json
from typing import Any, Mapping

from ._adapt import completion_text, read_item
from ._truth import ground_truth
from .schema import OnError
from .client import Client

#: The columns that ScoreBatch adds. ``score`` is NaN where there is none.
COLUMNS = ("status", "score", "valid", "verdict", "plan_len", "message", "components")


class ScoreBatch:
    """A callable class for ``Dataset.map_batches``: one client for each worker.

    It takes batches of columns (``batch_format="numpy"`` or ``"pandas"``, or dicts of lists)
    and adds COLUMNS. Rows without a score keep their status; nothing is dropped.
    """

    def __init__(self, *, task: str = "task", completion: str = "completion", finish: str | None = None, spec: Any = None,
                 on_error: OnError = "none", **settings: Any):
        self._names = task, completion, finish
        self._client = Client(spec=spec, on_error=on_error, **settings)

    def __call__(self, batch: Mapping[str, Any]) -> Any:
        task, completion, finish = self._names
        tasks, texts = list(batch[task]), list(batch[completion])
        finishes = list(batch[finish]) if finish else [None] * len(texts)
        nothing = [None] * len(texts)
        golds, budgets = (list(batch[name]) if name in batch else nothing for name in ("gold", "budget"))
        items = [read_item(t, completion_text(_plain(c)), f, {"gold": g, "budget": b})
                 for t, c, f, g, b in zip(tasks, texts, finishes, golds, budgets, strict=True)]
        results = self._client.score(items)
        columns = {
            "status": [r.status for r in results],
            "score": [float("nan") if r.score is None else float(r.score) for r in results],
            "valid": [r.valid for r in results],
            "verdict": [r.verdict for r in results],
            "plan_len": [r.plan_len for r in results],
            "message": [r.message for r in results],
            "components": [json.dumps(r.components, sort_keys=True) for r in results],
        }
        if hasattr(batch, "assign"):  # pandas
            return batch.assign(**columns)
        return {**batch, **columns}


#: The columns that GroundTruth adds: docs/TRUTH.md's status, or ``error``; the optimal cost
#: exactly, as a decimal or a fraction, and a plan of that cost as JSON, where one is known.
TRUTH_COLUMNS = ("truth_status", "truth_cost", "truth_steps", "truth_plan", "truth_message")


class GroundTruth:
    """A callable class for ``Dataset.map_batches``: optimal costs and plans of tasks.

    It adds TRUTH_COLUMNS to batches of columns. The tasks of a batch are solved by one
    ``planproof truth fill`` under limits for each task, so only what ``time`` ends depends on
    the machine; equal tasks are solved once. Nothing is dropped.

    task: the column with tasks. schedule: the column with cost schedules, if there is one. time,
    memory, search: limits and search of one task (``planproof solve --help``). jobs: tasks at a
    time in each worker.
    """

    def __init__(self, *, task: str = "task", schedule: str | None = None, time: str = "60s", memory: str = "2GB", search: str | None = None,
                 jobs: int = 1, binary: str | None = None):
        self._task, self._schedule = task, schedule
        self._settings: dict[str, Any] = dict(time=time, memory=memory, search=search, jobs=jobs, binary=binary)

    def __call__(self, batch: Mapping[str, Any]) -> Any:
        tasks = [_plain(t) for t in batch[self._task]]
        schedules = [s or None for s in batch[self._schedule]] if self._schedule else [None] * len(tasks)
        found = ground_truth(tasks, schedules, **self._settings)
        columns = {
            "truth_status": [f["status"] for f in found],
            "truth_cost": ["" if f["cost"] is None else str(f["cost"]) for f in found],
            "truth_steps": [-1 if f["steps"] is None else int(f["steps"]) for f in found],
            "truth_plan": [json.dumps(f["plan"]) for f in found],
            "truth_message": [f["message"] for f in found],
        }
        return batch.assign(**columns) if hasattr(batch, "assign") else {**batch, **columns}


def _plain(value: Any) -> Any:
    """Arrays of messages as lists."""
    return value.tolist() if hasattr(value, "tolist") and not isinstance(value, str) else value


__all__ = ["COLUMNS", "GroundTruth", "ScoreBatch", "TRUTH_COLUMNS"]
