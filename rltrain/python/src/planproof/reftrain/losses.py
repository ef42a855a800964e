"""Losses of reinforcement learning, on tensors (answers, tokens) with a mask.

The numbers are those of planproof.groups (objective_tokens, token_rewards, gae), which a
test holds them to.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ..carl import kl_tokens, reduce_tokens
from ..groups import MAX_EXPONENT


class Clipped(NamedTuple):
    """The clipped objective of each token, to be maximised, and where the clip acts."""

    tokens: Tensor
    clipped: Tensor


def clipped_objective(logps: Tensor, old: Tensor, advantages: Tensor, low: float, high: float) -> Clipped:
    """min(r A, clip(r, 1 - low, 1 + high) A) with r = p / p_old. Advantages: (answers, tokens)
    or (answers, 1)."""
    ratio = (logps - old).clamp(-MAX_EXPONENT, MAX_EXPONENT).exp()
    free, bound = ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages
    return Clipped(torch.minimum(free, bound), (bound < free).detach())


def grpo_loss(
    logps: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, *, clip_low: float, clip_high: float,
    reduction: str, beta: float = 0.0, reference: Tensor | None = None,
    alpha: float = 0.0, carl: Tensor | None = None,
) -> tuple[Tensor, Clipped]:
    """Minus CARL's objective (equation 7): the clipped one, less beta times the divergence
    from the reference (k3), plus alpha times CARL's term ``carl`` (answers, tokens)."""
    parts = clipped_objective(logps, old, advantages, clip_low, clip_high)
    tokens = parts.tokens
    if reference is not None and beta:
        tokens = tokens - beta * kl_tokens(logps, reference, "low_var_kl")
    if carl is not None and alpha:
        tokens = tokens + alpha * carl
    return -reduce_tokens(tokens, mask, reduction), parts


def token_rewards(rewards: Tensor, mask: Tensor, *, beta: float = 0.0, kl: Tensor | None = None,
                  alpha: float = 0.0, carl: Tensor | None = None) -> Tensor:
    """Rewards (answers, tokens) of the PPO variant: the task's on the last token, and on
    every token - beta * kl + alpha * carl."""
    out = torch.zeros_like(mask, dtype=torch.float32)
    if kl is not None:
        out = out - beta * kl
    if carl is not None:
        out = out + alpha * carl
    last = mask.sum(1, keepdim=True) - 1
    return (out * mask).scatter_add(1, last.clamp(min=0), (rewards.unsqueeze(1) * (last >= 0)))


def gae(rewards: Tensor, values: Tensor, mask: Tensor, gamma: float, lam: float) -> tuple[Tensor, Tensor]:
    """Advantages and returns (Schulman et al. 2016) of answers that are padded right."""
    advantages = torch.zeros_like(values)
    ahead = following = torch.zeros_like(values[:, 0])
    real = mask.to(values.dtype)
    for t in range(values.shape[1] - 1, -1, -1):
        delta = rewards[:, t] + gamma * ahead - values[:, t]
        following = real[:, t] * (delta + gamma * lam * following)
        ahead = real[:, t] * values[:, t]
        advantages[:, t] = following
    return advantages, (advantages + values) * real


def whiten(values: Tensor, mask: Tensor) -> Tensor:
    """Values with mean 0 and standard deviation 1 where the mask is."""
    taken = values[mask]
    return (values - taken.mean()) / (taken.std(unbiased=False) + 1e-8) * mask


def value_loss(values: Tensor, old: Tensor, returns: Tensor, mask: Tensor, clip: float, reduction: str) -> Tensor:
    """Half the squared error, the larger of free and clipped (clip 0: free only)."""
    error = (values - returns) ** 2
    if clip:
        error = torch.maximum(error, (old + (values - old).clamp(-clip, clip) - returns) ** 2)
    return reduce_tokens(error / 2, mask, reduction)


__all__ = ["Clipped", "clipped_objective", "gae", "grpo_loss", "token_rewards", "value_loss", "whiten"]
