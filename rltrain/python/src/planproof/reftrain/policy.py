"""A trained model as the two functions that an evaluation and pair building ask for."""

from __future__ import annotations

from typing import Sequence

from .naming import namings
from .sample import Samples, sample
from .state import Loaded


class Policy:
    """Answers in texts. Which batch is asked for in which order decides on the draws, so
    equal calls in equal order give equal answers."""

    def __init__(self, loaded: Loaded, *, max_tokens: int = 96, temperature: float = 1.0, seed: int = 0, rows: int = 0):
        self.loaded, self.max_tokens, self.temperature = loaded, max_tokens, temperature
        self.seed, self.rows, self._calls = seed, rows or loaded.model.rows, 0

    def greedy(self, prompts: Sequence[str]) -> list["tuple[str, str]"]:
        """The likeliest answer, token by token, to each prompt."""
        return [group[0] for group in self._answers(prompts, 1, 0.0)]

    def sample(self, prompts: Sequence[str], n: int) -> list[list["tuple[str, str]"]]:
        """n answers to each prompt, drawn at the temperature."""
        return self._answers(prompts, n, self.temperature)

    def _answers(self, prompts: Sequence[str], n: int, temperature: float) -> list[list["tuple[str, str]"]]:
        model, tokenizer = self.loaded.model, self.loaded.tokenizer
        names = namings(prompts, tokenizer.slots, f"policy {self.seed}")
        ids = [tokenizer.prompt(name.to(text), f"prompt {i + 1}") for i, (name, text) in enumerate(zip(names, prompts))]
        out: list[list[tuple[str, str]]] = [[] for _ in ids]
        # Prompts of a length together: padding is work for nothing.
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
        step = max(1, self.rows // n)
        for start in range(0, len(order), step):
            part = order[start:start + step]
            self._calls += 1
            got: Samples = sample(model, tokenizer, [ids[i] for i in part], group=n, temperature=temperature,
                                  max_tokens=self.max_tokens, seed=self.seed * 1_000_003 + self._calls)
            for k, i in enumerate(part):
                out[i] = [(names[i].back(got.texts[r]), "stop" if got.ended[r] else "length") for r in range(k * n, (k + 1) * n)]
        return out


__all__ = ["Policy"]
