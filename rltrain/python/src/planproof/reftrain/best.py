"""What is as good as a step of the gold plan: all steps from its state that lessen h*, by the oracle.

A task has many cheapest plans, and the gold plan is one of them, chosen by nothing that the model sees. Imitation of it
punishes the others' steps. With the labels of this module every step that lessens h* is right (SFTConfig.every_best).
"""

from __future__ import annotations

from typing import Sequence

from ..answers import Mask
from ..client import Client
from ..schema import Item
from .culprits import evidence
from .data import Row
from .evaluate import settled
from .imitate import plan_text

#: Rows that are asked about at a time.
PART = 256


def best_steps(client: Client, rows: Sequence[Row], *, loaded: bool = False) -> list[list[list[str]]]:
    """For each row, for each step of its gold plan, this step and all others that lessen h* as well. Raises as evaluate.judge."""
    out: list[list[list[str]]] = []
    for start in range(0, len(rows), PART):
        out += _part(client, rows[start:start + PART], loaded)
    return out


def _part(client: Client, rows: Sequence[Row], loaded: bool) -> list[list[list[str]]]:
    plans = [list(row.gold["plan"]) if row.gold else [] for row in rows]
    asked = [(i, k) for i, plan in enumerate(plans) for k in range(len(plan))]
    masks = client.batch(Mask, [(rows[i].oracle_task(loaded), plans[i][:k]) for i, k in asked])
    tried = [(i, k, step) for (i, k), mask in zip(asked, masks) for step in mask.actions if step != plans[i][k]]
    items = [Item(rows[i].oracle_task(loaded), plan_text([*plans[i][:k], step]), None, rows[i].gold) for i, k, step in tried]
    results = settled([rows[i] for i, _, _ in tried], client.score(items, spec="shaped", step_rewards=True, on_error="none")) if items else []
    best = [[[step] for step in plan] for plan in plans]
    for (i, k, step), result in zip(tried, results):
        changes = evidence(result).changes
        if len(changes) == k + 1 and changes[-1] > 0:
            best[i][k].append(step)
    return best


__all__ = ["best_steps"]
