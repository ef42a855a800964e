"""CARL with tensors: estimators, reduction and gates for losses. Needs PyTorch >= 1.13,
which is imported by the first call.

The numbers are those of planproof.groups up to the tensors' precision.
"""

from __future__ import annotations

from typing import Any, Sequence

from .groups import AGGREGATIONS, ESTIMATORS, MAX_EXPONENT, MAX_TERM, gate_open


def kl_tokens(with_constraints: Any, without: Any, kind: str = "low_var_kl") -> Any:
    """Estimates, token by token, the divergence between the policy with the whole prompt
    (log-probabilities ``with_constraints``, any shape) and without its constraints
    (``without``, the same shape). The gradient flows through both unless detached."""
    import torch

    if kind not in ESTIMATORS:
        raise ValueError(f"{kind!r} is no estimator: there are {', '.join(ESTIMATORS)}")
    if with_constraints.shape != without.shape:
        raise ValueError(f"log-probabilities of shapes {tuple(with_constraints.shape)} and {tuple(without.shape)}")
    d = with_constraints.float() - without.float()
    if kind == "dif":
        return d
    if kind == "abs":
        return d.abs()
    if kind == "mse":
        return d * d / 2
    # Where the clamp acts the gradient is 0: a token that is already certain is not pushed.
    back = torch.clamp(-d, -MAX_EXPONENT, MAX_EXPONENT)
    return torch.clamp(torch.expm1(back) - back, -MAX_TERM, MAX_TERM)


def reduce_tokens(values: Any, mask: Any, kind: str = "seq-mean-token-mean") -> Any:
    """One number of token values (batch, length) of which those with mask 1 count."""
    if kind not in AGGREGATIONS:
        raise ValueError(f"{kind!r} is no aggregation: there are {' and '.join(AGGREGATIONS)}")
    mask = mask.to(values.dtype)
    # A masked token may hold anything, NaN too, and must not reach the gradient.
    values = values.masked_fill(mask == 0, 0.0)
    if kind == "token-mean":
        return values.sum() / mask.sum().clamp(min=1)
    lengths = mask.sum(-1)
    rows = values.sum(-1) / lengths.clamp(min=1)
    return rows.sum() / (lengths > 0).to(values.dtype).sum().clamp(min=1)


def gate_mask(gate: str, valid: Sequence[bool], parsed: Sequence[bool], like: Any) -> Any:
    """1.0 for responses that pass the gate, as a column like ``like``'s device and type."""
    import torch

    rows = [float(gate_open(gate, v, p)) for v, p in zip(valid, parsed, strict=True)]
    return torch.tensor(rows, dtype=torch.float32, device=like.device).unsqueeze(-1)


def carl_term(
    with_constraints: Any, without: Any, mask: Any, *, kind: str = "low_var_kl",
    reduction: str = "seq-mean-token-mean", gate: Any = None,
) -> Any:
    """The constraint-aware term R_CA of a batch: subtract alpha times it from the loss.

    ``without`` is taken as a constant. ``gate``: a column of gate_mask; responses that do
    not pass add 0 but stay in the mean.
    """
    values = kl_tokens(with_constraints, without.detach(), kind)
    if gate is not None:
        values = values * gate.to(values.dtype)
    return reduce_tokens(values, mask, reduction)


__all__ = ["carl_term", "gate_mask", "kl_tokens", "reduce_tokens"]
