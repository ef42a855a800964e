"""Rules that imitate, from the policy's own answers: what reinforcement is compared with.

============  ==================================================================================
``reject``    the policy's own valid answers that are rewarded, each once: rejection sampling, step by step
              expert iteration
``correct``   where an answer goes wrong first, the planner goes on from the state that the policy itself
              reached: its prefix, which is not trained on, and a shortest way from there by h*
============  ==================================================================================

The planner is the oracle: ``mask`` tells which steps can come next, and of these the one with the best
``shaped`` score lessens h* (Ross et al. 2011, DAgger, with exact labels).
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ..answers import Mask
from ..client import Client
from ..errors import PlanproofError
from ..schema import Item
from .culprits import Evidence
from .data import Row
from .evaluate import settled
from .reward import Scored

#: More steps than any of our plans has: a correction that is longer is given up.
MOST_STEPS = 64


class Shown(NamedTuple):
    """An answer to imitate: to which prompt of the batch, its text, and the line, from 1, from which on
    it is trained on."""

    prompt: int
    text: str
    first_line: int = 1


def own_valid(texts: Sequence[str], scored: Sequence[Scored], group: int) -> list[Shown]:
    """The different valid answers to each prompt that are rewarded."""
    seen = dict.fromkeys((i // group, text) for i, (text, x) in enumerate(zip(texts, scored, strict=True)) if x.valid and x.reward > 0)
    return [Shown(prompt, text) for prompt, text in seen]


def plan_text(steps: Sequence[str], like: str = "") -> str:
    """A plan in the tags of another answer, with the end of line that it ends with, if any: an end that the
    policy does not write would be all that it learns."""
    opening, close = ("[PLAN]", "[PLAN END]") if "[PLAN]" in like else ("<plan>", "</plan>")
    return opening + "\n" + "".join(step + "\n" for step in steps) + close + "\n" * like.endswith("\n")


def good_prefix(found: Evidence, text: str) -> list[str]:
    """The steps before the first culprit: each can be executed and lessens h*."""
    lines = text.split("\n")
    out = []
    for change, line in zip(found.changes, found.lines):
        if change <= 0:
            break
        out.append(lines[line - 1].strip())
    return out


def corrections(client: Client, rows: Sequence[Row], found: Sequence[Evidence], texts: Sequence[str], group: int, *,
                each: int = 2) -> list[Shown]:
    """Corrected plans: of every prompt the first ``each`` different answers that have a culprit, their good
    prefix followed by a shortest way to the goal. Raises PlanproofError for answers with thoughts, whose
    states nobody could write."""
    wanted: dict[tuple[int, tuple[str, ...]], None] = {}
    for i, (e, text) in enumerate(zip(found, texts, strict=True)):
        if "<think>" in text:
            raise PlanproofError("corrections are of bare plans: this start writes thoughts")
        prompt = i // group
        if (e.verdict == "valid" and all(c > 0 for c in e.changes)) or sum(p == prompt for p, _ in wanted) >= each:
            continue
        wanted[prompt, tuple(good_prefix(e, text))] = None
    starts = list(wanted)
    plans = continued(client, [rows[p] for p, _ in starts], [list(prefix) for _, prefix in starts])
    return [Shown(p, plan_text(plan, rows[p].answer), 2 + len(prefix)) for (p, prefix), plan in zip(starts, plans) if plan is not None]


def continued(client: Client, rows: Sequence[Row], prefixes: Sequence[list[str]]) -> list[list[str] | None]:
    """Each prefix with a shortest way from where it leads to the goal; None where there is none."""
    plans: list[list[str] | None] = [list(prefix) for prefix in prefixes]
    open_ = list(range(len(plans)))
    for _ in range(MOST_STEPS):
        if not open_:
            break
        masks = client.batch(Mask, [(rows[i].oracle_task(), plans[i]) for i in open_])
        tried = [(i, step) for i, mask in zip(open_, masks) if not mask.goal for step in mask.actions]
        best: dict[int, tuple[float, str]] = {}
        items = [Item(rows[i].oracle_task(), plan_text([*(plans[i] or []), step]), None, rows[i].gold) for i, step in tried]
        scores = settled([rows[i] for i, _ in tried], client.score(items, spec="shaped", on_error="none")) if items else []
        for (i, step), result in zip(tried, scores):
            score = float(result.raw["score"])
            if i not in best or score > best[i][0]:
                best[i] = score, step
        still = []
        for i, mask in zip(open_, masks):
            plan = plans[i]
            if mask.goal or plan is None:
                continue
            if i in best:
                plans[i] = [*plan, best[i][1]]
                still.append(i)
            else:
                plans[i] = None
        open_ = still
    for i in open_:
        plans[i] = None
    return plans


__all__ = ["Shown", "continued", "corrections", "good_prefix", "own_valid", "plan_text"]
