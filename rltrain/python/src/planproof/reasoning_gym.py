"""A procedural data set for reasoning-gym, which is imported only here.

::

    import planproof.reasoning_gym          # registers "pddl_plan"
    data = reasoning_gym.create_dataset("pddl_plan", seed=1, size=100, domains=["blocksworld", "logistics"], max_level=3)

Tasks of five bundled domains in levels from 1 to 4, told by ``planproof prompt``; the curriculum raises the
level. ``answer`` is a cheapest plan in the form that the question asks for; answers are judged, not
compared with it. When the oracle is unavailable score_answer raises.
"""

from __future__ import annotations

import functools
import json
import subprocess
from dataclasses import dataclass
from random import Random
from typing import Any, Callable, Optional, Sequence

from .binary import find_binary
from .client import shared_client
from .errors import PlanproofError
from .rows import row_of

NAME = "pddl_plan"
LEVELS = (1, 2, 3, 4)
#: Tasks are told by one process for this many items.
CHUNK = 64

#: How many bundled Blocksworld tasks there are, by their number of blocks.
_BLOCKSWORLD = {3: 156, 4: 5256, 5: 250_500, 6: 16_406_550}

#: The names of bundled tasks (planproof generate --list), by domain: of a level, drawn.
DOMAINS: dict[str, Callable[[int, Random], str]] = {
    "blocksworld": lambda level, rng: f"blocksworld:{level + 2}-{rng.randint(1, _BLOCKSWORLD[level + 2])}",
    "logistics": lambda level, rng: f"logistics:2-2-{level}-{rng.randint(1, 1_000_000)}",
    "gripper": lambda level, rng: f"gripper:{rng.randint(2 * level - 1, 2 * level)}-{rng.randint(2, 4)}",
    "elevator": lambda level, rng: f"elevator:{level + 2}-{level}-1-{rng.randint(1, 1_000_000)}",
    "powergrid": lambda level, rng: f"powergrid:{level + 2}-1-{level}-{rng.randint(1, 1_000_000)}",
}


@functools.lru_cache(256)
def _rows(names: tuple[str, ...], style: str, binary: str | None) -> list[dict[str, Any]]:
    """The prompts' records of tasks, by one process."""
    batch = "".join(json.dumps({"id": str(i), "task": name}) + "\n" for i, name in enumerate(names))
    argv = [find_binary(binary), "prompt", "--batch", "-", "--style", style, "--answer", "strict", "--json"]
    out = subprocess.run(argv, input=batch, capture_output=True, text=True, timeout=600)
    told = {row["id"]: row for row in map(json.loads, out.stdout.splitlines())}
    if out.returncode != 0 or len(told) != len(names):
        raise PlanproofError(f"planproof prompt {' '.join(names[:3])} ...: {out.stderr.strip() or out.stdout.strip()[-2000:]}")
    return [told[str(i)] for i in range(len(names))]


def score_answer(answer: str | None, entry: dict[str, Any], **settings: Any) -> float:
    """1.0 for a valid plan, 0.0 for anything else; None scores 0.0."""
    if not isinstance(answer, str) or not answer.strip():
        return 0.0
    if "<plan>" not in answer.lower() and "[plan]" not in answer.lower():
        answer = f"<plan>\n{answer}\n</plan>"
    return float(shared_client(**settings).score((entry["metadata"]["task"], answer, "length"), spec="valid").score or 0.0)


@dataclass
class PlanConfig:
    """The configuration of ``pddl_plan``."""

    domains: Sequence[str] = ("blocksworld",)
    min_level: int = 1
    max_level: int = 2
    style: str = "nl"
    size: int = 500
    seed: Optional[int] = None
    url: Optional[str] = None
    binary: Optional[str] = None

    def validate(self) -> None:
        """Raises AssertionError, as reasoning-gym's do."""
        assert self.domains and set(self.domains) <= set(DOMAINS), f"domains are some of {', '.join(DOMAINS)}"
        assert LEVELS[0] <= self.min_level <= self.max_level <= LEVELS[-1], f"levels are from {LEVELS[0]} to {LEVELS[-1]}"
        assert self.style in ("nl", "pddl"), "style is nl or pddl"
        assert self.size > 0, "size is positive"


def make_dataset(base: type) -> type:
    """The data set, as a subclass of reasoning_gym's ProceduralDataset."""

    class PlanDataset(base):  # type: ignore[misc]
        """Planning tasks; an entry is a function of the seed and its index."""

        category = "planning"

        def __init__(self, config: PlanConfig):
            super().__init__(config=config, seed=config.seed, size=config.size)

        def _draw(self, idx: int) -> tuple[str, str, int]:
            rng = Random(self.seed + idx)
            domain, level = rng.choice(list(self.config.domains)), rng.randint(self.config.min_level, self.config.max_level)
            return DOMAINS[domain](level, rng), domain, level

        def __getitem__(self, idx: int) -> dict[str, Any]:
            if not 0 <= idx < self.size:
                raise IndexError(idx)
            first = idx - idx % CHUNK
            names = tuple(self._draw(i)[0] for i in range(first, min(first + CHUNK, self.size)))
            data = _rows(names, self.config.style, self.config.binary)[idx - first]
            name, domain, level = self._draw(idx)
            gold = data.get("gold") or {}
            return {
                "question": row_of(data, name=name).prompt,
                "answer": str(gold.get("text") or "").strip(),
                "metadata": {
                    "source_dataset": NAME, "source_index": idx, "task": name, "domain": domain, "level": level,
                    "optimal_steps": len(gold.get("plan") or ()), "optimal_cost": gold.get("cost"),
                    "difficulty": {"level": (self.config.min_level, self.config.max_level)},
                },
            }

        def score_answer(self, answer: Optional[str], entry: dict[str, Any]) -> float:
            settings = {k: v for k, v in (("url", self.config.url), ("binary", self.config.binary)) if v}
            return score_answer(answer, entry, **settings)

    PlanDataset.__qualname__ = "PlanDataset"
    return PlanDataset


def make_curriculum() -> type:
    """The curriculum, as a subclass of reasoning_gym's BaseCurriculum: the level."""
    from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition

    class PlanCurriculum(BaseCurriculum):  # type: ignore[misc, unused-ignore]
        """Raises the level of the tasks."""

        def __init__(self) -> None:
            super().__init__("PlanCurriculum", PlanConfig)
            self._define_attributes(RangeAttributeDefinition(
                name="level", levels=list(LEVELS), lower_field_name="min_level", upper_field_name="max_level",
                description="How large the tasks are: from 3 to 6 blocks in Blocksworld"))

    return PlanCurriculum


def register() -> bool:
    """Registers the data set; says whether reasoning-gym is there."""
    try:
        from reasoning_gym.dataset import ProceduralDataset
        from reasoning_gym.factory import DATASETS, register_dataset
    except ImportError:
        return False
    if NAME not in DATASETS:
        globals()["PlanDataset"] = make_dataset(ProceduralDataset)
        globals()["PlanCurriculum"] = make_curriculum()
        register_dataset(NAME, globals()["PlanDataset"], PlanConfig, globals()["PlanCurriculum"])
    return True


REGISTERED = register()
