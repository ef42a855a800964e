"""What an evaluation says and how sure it is: pass@k, intervals, paired differences."""

from __future__ import annotations

import math
import random
from typing import Any, Iterable, Sequence


def pass_at_k(n: int, valid: int, k: int) -> float:
    """The chance that one of k responses is valid, estimated without bias from n >= k
    responses of which ``valid`` are (Chen et al. 2021): 1 - C(n - valid, k) / C(n, k)."""
    if not 0 <= valid <= n or not 1 <= k <= n:
        raise ValueError(f"pass@{k} of {n} responses, {valid} valid")
    return 1 - math.comb(n - valid, k) / math.comb(n, k)


#: How often bootstrap and permutation draw.
DRAWS = 2000


def bootstrap(groups: Iterable[Sequence[float]], level: float = 0.95, draws: int = DRAWS) -> list[float] | None:
    """A percentile interval of the mean of all values, whose sample are the groups: tasks of one
    structure are copies of each other and come and go together. The same groups in the same
    order give the same interval; None for fewer than two. With few groups it is too narrow."""
    sums = [(math.fsum(values), len(values)) for values in groups if values]
    if len(sums) < 2:
        return None
    rng = random.Random(len(sums))
    means = []
    for _ in range(draws):
        drawn = rng.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(n for _, n in drawn))
    means.sort()
    tail = (1 - level) / 2
    return [means[math.floor(tail * (draws - 1))], means[math.ceil((1 - tail) * (draws - 1))]]


def sign_flip(differences: Sequence[float], draws: int = 10 * DRAWS) -> float:
    """How likely a sum of the differences at least as far from 0 would be if each could as well have
    the other sign (two-sided): one difference for each structure, not for each of its copies.
    Exact up to 16 of them that are not 0, else from random signs."""
    known = [d for d in differences if d]
    seen = abs(math.fsum(known)) - 1e-9
    if len(known) <= 16:
        sums = [0.0]
        for d in known:
            sums = [total + signed for total in sums for signed in (d, -d)]
        return sum(abs(total) >= seen for total in sums) / len(sums)
    rng = random.Random(len(known))
    hits = sum(abs(sum(d if rng.getrandbits(1) else -d for d in known)) >= seen for _ in range(draws))
    return (hits + 1) / (draws + 1)


def student(degrees: int, level: float = 0.95) -> float:
    """Student's t quantile for a two-sided interval of that level (2 degrees: 4.303).

    The distribution of an integer number of degrees is a finite sum (Abramowitz and
    Stegun, 26.7.3 and 26.7.4), which bisection inverts.
    """
    if degrees < 1 or not 0 < level < 1:
        raise ValueError(f"{degrees} degrees of freedom at level {level}")
    low, high = 0.0, 1.0
    while _within(high, degrees) < level:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, degrees) < level:
            low = middle
        else:
            high = middle
    return high


def _within(t: float, degrees: int) -> float:
    """P(abs(T) <= t)."""
    theta = math.atan(t / math.sqrt(degrees))
    sin, cos = math.sin(theta), math.cos(theta)
    term = cos if degrees % 2 else 1.0
    total, power = 0.0, 2 if degrees % 2 else 1
    for _ in range((degrees - 1) // 2 if degrees % 2 else degrees // 2):
        total += term
        term *= cos * cos * power / (power + 1)
        power += 2
    return 2 / math.pi * (theta + sin * total) if degrees % 2 else sin * total


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def spread(values: Sequence[float | None]) -> dict[str, float] | None:
    """Mean and range of what several seeds gave; None when one of them gave nothing."""
    known = [v for v in values if v is not None]
    if not known or len(known) < len(values):
        return None
    return {"mean": mean(known), "min": min(known), "max": max(known)}


def paired(a: Sequence[float | None], b: Sequence[float | None], level: float = 0.95) -> dict[str, Any] | None:
    """The differences a - b, pair by pair (one seed each), their mean and its t interval.

    ``distinguishable`` is whether the interval excludes 0: with three seeds only a
    difference that hardly varies is. With one pair there is no interval.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values are no pairs")
    differences = [x - y for x, y in zip(a, b) if x is not None and y is not None]
    if not a or len(differences) < len(a):
        return None
    centre, n = mean(differences), len(differences)
    out: dict[str, Any] = {"differences": differences, "mean": centre, "interval": None, "distinguishable": False}
    if n > 1:
        deviation = math.sqrt(math.fsum((d - centre) ** 2 for d in differences) / (n - 1))
        half = student(n - 1, level) * deviation / math.sqrt(n)
        out["interval"] = [centre - half, centre + half]
        out["distinguishable"] = centre - half > 0 or centre + half < 0
    return out


__all__ = ["DRAWS", "bootstrap", "mean", "paired", "pass_at_k", "sign_flip", "spread", "student"]
