"""The classes of planproof.verifiers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import verifiers.v1 as vf

from .client import Client, shared_client
from .retry import Breaker
from .rows import gold_answer, read_rows
from .schema import Item, Result, check_reader, settle

_breaker = Breaker()


class PlanData(vf.TaskData):
    """What a task's wire data has over TaskData."""

    task: str | dict[str, str]
    """What the oracle knows the task by."""


class PlanTaskConfig(vf.TaskConfig):
    """How tasks are scored: settings of planproof.Client."""

    spec: str | None = None
    reader: str | None = None
    url: str | None = None
    tasks: str | None = None
    deadline: float = 60.0


class PlanTask(vf.Task[PlanData, vf.State, PlanTaskConfig]):
    """One planning task, scored by the oracle."""

    gold: dict[str, Any] | None = None
    reader: str | None = None

    def _client(self) -> Client:
        c = self.config
        return shared_client(url=c.url, tasks=c.tasks, deadline=c.deadline)

    async def _score(self, completion: str, spec: str | None, finish: str | None = None) -> Result:
        _breaker.check()
        name = self.reader or self.config.reader
        reader = check_reader(name) if name else None
        future = self._client().submit(Item(self.data.task, completion, finish, self.gold, reader=reader), spec=spec)
        result = await asyncio.wrap_future(future)
        missing = result.status in ("unavailable", "timeout")
        _breaker.count(missing, 1, result.message if missing else "")
        return settle([result], "raise")[0]

    @vf.reward(weight=1.0)
    async def plan_reward(self, trace: vf.Trace) -> dict[str, float]:
        """The score; its parts are metrics."""
        result = await self._score(trace.last_reply, self.config.spec, "length" if trace.is_truncated else "stop")
        trace.info["planproof"] = {"verdict": result.verdict, "message": result.message, "digest": result.digest}
        trace.record_metrics({f"plan_{name}": float(value) for name, value in result.components.items()})
        trace.record_metric("plan_is_valid", float(result.valid))
        return {"plan_reward": float(result.score or 0.0)}

    async def validate(self, runtime: vf.Runtime | None = None) -> bool | None:
        """Whether the gold plan is valid; None if the row has none."""
        answer = gold_answer(self.gold)
        if answer is None:
            return None
        return (await self._score(answer, "valid")).score == 1


class PlanTasksetConfig(vf.TasksetConfig):
    """Which tasks there are."""

    tasks: str = ""
    """A file of rows, as `planproof prompt --json` writes them."""
    task: PlanTaskConfig = PlanTaskConfig()


class PlanTaskset(vf.Taskset[PlanTask, PlanTasksetConfig]):
    """The tasks of a file."""

    def load(self) -> Iterable[PlanTask]:
        if not self.config.tasks:
            raise ValueError("no tasks: set --env.taskset.tasks to a file of planproof prompt --json rows")
        for row in read_rows(self.config.tasks):
            data = PlanData(id=row.id, name=row.id, prompt=row.prompt, system_prompt=row.system, task=row.task)
            task = PlanTask(data, self.config.task)
            task.gold, task.reader = dict(row.gold) if row.gold else None, row.reader
            yield task
