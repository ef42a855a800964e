"""Group maths: advantages, CARL's estimators, preference pairs, the PPO variant.

The same numbers as the Go package rltrain/groups, bit by bit (rltrain/groups/testdata/groups.golden.json):
every sum is taken in order, and the exponential uses only operations that IEEE 754 rounds
correctly. For tensors see planproof.carl.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence

Floats = Sequence[float]
Mask = Optional[Sequence[bool]]

ESTIMATORS = ("dif", "abs", "mse", "low_var_kl")
AGGREGATIONS = ("seq-mean-token-mean", "token-mean")
PLACEMENTS = ("loss", "after", "reward")
GATES = ("none", "valid", "parsed")

MAX_EXPONENT = 20.0
MAX_TERM = 10.0

# -- advantages --------------------------------------------------------------------------


def advantages(
    rewards: Sequence[float | None],
    known: Mask = None,
    *,
    leave_one_out: bool = False,
    no_std: bool = False,
    sample: bool = False,
    epsilon: float = 0.0,
) -> list[float]:
    """Compares the rewards of the responses to one prompt.

    ``(r - mean) / (std + epsilon)`` as GRPO has it; ``no_std`` does not divide (Dr. GRPO),
    ``leave_one_out`` compares with the mean of the others (RLOO), ``sample`` has the
    standard deviation with n - 1 as torch.std (with epsilon 1e-4 this is TRL's, with 1e-6
    verl's). A reward of None takes no part and has advantage 0. So have all members of a
    degenerate group: fewer than two known rewards, or all the same.
    """
    values, known = _known(rewards, known)
    out = [0.0] * len(values)
    taken = [r for r, k in zip(values, known) if k]
    n = len(taken)
    if n < 2 or min(taken) == max(taken):
        return out
    total = 0.0
    for r in taken:
        total += r
    mean, divisor = total / n, 1.0
    if not no_std:
        squares = 0.0
        for r in taken:
            d = r - mean
            squares += d * d
        std = math.sqrt(squares / (n - 1 if sample else n))
        if std == 0:  # differences too small to square
            return out
        divisor = std + epsilon
    for i, r in enumerate(values):
        if known[i]:
            baseline = (total - r) / (n - 1) if leave_one_out else mean
            out[i] = (r - baseline) / divisor
    return out


def degenerate(rewards: Sequence[float | None], known: Mask = None) -> bool:
    """Whether a group says nothing: fewer than two known rewards, or all the same."""
    values, known = _known(rewards, known)
    taken = [r for r, k in zip(values, known) if k]
    return len(taken) < 2 or min(taken) == max(taken)


def constraint_advantages(
    rewards: Sequence[float | None],
    ca: Floats,
    alpha: float,
    placement: str,
    known: Mask = None,
    **options: Any,
) -> list[float]:
    """Advantages of one group with the constraint-aware term ``ca`` of each response.

    ``loss``: as without it, the loss has the term. ``after``: plus alpha * ca, also in a
    degenerate group. ``reward``: of rewards + alpha * ca, only with ``no_std``: in a group
    of equal rewards the standard deviation would blow alpha times noise up to size 1.
    """
    values, known = _known(rewards, known)
    if len(ca) != len(values):
        raise ValueError(f"{len(values)} rewards and {len(ca)} constraint-aware terms")
    if placement == "loss":
        return advantages(values, known, **options)
    if placement == "after":
        out = advantages(values, known, **options)
        return [a + alpha * c if k else a for a, c, k in zip(out, ca, known)]
    if placement == "reward":
        if not options.get("no_std"):
            raise ValueError("the constraint-aware term in the reward and division by the group's standard deviation: "
                             "a group of equal rewards would blow it up; put it in the loss, after, or use no_std")
        return advantages([r + alpha * c for r, c in zip(values, ca)], known, **options)
    raise ValueError(f"{placement!r} is no place for the constraint-aware term: {', '.join(PLACEMENTS)}")


def _known(rewards: Sequence[float | None], known: Mask) -> tuple[list[float], list[bool]]:
    if known is None:
        known = [r is not None for r in rewards]
    if len(known) != len(rewards):
        raise ValueError(f"{len(rewards)} rewards, {len(known)} marks which are known")
    return [0.0 if r is None else float(r) for r in rewards], [bool(k) for k in known]


# -- estimators --------------------------------------------------------------------------

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOG2E = 1.44269504088896338700e00


def exp_fixed(x: float) -> float:
    """e**x for abs(x) <= 20, the same bits everywhere, to about two units in the last place."""
    k = math.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0
    for n in range(13, 0, -1):
        p = 1 + (r * p) / n
    return math.ldexp(p, k)


def k3(d: float) -> float:
    """e**d - d - 1 for abs(d) <= 20, by its series near 0."""
    if abs(d) < 0.5:
        q = 1.0
        for n in range(18, 2, -1):
            q = 1 + (d * q) / n
        return ((d * d) / 2) * q
    return (exp_fixed(d) - 1) - d


def _clamp(x: float, bound: float) -> float:
    return max(-bound, min(bound, x))


def estimate_token(kind: str, p: float, u: float) -> float:
    """One token's divergence between the policy with the whole prompt (log-probability
    p) and without its constraints (u): CARL, section 5.3."""
    if kind == "dif":
        return p - u
    if kind == "abs":
        return abs(p - u)
    if kind == "mse":
        d = p - u
        return (d * d) / 2
    if kind == "low_var_kl":
        return _clamp(k3(_clamp(u - p, MAX_EXPONENT)), MAX_TERM)
    raise ValueError(f"{kind!r} is no estimator: there are {', '.join(ESTIMATORS)}")


def estimate(kind: str, with_constraints: Floats, without: Floats) -> list[float]:
    """estimate_token for all tokens of a response. Log-probabilities must be finite."""
    if len(with_constraints) != len(without):
        raise ValueError(f"{len(with_constraints)} log-probabilities with the constraints, {len(without)} without")
    for i, (p, u) in enumerate(zip(with_constraints, without)):
        if not math.isfinite(p - u):
            raise ValueError(f"token {i + 1}: log-probabilities {p} and {u}")
    if kind not in ESTIMATORS:
        estimate_token(kind, 0.0, 0.0)
    return [estimate_token(kind, p, u) for p, u in zip(with_constraints, without)]


def mean_tokens(values: Floats, mask: Mask = None) -> float:
    """The mean over the tokens that count, 0 without any: a sum would pay for length."""
    total, n = 0.0, 0
    for i, v in enumerate(values):
        if mask is None or mask[i]:
            total += v
            n += 1
    return total / n if n else 0.0


def aggregate(kind: str, values: Sequence[Floats], masks: "Sequence[Sequence[bool]] | None" = None) -> float:
    """One number of a batch's token values: ``seq-mean-token-mean`` (CARL, equation 7) or
    ``token-mean``, in which long responses count more."""
    if kind not in AGGREGATIONS:
        raise ValueError(f"{kind!r} is no aggregation: there are {' and '.join(AGGREGATIONS)}")
    total, n = 0.0, 0
    for i, row in enumerate(values):
        row_total, row_n = 0.0, 0
        for j, v in enumerate(row):
            if masks is None or masks[i][j]:
                row_total += v
                row_n += 1
        if row_n == 0:
            continue
        if kind == "token-mean":
            total += row_total
            n += row_n
        else:
            total += row_total / row_n
            n += 1
    return total / n if n else 0.0


def gate_open(gate: str, valid: bool, parsed: bool) -> bool:
    """Whether a response is paid for attention to constraints."""
    if gate not in GATES:
        raise ValueError(f"{gate!r} is no gate: there are {', '.join(GATES)}")
    return gate == "none" or valid or (gate == "parsed" and parsed)


def filter_lowest(values: Floats, fraction: float) -> tuple[list[float], list[bool]]:
    """The values with the lowest fraction set to 0, and which those are (CARL, appendix
    D.6). Of equal values the first go first."""
    order = sorted(range(len(values)), key=values.__getitem__)
    n = math.floor(fraction * len(values) + 1e-9)
    lowest = set(order[: max(0, min(n, len(order)))])
    return [0.0 if i in lowest else v for i, v in enumerate(values)], [i in lowest for i in range(len(values))]


# -- objective and PPO ---------------------------------------------------------------------


def objective_tokens(
    policy: Floats, old: Floats, advantage: float, *,
    reference: Floats | None = None, unconstrained: Floats | None = None,
    clip_low: float = 0.2, clip_high: float = 0.2, alpha: float = 0.001, beta: float = 0.001,
    estimator: str = "low_var_kl",
) -> list[float]:
    """What each token adds to the objective that CARL maximises (equation 7)."""
    out = []
    for i, p in enumerate(policy):
        ratio = exp_fixed(_clamp(p - old[i], MAX_EXPONENT))
        clipped = max(1 - clip_low, min(1 + clip_high, ratio))
        v = min(ratio * advantage, clipped * advantage)
        if reference is not None:
            v -= beta * estimate_token("low_var_kl", p, reference[i])
        if unconstrained is not None:
            v += alpha * estimate_token(estimator, p, unconstrained[i])
        out.append(v)
    return out


def token_rewards(
    old: Floats, reward: float, *, reference: Floats | None = None, unconstrained: Floats | None = None,
    mask: Mask = None, alpha: float = 0.001, beta: float = 0.001, estimator: str = "low_var_kl",
) -> list[float]:
    """Rewards of the PPO variant, token by token; the task's reward is on the last one."""
    out, last = [0.0] * len(old), -1
    for i, p in enumerate(old):
        if mask is not None and not mask[i]:
            continue
        last = i
        if reference is not None:
            out[i] -= beta * (p - reference[i])
        if unconstrained is not None:
            out[i] += alpha * estimate_token(estimator, p, unconstrained[i])
    if last >= 0:
        out[last] += reward
    return out


