"""An environment for TRL's ``environment_factory``: the model takes steps of the plan by a tool and is
told the state (``plan_step``, docs/ORACLE.md)::

    from planproof.trl_step import PlanStepEnv

    GRPOTrainer(model, train_dataset=rows_with_a_column_task, environment_factory=PlanStepEnv, ...)

TRL hands exceptions of tools to the model as their output. So that an outage does not teach the
model anything, get_reward raises after one, or with ``on_error = "none"`` says None: TRL leaves the
episode out where the environment is the only source of rewards. See planproof.trl for several.
"""

from __future__ import annotations

from typing import Any, Callable

from ._adapt import read_task
from .errors import OracleUnavailable
from .rewards import task_of
from .turns import Conversation


class Outages:
    """What TRL's environments share: a conversation, and what becomes of one that the oracle left. Public
    methods would be tools of the model."""

    settings: dict[str, Any] = {}
    on_error = "raise"

    def __init__(self) -> None:
        self._talk: Any = None
        self._outage = False

    def _begin(self, make: Callable[[], Any]) -> bool:
        """Begins a conversation; False if the oracle is unavailable."""
        self._talk, self._outage = None, False
        try:
            self._talk = make()
        except OracleUnavailable:
            self._outage = True
        return not self._outage

    def _say(self, answer: str) -> str:
        """What the model is told about its answer."""
        if self._talk is None or self._outage:
            return "The environment is not available."
        if self._talk.done:
            return "The episode is over."
        try:
            return str(self._talk.take(answer))
        except OracleUnavailable:
            self._outage = True
            return "The environment is not available."

    def get_reward(self) -> float | None:
        """The reward of the episode. When the oracle was unavailable, on_error decides."""
        if self._outage and self.on_error == "raise":
            raise OracleUnavailable("the oracle was unavailable during the episode")
        return None if self._outage or self._talk is None else float(self._talk.reward)


class PlanStepEnv(Outages):
    """One episode of plan_step. Subclass it to change the settings, which are planproof.Client's
    and max_steps."""

    def reset(self, **row: Any) -> str | None:
        """Begins an episode with a data set row; returns what is said after its prompt."""
        if not self._begin(lambda: Conversation(read_task(task_of(row)), **self.settings)):
            return None
        return f"Take one step at a time with the tool take_step. {self._talk.state()}"

    def take_step(self, step: str) -> str:
        """
        Take one step of the plan.

        Args:
            step: The step, such as (pick-up a), or in the words of the task.

        Returns:
            The state after the step, or what is wrong with it.
        """
        return self._say(step)


__all__ = ["PlanStepEnv"]
