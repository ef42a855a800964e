"""The oracle in the training loop: scores of answers, and patience when it is away."""

from __future__ import annotations

import re
import time
from typing import Any, Callable, NamedTuple, Sequence

from .._http import default_url
from ..client import Client
from ..errors import OracleUnavailable
from ..schema import Item
from .data import DataError, Row
from .evaluate import UNREAD, settled

_FORBIDDEN = re.compile(r"\(\s*forbidden-[^()]*\)")


class Scored(NamedTuple):
    """What the oracle says of an answer. violations: forbidden steps, None without constraints."""

    reward: float
    valid: bool
    parsed: bool
    optimal: bool
    violations: int | None
    components: dict[str, float]


class Scorer:
    """Asks one oracle, which has loaded the tasks of a file if it is a child of ours.

    patience: seconds to go on asking when no score can be had. Then OracleUnavailable:
    the step has not happened, and is done again when the run is started again.
    """

    def __init__(self, path: str | None, rows: Sequence[Row], spec: Any, patience: float,
                 client: Client | None = None, told: Callable[[str], None] = lambda message: None):
        own = client is None
        if client is None:
            client = Client(deadline=120) if default_url() else Client(deadline=120, tasks=path)
        self.client, self.spec, self.patience, self.told = client, spec, patience, told
        self.known = {row.task for row in rows} if own and path and not default_url() else set()
        self.outages = 0

    def score(self, rows: Sequence[Row], texts: Sequence[str], ended: Sequence[bool], spec: Any = None) -> list[Scored]:
        """Scores of one answer to each row."""
        items = [Item(row.oracle_task(row.task in self.known), text, None if end else "length", row.gold)
                 for row, text, end in zip(rows, texts, ended, strict=True)]
        until = time.monotonic() + self.patience
        wait = 0.1
        while True:
            try:
                results = settled(rows, self.client.score(items, spec=self.spec if spec is None else spec, on_error="none"))
                break
            except OracleUnavailable as err:
                self.outages += 1
                self.told(str(err))
                if time.monotonic() + wait > until:
                    raise
                time.sleep(wait)
                wait = min(5.0, 2 * wait)
        out = []
        for row, result in zip(rows, results):
            raw = result.raw
            out.append(Scored(
                float(raw["score"]), raw["verdict"] == "valid", raw["verdict"] not in UNREAD,
                raw["verdict"] == "valid" and raw["optimality_gap"] in (0, "0"),
                raw.get("violations") if row.constraints else None,
                {name: float(v) for name, v in raw["components"].items() if isinstance(v, (int, float))}))
        return out

    def components(self, rows: Sequence[Row], batch: int = 1024) -> list[str]:
        """The names of the reward's parts. It is asked about all rows, so that one which cannot
        be judged ends a run before its first step, and not somewhere on the way."""
        names: set[str] = set()
        faults: list[str] = []
        for start in range(0, len(rows), batch):
            part = rows[start:start + batch]
            try:
                names.update(self.score(part, ["no plan"] * len(part), [True] * len(part))[0].components)
            except DataError as err:
                faults += err.errors
        if faults:
            raise DataError(faults)
        return sorted(names)

    def close(self) -> None:
        """Ends the client."""
        self.client.close()


def measures(scored: Sequence[Scored], texts: Sequence[str], ended: Sequence[bool], tokens: int, group: int) -> dict[str, Any]:
    """What the answers of a step are like. ``distinct``: different answers to a prompt, as a share of its group."""
    n = len(scored)
    rewards = [x.reward for x in scored]
    mean = sum(rewards) / n
    forbidden = [x.violations for x in scored if x.violations is not None]
    out: dict[str, Any] = {
        "reward": mean,
        "reward_std": (sum((r - mean) ** 2 for r in rewards) / n) ** 0.5,
        "valid": sum(x.valid for x in scored) / n,
        "parsed": sum(x.parsed for x in scored) / n,
        "form_only": sum(x.parsed and not x.valid for x in scored) / n,
        "optimal": sum(x.optimal for x in scored) / n,
        "violations": sum(v > 0 for v in forbidden) / len(forbidden) if forbidden else None,
        "forbidden_steps": sum(forbidden) / len(forbidden) if forbidden else None,
        "length": tokens / n,
        "cut_off": sum(not e for e in ended) / n,
        "distinct": sum(len(set(texts[i:i + group])) for i in range(0, n, group)) / n,
    }
    for name in scored[0].components:
        out[f"part_{name}"] = sum(x.components.get(name, 0.0) for x in scored) / n
    return out


def unrestricted(row: Row) -> Row:
    """The row's task without its constraints, asked by the prompt without them. They are
    facts of the initial state that nothing changes, so without the facts nothing is forbidden."""
    if not row.constraints:
        return row
    problem = _FORBIDDEN.sub("", row.problem_text)
    return Row(id=row.id, task="", structure=row.structure, split=row.split, domain_text=row.domain_text,
               problem_text=problem, prompt=row.prompt_unconstrained)


__all__ = ["Scored", "Scorer", "measures", "unrestricted"]
