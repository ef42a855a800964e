"""Scoring at scale with Ray Data. Ray is not imported.

::

    ds = ray.data.read_json("rollouts.jsonl")          # columns task, completion
    ds.map_batches(ScoreBatch, fn_constructor_kwargs={"url": URL, "spec": "process"}, concurrency=4)
"""

from __future__ import annotations

import json
from typing import Any, Mapping

from ._adapt import completion_text, read_item
from .client import Client
#: The columns that ScoreBatch adds. ``score`` is NaN where there is none.
COLUMNS = ("status", "score", "valid", "verdict", "plan_len", "message", "components")


class ScoreBatch:
    """A callable class for ``Dataset.map_batches``: one client for each worker.

    It takes batches of columns (``batch_format="numpy"`` or ``"pandas"``, or dicts of lists)
    and adds COLUMNS. Rows without a score keep their status; nothing is dropped.
    """

    def __init__(self, *, task: str = "task", completion: str = "completion", finish: str | None = None, spec: Any = None,
                 on_error: str = "none", **settings: Any):
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


def _plain(value: Any) -> Any:
    """Arrays of messages as lists."""
    return value.tolist() if hasattr(value, "tolist") and not isinstance(value, str) else value


__all__ = ["COLUMNS", "ScoreBatch"]
