"""A task set for verifiers (``import verifiers.v1``), which is imported only when one of
the names below is asked for.

The installable environment is the module ``planproof_env``; its id is ``planproof-env``::

    uv run eval planproof-env --env.taskset.tasks tasks.jsonl -n 5

When the oracle is unavailable the reward raises, which verifiers records on the trace as
a TaskError: never a reward of 0.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PlanData", "PlanTask", "PlanTaskConfig", "PlanTaskset", "PlanTasksetConfig"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import _verifiers_v1

        return getattr(_verifiers_v1, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
