"""Optimiser steps, as all kinds of training take them."""

from __future__ import annotations

import math
from typing import Any, Iterable

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from .config import Common


def learning_rate(config: Common, step: int) -> float:
    """Of a step, from 1: a linear rise, then a cosine down to ``lr_floor`` of ``lr``."""
    if step <= config.warmup:
        return config.lr * step / config.warmup
    share = (step - config.warmup) / max(1, config.steps - config.warmup)
    return config.lr * (config.lr_floor + (1 - config.lr_floor) * (1 + math.cos(math.pi * share)) / 2)


class Optimiser:
    """AdamW with a schedule and a bound on the gradient's norm. Norms and biases do not decay."""

    def __init__(self, modules: Iterable[nn.Module], config: Common):
        params = [p for m in modules for p in m.parameters() if p.requires_grad]
        self.config, self.params = config, params
        self.adam = torch.optim.AdamW(
            [{"params": [p for p in params if p.dim() > 1], "weight_decay": config.weight_decay},
             {"params": [p for p in params if p.dim() <= 1], "weight_decay": 0.0}],
            lr=config.lr, betas=(0.9, 0.98), foreach=True)

    def zero(self) -> None:
        """Forgets gradients."""
        self.adam.zero_grad(set_to_none=True)

    def step(self, step: int) -> tuple[float, float]:
        """Takes the gradients of a step (from 1); returns the learning rate and the norm
        before it was bounded. A norm that is not finite raises FloatingPointError."""
        lr = learning_rate(self.config, step)
        for group in self.adam.param_groups:
            group["lr"] = lr
        norm = float(clip_grad_norm_(self.params, self.config.clip or math.inf))
        if not math.isfinite(norm):
            raise FloatingPointError(f"step {step}: the gradient's norm is {norm}")
        self.adam.step()
        return lr, norm

    def state(self) -> dict[str, Any]:
        """For a checkpoint."""
        state: dict[str, Any] = self.adam.state_dict()
        return state

    def load(self, state: dict[str, Any]) -> None:
        """Undoes state."""
        self.adam.load_state_dict(state)


def masked_mean(values: Tensor, mask: Tensor) -> float:
    """The mean of the values that count, 0 without any."""
    n = int(mask.sum())
    return float((values.detach() * mask).sum()) / n if n else 0.0


__all__ = ["Optimiser", "learning_rate", "masked_mean"]
