"""A procedural data set for reasoning-gym, which is imported only here.

::

    import planproof.reasoning_gym          # registers "pddl_plan"
    data = reasoning_gym.create_dataset("pddl_plan", seed=1, size=100, min_blocks=3, max_blocks=4)

Tasks are bundled Blocksworld tasks, told by ``planproof prompt``; answers are judged, not
compared. When the oracle is unavailable score_answer raises.
"""

from __future__ import annotations

import functools
import json
import subprocess
from dataclasses import dataclass
from random import Random
from typing import Any, Optional

from .binary import find_binary
from .client import shared_client
from .errors import PlanproofError
from .rows import row_of

NAME = "pddl_plan"

#: How many bundled Blocksworld tasks there are, by their number of blocks.
TASKS = {3: 156, 4: 5256, 5: 250_500, 6: 16_406_550}


@functools.lru_cache(4096)
def _row(name: str, style: str, binary: str | None) -> dict[str, Any]:
    out = subprocess.run([find_binary(binary), "prompt", name, "--style", style, "--plan-tags", "--json"],
                         capture_output=True, text=True, timeout=120)
    if out.returncode != 0:
        raise PlanproofError(f"planproof prompt {name}: {out.stderr.strip() or out.stdout.strip()}")
    return json.loads(out.stdout)


def score_answer(answer: str | None, entry: dict[str, Any], **settings: Any) -> float:
    """1.0 for a valid plan, 0.0 for anything else; None scores 0.0."""
    if not isinstance(answer, str) or not answer.strip():
        return 0.0
    if "<plan>" not in answer.lower() and "[plan]" not in answer.lower():
        answer = f"<plan>\n{answer}\n</plan>"
    return float(shared_client(**settings).score(answer, task=entry["metadata"]["task"], spec="valid").score)


@dataclass
class PlanConfig:
    """The configuration of ``pddl_plan``."""

    min_blocks: int = 3
    max_blocks: int = 4
    style: str = "nl"
    size: int = 500
    seed: Optional[int] = None
    url: Optional[str] = None
    binary: Optional[str] = None

    def validate(self) -> None:
        """Raises AssertionError, as reasoning-gym's do."""
        assert min(TASKS) <= self.min_blocks <= self.max_blocks <= max(TASKS), f"blocks are from {min(TASKS)} to {max(TASKS)}"
        assert self.style in ("nl", "pddl"), "style is nl or pddl"
        assert self.size > 0, "size is positive"


def make_dataset(base: type) -> type:
    """The data set, as a subclass of reasoning_gym's ProceduralDataset."""

    class PlanDataset(base):
        """Blocksworld tasks; an entry is a function of the seed and its index."""

        category = "planning"

        def __init__(self, config: PlanConfig):
            super().__init__(config=config, seed=config.seed, size=config.size)

        def __getitem__(self, idx: int) -> dict[str, Any]:
            if not 0 <= idx < self.size:
                raise IndexError(idx)
            rng = Random(self.seed + idx)
            blocks = rng.randint(self.config.min_blocks, self.config.max_blocks)
            name = f"blocksworld:{blocks}-{rng.randint(1, TASKS[blocks])}"
            data = _row(name, self.config.style, self.config.binary)
            row = row_of(data, name=name)
            gold = (data.get("gold") or {}).get("plan") or []
            return {
                "question": row.prompt,
                "answer": "\n".join(gold),
                "metadata": {
                    "source_dataset": NAME, "source_index": idx, "task": name, "optimal_steps": len(gold),
                    "difficulty": {"blocks": (self.config.min_blocks, self.config.max_blocks)},
                },
            }

        def score_answer(self, answer: Optional[str], entry: dict[str, Any]) -> float:
            settings = {k: v for k, v in (("url", self.config.url), ("binary", self.config.binary)) if v}
            return score_answer(answer, entry, **settings)

    PlanDataset.__qualname__ = "PlanDataset"
    return PlanDataset


def register() -> bool:
    """Registers the data set; says whether reasoning-gym is there."""
    try:
        from reasoning_gym.dataset import ProceduralDataset
        from reasoning_gym.factory import DATASETS, register_dataset
    except ImportError:
        return False
    if NAME not in DATASETS:
        globals()["PlanDataset"] = make_dataset(ProceduralDataset)
        register_dataset(NAME, globals()["PlanDataset"], PlanConfig)
    return True


REGISTERED = register()
