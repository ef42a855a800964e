"""Tasks that the policy solves about half of the time, from the oracle's own verdicts.

Rewards relative to a group of answers say something only where some answers are valid and others are
not, and most where half of them are: the variance p (1 - p) of the verdict, whose p is estimated
for every row, is the weight with which it is drawn. Standard library only.
"""

from __future__ import annotations

import math
import random
from typing import Any, Iterable, Mapping, Sequence

from .data import Row

#: So many answers' worth of its bin (tasks of like optimal cost) is added to what is known of a row.
PRIOR = 2.0
#: What is left of a row's counts when it is counted again, and of a bin's at each step: the policy changes.
ROW_KEEPS, BIN_KEEPS = 0.5, 0.9


class Frontier:
    """Counts of answers and of valid ones, by row and by bin, and rows drawn by them."""

    def __init__(self, rows: Sequence[Row], seed: int):
        self.rows, self.seed = rows, seed
        self.index = {row.id: i for i, row in enumerate(rows)}
        self.of_rows: dict[int, tuple[float, float]] = {}
        self.of_bins: dict[str, tuple[float, float]] = {}

    def count(self, rows: Sequence[Row], valid: Sequence[bool]) -> None:
        """Notes the verdicts on a batch: equally many answers to each row, one row after the other."""
        group = len(valid) // len(rows)
        for name, (tried, solved) in self.of_bins.items():
            self.of_bins[name] = tried * BIN_KEEPS, solved * BIN_KEEPS
        for i, row in enumerate(rows):
            new = sum(valid[i * group:(i + 1) * group])
            at = self.index[row.id]
            tried, solved = self.of_rows.get(at, (0.0, 0.0))
            self.of_rows[at] = tried * ROW_KEEPS + group, solved * ROW_KEEPS + new
            tried, solved = self.of_bins.get(row.bin, (0.0, 0.0))
            self.of_bins[row.bin] = tried + group, solved + new

    def solves(self, i: int) -> float:
        """The estimated probability that an answer to row i is valid, above 0 and below 1."""
        tried, solved = self.of_bins.get(self.rows[i].bin, (0.0, 0.0))
        usual = (solved + 1) / (tried + 2)
        tried, solved = self.of_rows.get(i, (0.0, 0.0))
        return (solved + PRIOR * usual) / (tried + PRIOR)

    def draw(self, step: int, n: int, among: Iterable[int], without: Sequence[Row] = ()) -> list[Row]:
        """So many different rows with these indices, or as many as there are, each drawn with the weight
        p (1 - p); a pure function of the seed, the step and the counts."""
        rng = random.Random(f"frontier {self.seed} {step}")
        taken = {row.id for row in without}
        # Drawing without replacement by weights: the largest u^(1/w) (Efraimidis and Spirakis 2006).
        keys = []
        for i in among:
            u, p = 1.0 - rng.random(), self.solves(i)
            if self.rows[i].id not in taken:
                keys.append((math.log(u) / (p * (1.0 - p)), -i))
        return [self.rows[-i] for _, i in sorted(keys, reverse=True)[:n]]

    def state(self) -> dict[str, Any]:
        """What going on needs."""
        return {"rows": self.of_rows, "bins": self.of_bins}

    def load(self, state: Mapping[str, Any]) -> None:
        """Undoes state."""
        self.of_rows, self.of_bins = dict(state["rows"]), dict(state["bins"])


__all__ = ["Frontier"]
