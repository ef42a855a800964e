"""Reward functions, an environment and loaders for TRL. TRL is imported only by
CarlGRPOTrainer (planproof.trl_carl).

::

    from planproof.trl import plan_valid, make_reward
    GRPOTrainer(model, reward_funcs=[plan_valid], train_dataset=rows_with_a_column_task, ...)

A row has the task in a column ``task`` (or ``ground_truth``), and may have ``gold`` and ``budget``
for rewards that compare, and ``reader``, by which the answer is read (strict if neither it nor
the settings name one).

A response that has no score, since the oracle was unavailable after all retries, is no reason to
reward or punish the model. TRL leaves a row out only if all its reward functions say None: it
adds up what the others say, so that None from one of them is a low total. Therefore the functions
raise, unless they are told otherwise::

    reward_funcs=[plan_valid, my_length]                          # an outage stops the run
    reward_funcs=leave_out(plan_valid, my_length)                 # the row is left out of its group
    reward_funcs=[make_reward("valid", on_error="none")]          # the same, for a function alone

If rows are left out too often CircuitOpen stops the run.

TRL does not say whether an answer was cut off. ``make_reward(eos=tokenizer.eos_token_id)`` finds out by its
last token, and so does a column ``finish``; else a plan whose block is open counts as cut off.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Sequence

from ._adapt import completion_text, read_item, read_json
from .client import shared_client
from .errors import RequestRefused
from .retry import Breaker
from .schema import Item, Result, Task, settle

_COLUMNS = ("task", "ground_truth", "task_sha")


class _Reward:
    """A reward function: picklable, with a name for the logs."""

    def __init__(self, name: str, spec: Any, component: str | None, on_error: str, eos: Iterable[int] | None, settings: dict[str, Any]):
        if on_error not in ("raise", "none"):
            raise ValueError(f"on_error is {on_error!r}; it is raise or none: a 0 for an outage would be a penalty")
        self.__name__ = self.__qualname__ = name
        self.eos = None if eos is None else frozenset(eos)
        self.spec, self.component, self.on_error, self.settings = spec, component, on_error, settings
        self.breaker = Breaker(step=8)

    def __call__(self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] = (), **columns: Any) -> list[float | None]:
        return self.scored(completions, columns, self.on_error)

    def scored(self, completions: Sequence[Any], columns: dict[str, Any], on_error: str) -> list[float | None]:
        """The rewards, None where there is none unless on_error is raise."""
        self.breaker.check()
        items = list(_rows(completions, self._ends(columns)))
        results = shared_client(**self.settings).score(items, spec=self.spec, on_error="none")
        missing = [r for r in results if r.status in ("unavailable", "timeout")]
        self.breaker.count(len(missing), len(results), missing[0].message if missing else "")
        self.breaker.check()
        bad = next((r for r in results if r.status == "bad_request"), None)
        if bad is not None:  # the data set is wrong: nothing that training should go on with
            raise RequestRefused("bad_request", bad.message)
        settle(results, on_error)
        log = columns.get("log_metric")
        if callable(log) and results:
            log(f"{self.__name__}/oracle_ok", sum(r.ok for r in results) / len(results))
        return [self._value(r) for r in results]

    def _ends(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The columns with ``finish``, where the tokens say it."""
        tokens = columns.get("completion_ids")
        if self.eos is None or tokens is None or columns.get("finish") is not None:
            return columns
        return {**columns, "finish": ["stop" if len(t) > 0 and int(t[-1]) in self.eos else "length" for t in tokens]}

    def _value(self, result: Result) -> float | None:
        if self.component is None or not result.ok:
            return None if result.score is None else float(result.score)
        value = result.components.get(self.component)
        if value is None:
            raise RequestRefused("bad_request", f"the reward has no part {self.component!r}; it has {', '.join(sorted(result.components))}")
        return float(value)

    def __repr__(self) -> str:
        return f"<reward {self.__name__}>"