def gae(
    rewards: Floats, values: Floats, mask: Mask = None, *, gamma: float = 1.0, lam: float = 1.0
) -> tuple[list[float], list[float]]:
    """Advantages and returns by generalised advantage estimation (Schulman et al. 2016)."""
    adv, returns = [0.0] * len(rewards), [0.0] * len(rewards)
    next_value = following = 0.0
    decay = gamma * lam
    for i in range(len(rewards) - 1, -1, -1):
        if mask is not None and not mask[i]:
            continue
        delta = (rewards[i] + gamma * next_value) - values[i]
        following = delta + decay * following
        next_value = values[i]
        adv[i], returns[i] = following, following + values[i]
    return adv, returns


# -- preference pairs ------------------------------------------------------------------------


@dataclass(frozen=True)
class Sampled:
    """A judged response. ``valid`` is the verdict on the whole task, also for a response
    that was generated ``unconstrained``, without the prompt's constraints."""

    prompt: str
    text: str
    valid: bool
    unconstrained: bool = False
    kl: float = 0.0


class _SplitMix64:
    """The generator of Steele, Lea and Flood (2014)."""

    def __init__(self, state: int):
        self.state = state & _M

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _M
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _M
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _M
        return z ^ z >> 31

    def shuffle(self, values: list[Any]) -> None:
        for i in range(len(values) - 1, 0, -1):
            j = self.next() * (i + 1) >> 64
            values[i], values[j] = values[j], values[i]


