"""Matrix products at the speed of the processor, whatever BLAS PyTorch was built with.

Debian's PyTorch calls the system's BLAS, which is the reference implementation unless
another is installed: 3 GFlop/s where the processor does 80. It has oneDNN, though, and
layers go through that, forward and backward.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: Whether products on the CPU go through oneDNN: decided by how PyTorch was built, so that
#: runs on one machine are repeatable.
ONEDNN = torch.backends.mkldnn.is_available() and "BLAS_INFO=generic" in torch.__config__.show()


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """F.linear: x (..., in), weight (out, in), bias (out)."""
    if not ONEDNN or x.device.type != "cpu" or x.dtype != torch.float32 or torch.is_autocast_cpu_enabled():
        return F.linear(x, weight, bias)
    y = _Product.apply(x.reshape(-1, x.shape[-1]), weight).view(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


class Linear(nn.Linear):
    """nn.Linear by linear()."""

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


class _Product(torch.autograd.Function):
    """a (n, k) times b (m, k) transposed."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return _product(a, b)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return _product(grad, b.t()), _product(grad.t(), a.t())


def _product(a: Tensor, b: Tensor) -> Tensor:
    if a.numel() == 0:
        return a.new_zeros(a.shape[0], b.shape[0])
    return F.linear(a.contiguous().to_mkldnn(), b.contiguous().to_mkldnn()).to_dense()