def _rows(completions: Sequence[Any], columns: dict[str, Any]) -> Iterator[Item]:
    tasks = next((columns[name] for name in _COLUMNS if columns.get(name) is not None), None)
    if tasks is None:
        raise RequestRefused("bad_request", f"the data set has none of the columns {', '.join(_COLUMNS)}")
    if len(tasks) != len(completions):
        raise ValueError(f"{len(completions)} completions and {len(tasks)} tasks")
    nothing = [None] * len(completions)
    finish, gold, budget, reader = (columns.get(name) or nothing for name in ("finish", "gold", "budget", "reader"))
    for i, completion in enumerate(completions):
        yield read_item(tasks[i], completion_text(completion), finish[i], {"gold": gold[i], "budget": budget[i], "reader": reader[i]})


def make_reward(spec: Any = None, *, component: str | None = None, name: str | None = None, on_error: str = "raise",
                eos: int | Iterable[int] | None = None, **settings: Any) -> _Reward:
    """A reward function for TRL's trainers.

    spec: the reward, as the oracle names it. component: one of its parts instead of the
    score. on_error: what becomes of a response without a score: ``raise`` an OracleUnavailable, or
    ``none``, only for a trainer without other reward functions (see leave_out). eos: the token, or
    tokens, that end an answer: one without was cut off. settings: as Client has them (url,
    tasks, reader, token, deadline, ...).
    """
    if name is None:
        label = spec if isinstance(spec, str) and "\n" not in spec else "spec"
        name = "plan_" + "_".join(str(p) for p in (label or "score", component) if p).replace("-", "_").replace(":", "_")[:60]
    return _Reward(name, spec, component, on_error, [eos] if isinstance(eos, int) else eos, settings)


class _LeftOut:
    """One of several reward functions, all of which say None of the rows that one has no score for."""

    def __init__(self, together: "_Together", index: int):
        self._together, self._index = together, index
        self.__name__ = self.__qualname__ = getattr(together.functions[index], "__name__", f"reward_{index}")

    def __call__(self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] = (), **columns: Any) -> list[float | None]:
        return self._together.rewards(self._index, prompts, completions, columns)


class _Together:
    """The rewards of a batch by several functions, which a trainer calls one after the other."""

    def __init__(self, functions: Sequence[Callable[..., Any]]):
        self.functions = functions
        self._batch: Sequence[Any] | None = None
        self._rewards: list[list[float | None]] = []
        self._told: set[int] = set()

    def rewards(self, index: int, prompts: Any, completions: Sequence[Any], columns: dict[str, Any]) -> list[float | None]:
        """Those of one function."""
        if self._batch is not completions or index in self._told:
            self._rewards, self._told = self._score(prompts, completions, columns), set()
            self._batch = completions
        self._told.add(index)
        return self._rewards[index]

    def _score(self, prompts: Any, completions: Sequence[Any], columns: dict[str, Any]) -> list[list[float | None]]:
        out, without = [], [False] * len(completions)
        for function in self.functions:
            if isinstance(function, _Reward):
                rewards = function.scored(completions, columns, "none")
                without = [missing or reward is None for missing, reward in zip(without, rewards, strict=True)]
            else:  # its None says that the row is none of its own
                rewards = list(function(prompts=prompts, completions=completions, **columns))
            out.append(rewards)
        return [[None if missing else reward for missing, reward in zip(without, rewards, strict=True)] for rewards in out]

    def __getstate__(self) -> Sequence[Callable[..., Any]]:
        return self.functions

    def __setstate__(self, functions: Sequence[Callable[..., Any]]) -> None:
        self.__init__(functions)  # type: ignore[misc]


