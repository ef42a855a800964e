"""An environment for TRL's ``environment_factory``: the model proposes whole plans by a tool and is told which
hidden constraints they violate (``plan_adapt``, docs/EPISODES.md)::

    from planproof.trl_adapt import PlanAdaptEnv

    GRPOTrainer(model, train_dataset=rows_with_columns_task_and_profile, environment_factory=PlanAdaptEnv, ...)

A row's ``profile`` is {"seed": 1, "rounds": 2}; without it that of ``PlanAdaptEnv.profile``. Outages are treated as in
planproof.trl_step.
"""

from __future__ import annotations

from typing import Any

from ._adapt import read_task
from .rewards import task_of
from .trl_step import Outages
from .turns import AdaptiveConversation


class PlanAdaptEnv(Outages):
    """One episode of plan_adapt. Subclass it to change the settings, which are planproof.Client's and
    spec, and the profile of rows without one."""

    profile: dict[str, int] = {"seed": 1, "rounds": 2}

    def reset(self, **row: Any) -> str | None:
        """Begins an episode with a data set row; returns what is said after its prompt."""
        given = row.get("profile")
        profile = {name: int(value) for name, value in (given or self.profile).items() if value is not None}
        if not self._begin(lambda: AdaptiveConversation(read_task(task_of(row)), profile, **self.settings)):
            return None
        return ("Propose a whole plan with the tool propose_plan. There may be constraints that you are not told: "
                "if your plan violates some, you learn which, and propose another one.")

    def propose_plan(self, plan: str) -> str:
        """
        Propose a whole plan.

        Args:
            plan: The plan, one step a line, such as (pick-up a), between <plan> and </plan>.

        Returns:
            The constraints that the plan violates, or what is wrong with it.
        """
        return self._say(plan if "</plan>" in plan else f"<plan>\n{plan}\n</plan>")


__all__ = ["PlanAdaptEnv"]
