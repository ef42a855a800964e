"""Planning in a conversation: what the adapters for multi-turn training share.

A model is told the task and the state, answers with one step, is told what the step led to, and
so on: the environment ``plan_step`` of the oracle as texts. Or it answers with a whole plan and is told
which hidden constraints it violates: ``plan_adapt``.
"""

from __future__ import annotations

import re
from typing import Any

from .client import shared_client
from .operations import AdaptiveEpisode, Episode, Profile
from .schema import Task

_ACTION = re.compile(r"<action>(.*?)</action>", re.S | re.I)


def step_in(answer: str) -> str:
    """The step that an answer takes: what stands in its last <action> and </action>; the answer itself
    if it has a plan between markers, in which the oracle finds the step; else its last line that is
    not blank."""
    tagged = _ACTION.findall(answer)
    if tagged:
        return str(tagged[-1]).strip()
    if "</plan>" in answer or "[PLAN END]" in answer:
        return answer
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Conversation:
    """An episode of plan_step as texts. Raises OracleUnavailable when the oracle is; nothing is lost
    then, and the turn may be repeated."""

    def __init__(self, task: Task, *, spec: Any = None, max_steps: int = 100, **settings: Any):
        self.episode = Episode(shared_client(**settings), task, spec, max_steps)
        #: What the model is asked.
        self.prompt: str = self.episode.observation["prompt"]

    @property
    def done(self) -> bool:
        """Whether the goal holds, or there are no turns left."""
        return self.episode.done

    @property
    def reward(self) -> float:
        """The reward so far: 0 before the end."""
        return float(self.episode.reward or 0.0)

    def take(self, answer: str) -> str:
        """Takes the step of an answer and returns what the model is told."""
        seen = self.episode.step(step_in(answer))
        if self.done:
            return "The goal holds." if seen.get("verdict") == "valid" else f"It is over. {seen.get('message', '')}".strip()
        return self.state(seen)

    def state(self, seen: Any = None) -> str:
        """The state in words, after what was wrong with the last step."""
        seen = self.episode.observation if seen is None else seen
        wrong = f"{seen['message'][:1].upper()}{seen['message'][1:]}. " if seen.get("message") else ""
        return f"{wrong}Now {seen['state']}."


class AdaptiveConversation:
    """An episode of plan_adapt as texts, like Conversation."""

    def __init__(self, task: Task, profile: Profile | None = None, *, spec: Any = None, **settings: Any):
        self.episode = AdaptiveEpisode(shared_client(**settings), task, profile, spec)
        #: What the model is asked.
        self.prompt: str = self.episode.observation["prompt"]

    @property
    def done(self) -> bool:
        """Whether a plan has passed, or there are no turns left."""
        return self.episode.done

    @property
    def reward(self) -> float:
        """The reward so far: 0 before the end."""
        return float(self.episode.reward or 0.0)

    def take(self, answer: str) -> str:
        """Takes an answer with a whole plan and returns what the model is told."""
        told = str(self.episode.propose(answer)["message"])
        return f"It is over. {told}" if self.done and self.episode.observation.get("end") != "passed" else told


__all__ = ["AdaptiveConversation", "Conversation", "step_in"]
