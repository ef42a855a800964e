"""The verifiers environment ``planproof-env``: exactly one task set (planproof.verifiers)."""

from planproof.verifiers import PlanTaskset

__all__ = ["PlanTaskset"]
