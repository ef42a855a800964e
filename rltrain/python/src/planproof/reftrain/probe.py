"""Fresh tasks, answered greedily every few steps: is what is rewarded what is wanted?

Two things can go wrong while rewards rise. A policy can learn to be paid for something
else than valid plans; and it can raise its divergence from the prompt without constraints
by getting worse at that one. Both show on tasks that are not trained on.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .config import RLConfig
from .data import Row
from .model import Model
from .naming import namings
from .reward import Scored, Scorer, unrestricted
from .sample import sample
from .state import Run
from .tokens import Tokenizer


class Probe:
    """Measures every ``probe_every`` steps, and before them all what the start does."""

    def __init__(self, rows: Sequence[Row], scorer: Scorer, config: RLConfig):
        self.rows, self.scorer, self.config = list(rows), scorer, config
        # Rows without constraints have the prompt without them too.
        self.free = [unrestricted(row) for row in rows if row.prompt_unconstrained]
        self.history: list[dict[str, Any]] = []
        self.rewards: list[float] = []  # since the last probe

    def state(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"history": self.history, "rewards": self.rewards}

    def load(self, state: dict[str, Any]) -> None:
        """Undoes state."""
        self.history, self.rewards = list(state["history"]), list(state["rewards"])

    def due(self, step: int, steps: int) -> bool:
        """Whether it measures after a step."""
        return bool(self.rows) and (step % self.config.probe_every == 0 or step == steps)

    def after(self, step: int, steps: int, model: Model, tokenizer: Tokenizer, scored: Sequence[Scored],
              values: dict[str, Any], run: Run) -> dict[str, float]:
        """Columns of a step at which there is a probe."""
        self.rewards.append(sum(s.reward for s in scored) / len(scored))
        if not self.due(step, steps):
            return {}
        out = self.measure(model, tokenizer)
        n = len(self.rewards)
        mean = sum(self.rewards) / n
        error = (sum((r - mean) ** 2 for r in self.rewards) / n / n) ** 0.5
        now = {**out, "reward": mean, "error": error, "carl_kl": values.get("carl_kl")}  # None if nothing was learned
        self.rewards = []
        for message in self.doubts(now):
            run.event(step, "warning", message=message)
        self.history.append(now)
        return out

    def measure(self, model: Model, tokenizer: Tokenizer) -> dict[str, float]:
        """Greedy answers to the whole prompts, and to those without constraints, which are
        judged on the task without constraints."""
        scored = self._answer(self.rows, model, tokenizer)
        forbidden = [s.violations for s in scored if s.violations is not None]
        out = {"probe_valid": sum(s.valid for s in scored) / len(scored)}
        if forbidden:
            out["probe_violations"] = sum(v > 0 for v in forbidden) / len(forbidden)
        if self.free:
            out["probe_free_valid"] = sum(s.valid for s in self._answer(self.free, model, tokenizer)) / len(self.free)
        return out

    def _answer(self, rows: Sequence[Row], model: Model, tokenizer: Tokenizer) -> list[Scored]:
        names = namings([row.prompt for row in rows], tokenizer.slots, "probe")
        prompts = [tokenizer.prompt(name.to(row.prompt), f"{row.id}: prompt") for name, row in zip(names, rows)]
        got = sample(model, tokenizer, prompts, temperature=0.0, max_tokens=self.config.max_tokens)
        return self.scorer.score(rows, [name.back(text) for name, text in zip(names, got.texts)], got.ended, spec="valid")

    def doubts(self, now: Mapping[str, Any]) -> list[str]:
        """What should be looked at, compared with two probes ago."""
        if len(self.history) < 2:
            return []
        then, out = self.history[-2], []
        n = len(self.rows)
        if now["reward"] > then["reward"] + 3 * (now["error"] + then["error"]) and now["probe_valid"] <= then["probe_valid"] < 1:
            out.append(f"the mean reward rose from {then['reward']:.3f} to {now['reward']:.3f}, but of {n} fresh tasks "
                       f"{now['probe_valid']:.3f} are solved after {then['probe_valid']:.3f}: is something else rewarded?")
        free, before = now.get("probe_free_valid"), then.get("probe_free_valid")
        term, earlier = now["carl_kl"], then["carl_kl"]
        rose = term is not None and earlier is not None and term > earlier
        if free is not None and before is not None and free < before - 1 / n**0.5 and rose:
            out.append(f"CARL's term rose while without constraints {free:.3f} of {n} tasks are solved after {before:.3f}: "
                       "the divergence may come from getting worse there")
        return out


__all__ = ["Probe"]
