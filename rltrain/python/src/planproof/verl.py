"""Reward functions for verl. Nothing of verl is imported.

verl 0.9::

    reward.custom_reward_function.path=pkg://planproof.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8700

(up to 0.8: ``custom_reward_function.path=...``; 0.9's main_ppo ignores that key silently.)
A row's ``reward_model.ground_truth`` is the task: its hash or name, or JSON with ``task`` and,
for rewards that compare, ``gold`` and ``budget``.

verl's ``main_eval`` takes the mean of what the function returns, so it needs a number
(and, in 0.9, both keys with a plus, since its configuration lacks them)::

    python -m verl.trainer.main_eval data.path=responses.parquet
        +reward.custom_reward_function.path=pkg://planproof.verl
        +reward.custom_reward_function.name=compute_score_value

Every result has the same keys, as verl needs. When the oracle is unavailable after all
retries the functions raise, so that verl discards the group; ``on_error=zero`` gives 0.0
with ``oracle_ok`` 0 for versions that would crash.
"""

from __future__ import annotations

import asyncio
from typing import Any, Mapping, Sequence

from ._adapt import plain, read_item
from .client import Client, shared_client
from .errors import OracleUnavailable, RequestRefused
from .retry import Breaker
from .schema import Item, Result, settle

#: The keys of every result.
KEYS = ("score", "acc", "format", "task", "process", "length", "bonus", "plan_len", "ref_len", "gap", "verdict", "oracle_ok")

_SETTINGS = ("url", "spec", "reader", "tasks", "binary", "token", "cafile", "deadline", "pool")
_breaker = Breaker()


def flatten(result: Result) -> dict[str, Any]:
    """A result with verl's fixed keys; numbers that there are not are 0.0, -1 or -1.0."""
    parts = result.components

    def part(*names: str) -> float:
        for name in names:
            if isinstance(parts.get(name), (int, float)):
                return float(parts[name])
        return 0.0

    gap = result.optimality_gap
    return {
        "score": float(result.score or 0.0),
        "acc": float(result.valid),
        "format": part("format"),
        "task": part("task", "valid"),
        "process": part("process", "plan"),
        "length": part("length", "efficiency"),
        "bonus": part("bonus"),
        "plan_len": int(result.plan_len or 0),
        "ref_len": -1 if result.ref_len is None else int(result.ref_len),
        "gap": float(gap) if isinstance(gap, (int, float)) else -1.0,
        "verdict": result.verdict or result.status,
        "oracle_ok": float(result.ok),
    }


def _client(kwargs: Mapping[str, Any]) -> tuple[Client, str]:
    on_error = kwargs.get("on_error") or "raise"
    if on_error not in ("raise", "zero"):
        raise ValueError(f"on_error is {on_error!r}: verl has no reward of None; it is raise or zero")
    return shared_client(**{k: plain(kwargs[k]) for k in _SETTINGS if kwargs.get(k) is not None}), on_error


# A row says in extra_info.finish how its response ended; without it, a plan whose block is open
# counts as cut off (see read_item).
def _item(solution: str, ground_truth: Any, extra: Mapping[str, Any] | None) -> Item:
    return read_item(ground_truth, solution, (extra or {}).get("finish"))


def _settled(results: Sequence[Result], on_error: str) -> list[dict[str, Any]]:
    missing = [r for r in results if r.status in ("unavailable", "timeout")]
    _breaker.count(len(missing), len(results), missing[0].message if missing else "")
    _breaker.check()
    return [flatten(r) for r in settle(results, on_error)]


async def compute_score(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **kwargs: Any) -> dict[str, Any]:
    """Scores one response; calls that wait at the same time travel together.

    kwargs (verl's reward_kwargs): url, spec, reader, tasks, binary, token, cafile, deadline, pool,
    on_error. Others, which verl adds, are ignored.
    """
    return (await score_item(solution_str, ground_truth, extra_info, kwargs))[1]


async def score_item(solution: str, ground_truth: Any, extra: Any, kwargs: Mapping[str, Any], step_rewards: bool = False) -> tuple[Result, dict[str, Any]]:
    """compute_score's result, and what it was made of."""
    _breaker.check()
    client, on_error = _client(kwargs)
    result = await asyncio.wrap_future(client.submit(_item(solution, ground_truth, extra), step_rewards=step_rewards))
    return result, _settled([result], on_error)[0]


def compute_score_sync(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **kwargs: Any) -> dict[str, Any]:
    """compute_score for callers without an event loop: managers with threads or processes."""
    _breaker.check()
    client, on_error = _client(kwargs)
    return _settled([client.submit(_item(solution_str, ground_truth, extra_info)).result()], on_error)[0]


def compute_score_value(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **kwargs: Any) -> float:
    """The score alone, for verl's main_eval, which averages what it gets."""
    return float(compute_score_sync(data_source, solution_str, ground_truth, extra_info, **kwargs)["score"])


def compute_score_batch(
    data_sources: Sequence[str], solution_strs: Sequence[str], ground_truths: Sequence[Any],
    extra_infos: Sequence[Any] | None = None, **kwargs: Any,
) -> list[dict[str, Any]]:
    """Scores a batch, for the manager ``batch`` of verl up to 0.8."""
    _breaker.check()
    client, on_error = _client(kwargs)
    extras = extra_infos if extra_infos is not None else [None] * len(solution_strs)
    items = [_item(*row) for row in zip(solution_strs, ground_truths, extras, strict=True)]
    return _settled(client.score(items, on_error="none"), on_error)


__all__ = ["KEYS", "OracleUnavailable", "RequestRefused", "compute_score", "compute_score_batch", "compute_score_sync", "compute_score_value", "flatten"]