def leave_out(*functions: Callable[..., Any]) -> list[_LeftOut]:
    """The reward functions of one trainer, such that a row for which the oracle has no score is left
    out: all of them say None of it. Give the whole list to one trainer, in ``reward_funcs``.

    Functions of other packages are called as TRL calls them. Raises TypeError for reward models and
    for functions with async, which TRL calls in other ways; use on_error="raise" beside those.
    """
    for function in functions:
        if not callable(function) or hasattr(function, "forward") or inspect.iscoroutinefunction(function):
            raise TypeError(f"{function!r} is no plain reward function: leave_out cannot call it")
    together = _Together(functions)
    return [_LeftOut(together, index) for index in range(len(functions))]


#: 1 for a valid plan, else 0.
plan_valid = make_reward("valid", name="plan_valid")
#: Form, progress and success, from 0 to 1: the points of "process" divided by 105, since trainers add
#: reward functions up. make_reward("process") has the points.
plan_process = make_reward({"schema": "planproof.reward/1", "name": "process-unit", "kind": "process", "normalised": True}, name="plan_process")
#: Form alone, from 0 to 1.
plan_format = make_reward("format", name="plan_format")


class PlanEnv:
    """An environment for ``environment_factory``: the model checks plans by a tool and is
    rewarded for the last one it submits.

    on_error: ``raise`` an OracleUnavailable when the oracle has no score, or ``none``, only for a
    trainer without other rewards.
    """

    settings: dict[str, Any] = {}
    on_error = "raise"

    def __init__(self) -> None:
        self._task: Task | None = None
        self._last: str | None = None

    def reset(self, **row: Any) -> str | None:
        """Begins an episode with a data set row."""
        columns = {k: [v] for k, v in row.items() if v is not None}
        self._task = next(_rows([""], columns)).task
        self._last = None
        return None

    def check_plan(self, plan: str) -> str:
        """
        Check a plan for the task.

        Args:
            plan: The plan, one action a line, such as (pick-up a).

        Returns:
            Whether the plan is valid, or the first thing that is wrong with it.
        """
        result = self._score(plan)
        return "The plan is valid." if result.valid else f"The plan is not valid: {result.message}"

    def submit_plan(self, plan: str) -> str:
        """
        Submit the final plan. Only the last submission counts.

        Args:
            plan: The plan, one action a line, such as (pick-up a).

        Returns:
            That it was received.
        """
        self._last = plan
        return "Received."

    def get_reward(self) -> float | None:
        """1 if the submitted plan is valid. When the oracle is unavailable, on_error decides."""
        if self._last is None:
            return 0.0
        result = shared_client(**self.settings).score(_block(self._last), task=self._task, spec="valid", on_error="none")
        if result.status == "bad_request":
            raise RequestRefused("bad_request", result.message)
        return settle([result], self.on_error)[0].score

    def _score(self, plan: str) -> Result:
        return shared_client(**self.settings).score(_block(plan), task=self._task, spec="valid")


def _block(plan: str) -> str:
    return f"<plan>\n{plan}\n</plan>"


def load_dpo(path: str | Path) -> list[dict[str, Any]]:
    """Reads preference pairs (JSON Lines with prompt, chosen, rejected) for DPOTrainer;
    other columns are kept. ``datasets.Dataset.from_list`` takes the result."""
    rows = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = read_json(line)
            except ValueError as err:
                raise ValueError(f"{path}:{number}: {err}") from None
            lacks = [c for c in ("prompt", "chosen", "rejected") if not (isinstance(row, dict) and row.get(c))]
            if lacks:
                raise ValueError(f"{path}:{number}: the row has no {', '.join(lacks)}")
            if row["chosen"] == row["rejected"]:
                raise ValueError(f"{path}:{number}: chosen and rejected are the same")
            if len({type(row[c]) for c in ("prompt", "chosen", "rejected")}) > 1:
                raise ValueError(f"{path}:{number}: prompt, chosen and rejected are not all texts or all chats")
            rows.append(row)
    return rows


__all__ = ["PlanEnv", "leave_out", "load_dpo", "make_reward", "plan_format", "plan_process", "plan_valid"]
