"""Environments for gymnasium, which is imported only here::

    import gymnasium, planproof.gymnasium                # registers them

    env = gymnasium.make("planproof/PlanStep-v0", task="blocksworld:3-5")
    text, info = env.reset()                             # info["actions"]: the steps that can come next
    text, reward, terminated, truncated, info = env.step("(unstack b c)")

reset(options={"task": ...}) chooses another task; of a list tasks=[...] the seed chooses one. When the oracle is unavailable a call raises: never a reward of 0.
"""

from __future__ import annotations

import string
from typing import Any, Sequence

import gymnasium

from ._adapt import read_task
from .turns import Conversation

_CHARSET = frozenset(string.printable)


def _text(limit: int) -> gymnasium.spaces.Text:
    return gymnasium.spaces.Text(min_length=0, max_length=limit, charset=_CHARSET)


def _printable(text: str, limit: int) -> str:
    """A text as the observation space has it."""
    return "".join(c if c in _CHARSET else "?" for c in text[:limit])


class PlanStepEnv(gymnasium.Env[str, str]):  # type: ignore[misc, unused-ignore]
    """One step of the plan at a time. settings are planproof.Client's."""

    metadata: dict[str, Any] = {"render_modes": []}
    #: Most characters of an observation and of an action.
    OBSERVATION, ACTION = 20_000, 2_000

    def __init__(self, task: Any = None, tasks: Sequence[Any] = (), *, spec: Any = None, max_steps: int = 100, **settings: Any):
        if task is None and not tasks:
            raise ValueError("no task: gymnasium.make(..., task=...) or tasks=[...]")
        self._tasks = [read_task(t) for t in ([task] if task is not None else tasks)]
        self._spec, self._max_steps, self._settings = spec, max_steps, settings
        self.observation_space, self.action_space = _text(self.OBSERVATION), _text(self.ACTION)
        self._talk: Conversation | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The question, and what is known of the state."""
        super().reset(seed=seed)
        given = (options or {}).get("task")
        task = read_task(given) if given is not None else self._tasks[int(self.np_random.integers(len(self._tasks)))]
        self._talk = Conversation(task, spec=self._spec, max_steps=self._max_steps, **self._settings)
        return _printable(self._talk.prompt, self.OBSERVATION), self._info(self._talk)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Takes a step, as PDDL or in words. Terminated: the goal holds; truncated: the steps are
        used up."""
        if self._talk is None:
            raise RuntimeError("reset comes first")
        told = self._talk.take(action)
        info = self._info(self._talk)
        solved = self._talk.done and self._talk.episode.observation.get("verdict") == "valid"
        return _printable(told, self.OBSERVATION), self._talk.reward, solved, self._talk.done and not solved, info

    @staticmethod
    def _info(talk: Conversation) -> dict[str, Any]:
        seen = talk.episode.observation
        return {"task": talk.episode.task, "actions": list(seen.get("actions") or ()), "facts": list(seen.get("facts") or ()),
                "plan": list(talk.episode.plan), "message": seen.get("message", "")}


if "planproof/PlanStep-v0" not in gymnasium.registry:
    gymnasium.register("planproof/PlanStep-v0", entry_point=f"{__name__}:PlanStepEnv")

__all__ = ["PlanStepEnv"]