_M = (1 << 64) - 1


def pairs(
    samples: Sequence[Sampled], rule: str, *, count: int = 0, per_prompt: int = 0, seed: int = 0,
    drop_lowest: float = 0.0, keep_valid: bool = False,
) -> list[tuple[int, int]]:
    """Preference pairs as indices (chosen, rejected) into the samples.

    ``dpo``: a valid and an invalid response to the prompt. ``ca-dpo``: a valid response to
    the prompt, and one generated without its constraints that does not happen to be valid
    (unless ``keep_valid``). The rules of choice are those of groups.Pairs in rltrain/groups.
    """
    if rule not in ("dpo", "ca-dpo"):
        raise ValueError(f"{rule!r} is no rule for pairs: there are dpo and ca-dpo")
    if not 0 <= drop_lowest <= 1 or count < 0 or per_prompt < 0:
        raise ValueError(f"cannot take {count} pairs, {per_prompt} a prompt, and drop {drop_lowest} of them")
    sides = _sides(samples, rule, keep_valid)
    prompts = []
    for name, (chosen, rejected) in sides.items():
        if chosen and rejected:
            first = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
            rng = _SplitMix64(seed ^ first)
            rng.shuffle(chosen)
            rng.shuffle(rejected)
            prompts.append(_combinations(samples, chosen, rejected, per_prompt))
    out: list[tuple[int, int]] = []
    while prompts and (count == 0 or len(out) < count):
        alive = []
        for prompt in prompts:
            if count and len(out) == count:
                break
            pair = next(prompt, None)
            if pair is not None:
                out.append(pair)
                alive.append(prompt)
        prompts = alive
    if drop_lowest > 0:
        _, dropped = filter_lowest([samples[chosen].kl for chosen, _ in out], drop_lowest)
        out = [pair for pair, d in zip(out, dropped) if not d]
    return out


def _combinations(samples: Sequence[Any], chosen: list[int], rejected: list[int], most: int) -> Iterator[tuple[int, int]]:
    taken = 0
    for turn in range(len(rejected)):
        for i, c in enumerate(chosen):
            r = rejected[(i + turn) % len(rejected)]
            if samples[c].text == samples[r].text:
                continue
            if most and taken == most:
                return
            taken += 1
            yield c, r


def _sides(samples: Sequence[Any], rule: str, keep_valid: Any) -> dict[str, tuple[list[int], list[int]]]:
    sides: dict[str, tuple[list[int], list[int]]] = {}
    seen = set()
    for i, s in enumerate(samples):
        chosen, rejected = sides.setdefault(s.prompt, ([], []))
        if rule == "dpo":
            if s.unconstrained:
                continue
            reject = not s.valid
        else:
            if not s.unconstrained and not s.valid or s.unconstrained and s.valid and not keep_valid:
                continue
            reject = s.unconstrained
        if (s.prompt, s.text, reject) not in seen:
            seen.add((s.prompt, s.text, reject))
            (rejected if reject else chosen).append(i)
    return sides
