"""DPO and CA-DPO: a policy learns to prefer one of two of its own answers.

CA-DPO (CARL, section 4.4) has DPO's loss; what differs are the pairs. To the whole prompt x a
valid answer y is preferred to an answer y' that was written without seeing x's constraints::

    loss = -log sigmoid(beta * ((log p(y|x) - log p0(y|x)) - (log p(y'|x) - log p0(y'|x))))

with p the policy and p0 the policy at the start, both given the whole prompt. Log-probabilities
are sums over an answer's tokens, its end token included.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F


class DPOLoss(NamedTuple):
    """loss: the mean over pairs. margins (pairs): beta times the difference of log-ratios,
    without gradient; a pair with a margin above 0 is ranked right."""

    loss: Tensor
    margins: Tensor


def dpo_loss(chosen: Tensor, rejected: Tensor, chosen_start: Tensor, rejected_start: Tensor, *, beta: float = 0.1,
             smoothing: float = 0.0) -> DPOLoss:
    """The loss of a batch of log-probabilities of whole answers, each of shape (pairs).

    ``smoothing`` is the probability that a pair is the wrong way round (conservative DPO).
    The start's are taken as constants.
    """
    margins = beta * ((chosen - chosen_start.detach()) - (rejected - rejected_start.detach()))
    losses = -(1 - smoothing) * F.logsigmoid(margins) - smoothing * F.logsigmoid(-margins)
    return DPOLoss(losses.mean(), margins.detach())


__all__ = ["DPOLoss", "dpo_loss"]
