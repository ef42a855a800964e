"""A task set for verifiers (``import verifiers.v1``), which is imported only when one of
the names below is asked for.

The installable environment is the module ``planproof_env``; its id is ``planproof-env``. verifiers'
own commands run where both are installed::

    vf-validate planproof-env --taskset.tasks tasks.jsonl --runtime.type subprocess
    vf-eval planproof-env --env.taskset.tasks tasks.jsonl -m MODEL --no-push
        --client.base-url http://127.0.0.1:8000/v1 --client.api-key-var API_KEY
        --env.agent.harness.id null --env.agent.runtime.type subprocess

and so does prime-rl's (``uv run eval planproof-env ...`` with the same options); a configuration of
prime-rl names the task set by ``env.taskset`` (``id = "planproof-env"``, ``tasks = "tasks.jsonl"``).

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
