"""What an evaluation says and how sure it is: pass@k, intervals, paired differences."""

from __future__ import annotations

import math
from typing import Sequence


def pass_at_k(n: int, valid: int, k: int) -> float:
    """The chance that one of k responses is valid, estimated without bias from n >= k
    responses of which ``valid`` are (Chen et al. 2021): 1 - C(n - valid, k) / C(n, k)."""
    if not 0 <= valid <= n or not 1 <= k <= n:
        raise ValueError(f"pass@{k} of {n} responses, {valid} valid")
    return 1 - math.comb(n - valid, k) / math.comb(n, k)


def wilson(hits: int, n: int, z: float = 1.959963984540054) -> tuple[float, float] | None:
    """Wilson's score interval (95 % by default) of a share, None when n is 0."""
    if n == 0:
        return None
    p = hits / n
    divisor = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / divisor
    half = z / divisor * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


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


def paired(a: Sequence[float | None], b: Sequence[float | None], level: float = 0.95) -> dict | None:
    """The differences a - b, pair by pair (one seed each), their mean and its t interval.

    ``distinguishable`` is whether the interval excludes 0: with three seeds only a
    difference that hardly varies is. With one pair there is no interval.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values are no pairs")
    if not a or any(v is None for v in (*a, *b)):
        return None
    differences = [x - y for x, y in zip(a, b)]
    centre, n = mean(differences), len(differences)
    out = {"differences": differences, "mean": centre, "interval": None, "distinguishable": False}
    if n > 1:
        deviation = math.sqrt(math.fsum((d - centre) ** 2 for d in differences) / (n - 1))
        half = student(n - 1, level) * deviation / math.sqrt(n)
        out["interval"] = [centre - half, centre + half]
        out["distinguishable"] = centre - half > 0 or centre + half < 0
    return out


def sign_test(wins: int, losses: int) -> float:
    """McNemar's exact test: how likely a split at least as uneven would be if a task that
    only one of two models solves were as often the one's as the other's (two-sided)."""
    n = wins + losses
    tail = sum(math.comb(n, i) for i in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / 2**n)


__all__ = ["mean", "paired", "pass_at_k", "sign_test", "spread", "student", "wilson"]
