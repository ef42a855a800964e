"""Environments for SkyRL (skyrl-gym), which is imported only here::

    import planproof.skyrl                                # in your entry point, in every process
    planproof.skyrl.register()                            # "planproof" and "planproof-step"

    environment.env_class=planproof

A row names its task in ``reward_spec.ground_truth``, ``task``, or as exported for verl. Settings come
from env_config (``spec``, ``url``, ``max_steps``, ...) or the package's variables. When the oracle is
unavailable a step raises: never a reward of 0.
"""

from __future__ import annotations

from typing import Any, Mapping

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ._adapt import plain, read_task
from .rewards import Judge, metrics, task_of
from .turns import Conversation

_SETTINGS = ("spec", "reader", "url", "tasks", "binary", "token", "cafile", "deadline", "pool")


def _settings(env_config: Any) -> dict[str, Any]:
    given = plain(env_config or {})
    return {name: given[name] for name in (*_SETTINGS, "max_steps") if given.get(name) is not None}


class PlanEnv(BaseTextEnv):
    """One answer with a whole plan."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] = {}):
        super().__init__()
        settings = _settings(env_config)
        settings.pop("max_steps", None)
        self.row, self._judge = dict(extras), Judge(**settings)
        self._metrics: dict[str, Any] = {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Judges the answer."""
        [result] = self._judge([self.row], [action])
        self._metrics = metrics(result)
        return BaseTextEnvStepOutput(observations=[], reward=float(result.score or 0.0), done=True,
                                     metadata={"verdict": result.verdict, "message": result.message})

    def get_metrics(self) -> dict[str, Any]:
        """Whether the plan was valid, and the parts of the score."""
        return self._metrics


class PlanStepEnv(BaseTextEnv):
    """A conversation, one step of the plan in each answer (planproof.turns)."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] = {}):
        super().__init__()
        self._settings, self._task = _settings(env_config), read_task(task_of(dict(extras)))
        self._talk: Conversation | None = None

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Replaces what the user asks in the row, a whole plan, by the question for one step."""
        self._talk = Conversation(self._task, **self._settings)
        system = [message for message in prompt if message["role"] == "system"]
        return [*system, {"role": "user", "content": self._talk.prompt}], {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Takes the step in the answer."""
        assert self._talk is not None, "init comes first"
        told = self._talk.take(action)
        done = self._talk.done
        return BaseTextEnvStepOutput(observations=[] if done else [{"role": "user", "content": told}],
                                     reward=self._talk.reward, done=done, metadata={"plan": list(self._talk.episode.plan)})

    def get_metrics(self) -> dict[str, Any]:
        """How many steps were taken, and how many of them executed."""
        episode = self._talk.episode if self._talk else None
        return {"steps": episode.actions, "executed": len(episode.plan)} if episode else {}


def register() -> None:
    """Registers both, once."""
    from skyrl_gym.envs.registration import register as add, registry

    for name, made in (("planproof", "PlanEnv"), ("planproof-step", "PlanStepEnv")):
        if name not in registry:
            add(id=name, entry_point=f"planproof.skyrl:{made}")


__all__ = ["PlanEnv", "PlanStepEnv", "register"]
