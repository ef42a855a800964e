"""Exact rewards for training language models to plan.

>>> import planproof
>>> planproof.score("<plan>...</plan>", task="blocksworld:3-5")    # doctest: +SKIP

This package needs nothing but Python and the planproof binary (or the URL of an oracle).
The adapters ``planproof.verl``, ``.trl``, ``.verifiers``, ``.reasoning_gym``, ``.openenv``
and ``.ray`` import their trainer only when they are used.
"""

from pathlib import Path

from .answers import Check, Extraction, Mask, Solution, Start, Truth, Turn, Verdict
from .client import AsyncClient, Client, score, shared_client
from .errors import BinaryMissing, CircuitOpen, OracleRefuses, OracleUnavailable, PlanproofError, RequestRefused
from .retry import Breaker, Policy
from .schema import SCHEMA, Item, Result

__version__ = (Path(__file__).parent / "VERSION").read_text().strip()

__all__ = [
    "AsyncClient", "BinaryMissing", "Breaker", "Check", "CircuitOpen", "Client", "Extraction", "Item", "Mask", "OracleRefuses",
    "OracleUnavailable", "PlanproofError", "Policy", "RequestRefused", "Result", "SCHEMA", "Solution", "Start", "Truth", "Turn", "Verdict", "score", "shared_client",
]
