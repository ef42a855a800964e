"""An evaluator for rLLM, and a reward function for its releases before 0.3.

``planproof.rllm:plan_evaluator`` is the evaluator's import path; a row names its task as
rows of ``planproof export`` do. When the oracle is unavailable it raises, and rLLM runs the
rollout again.
"""

from __future__ import annotations

import functools
from typing import Any, Mapping

from .rewards import Judge, metrics


@functools.cache
def judge() -> Judge:
    """The judge of this process."""
    return Judge()


def answer_of(episode: Any) -> str:
    """The last answer of an episode: its artifact ``answer``, the output of its last trajectory or
    of that one's last step, or the last response of the model."""
    artifacts = getattr(episode, "artifacts", None) or {}
    if "answer" in artifacts:
        return str(artifacts["answer"])
    trajectories = getattr(episode, "trajectories", None) or []
    if not trajectories:
        return ""
    last = trajectories[-1]
    steps = list(getattr(last, "steps", None) or [])
    for text in (getattr(last, "output", None), getattr(steps[-1], "output", None) if steps else None,
                 *(getattr(step, "model_response", None) for step in reversed(steps))):
        if text:
            return str(text)
    return ""


def _was_cut(episode: Any) -> bool:
    reason = getattr(episode, "termination_reason", None)
    return getattr(reason, "value", reason) == "max_response_length_exceeded"


def plan_evaluator(task: Any, episode: Any) -> dict[str, Any]:
    """Scores an episode, as rLLM's evaluators do. task: rLLM's Task, or a row."""
    row = task if isinstance(task, Mapping) else task.metadata
    [result] = judge()([row], [answer_of(episode)], ["length" if _was_cut(episode) else "stop"])
    return {"reward": float(result.score or 0.0), "is_correct": result.valid, "signals": metrics(result)}


def reward_function(task_info: Mapping[str, Any], action: Any) -> Any:
    """A RewardOutput, for environments of rLLM 0.2: ``reward_fn=planproof.rllm.reward_function``."""
    from rllm.rewards.reward_types import RewardOutput

    [result] = judge()([task_info], [getattr(action, "action", action)])
    return RewardOutput(reward=float(result.score or 0.0), is_correct=result.valid, metadata=metrics(result))


__all__ = ["answer_of", "judge", "plan_evaluator", "reward_function"]
