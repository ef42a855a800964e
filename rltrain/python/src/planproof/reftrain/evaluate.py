"""How well a policy plans: validity, pass@k, optimality, constraint violations, form.

Every verdict is the oracle's, asked through planproof.Client; nothing here reads a plan. A
policy is two functions, so that any model can be evaluated:

    greedy(prompts)     -> one (text, finish) for each prompt
    sample(prompts, n)  -> n of them for each prompt

``finish`` is "length" for a response that was cut off, else "stop".
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterable, Sequence

from ..client import Client
from ..schema import Item, Result, settle
from .data import DataError, Row
from .stats import bootstrap, mean, pass_at_k

Completion = "tuple[str, str]"
Greedy = Callable[[Sequence[str]], "Sequence[tuple[str, str]]"]
Sample = Callable[[Sequence[str], int], "Sequence[Sequence[tuple[str, str]]]"]

#: Verdicts on responses from which no plan could be read.
UNREAD = frozenset({"parse", "truncated", "too_long", "ambiguous", "no_plan", "claims_unsolvable"})


@dataclass(frozen=True)
class Judged:
    """The verdict on one response. ``cost`` is the plan's, None where a part of it cannot be
    executed or the cost is no number; ``violations`` counts forbidden steps, None for a task
    without constraints; ``optimal`` is None for a valid plan of a task whose optimal cost is not known."""

    verdict: str
    reward: float
    steps: int
    cost: float | None
    violations: int | None
    optimal: bool | None = None

    @property
    def valid(self) -> bool:
        return self.verdict == "valid"

    @property
    def parsed(self) -> bool:
        return self.verdict not in UNREAD


@dataclass(frozen=True)
class Answered:
    """What a policy made of one task: its greedy response, and how many of ``samples``
    sampled ones were valid."""

    id: str
    structure: str  # without constraints (Row.base)
    greedy: Judged | None
    text: str
    samples: int = 0
    valid_samples: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def judge(client: Client, rows: Sequence[Row], completions: Sequence["tuple[str, str]"], *,
          loaded: bool = False, spec: Any = "valid") -> list[Judged]:
    """Verdicts on one response to each row, whatever reward the oracle has. ``loaded``: the oracle knows the tasks by their
    hashes. Raises DataError for rows that cannot be judged and OracleUnavailable: an outage is no verdict."""
    items = [Item(row.oracle_task(loaded), text, "length" if finish == "length" else None, row.gold)
             for row, (text, finish) in zip(rows, completions, strict=True)]
    return [judged(row, result) for row, result in zip(rows, settled(rows, client.score(items, spec=spec, on_error="none")))]


def settled(rows: Sequence[Row], results: Sequence[Result]) -> Sequence[Result]:
    """The results about rows, in their order, if all are ok. Else raises DataError with every
    row that the oracle cannot judge, or OracleUnavailable."""
    faults = {row.id: f"{row.place or row.id}: error[task]: {result.raw['message']}"
              for row, result in zip(rows, results) if result.raw["status"] == "bad_request"}
    if faults:
        raise DataError(list(faults.values()))
    return settle(results, "raise")


def check_tasks(client: Client, rows: Sequence[Row]) -> None:
    """Asks whether the tasks can be judged, before answers to them are sampled. Raises as judge."""
    judge(client, rows, [("no plan", "stop")] * len(rows))


def judged(row: Row, result: Result) -> Judged:
    """A Result as an evaluation counts it."""
    raw = result.raw
    cost, violations = _number(raw["cost"]), raw.get("violations")
    ratio = _optimality(row, cost)
    optimal = False if raw["verdict"] != "valid" else None if ratio is None else ratio >= 0.5 - 1e-12
    return Judged(raw["verdict"], float(raw["score"]), raw["plan_len"], cost, violations if row.constraints else None, optimal)


def _number(value: Any) -> float | None:
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def evaluate(rows: Sequence[Row], client: Client, *, greedy: Greedy | None = None, sample: Sample | None = None,
             samples: int = 8, loaded: bool = False, batch: int = 256) -> list[Answered]:
    """Asks the policy for each task: greedily, and ``samples`` times if it can sample."""
    if greedy is None and sample is None:
        raise ValueError("neither greedy nor sampled responses are asked for")
    out: list[Answered] = []
    for start in range(0, len(rows), batch):
        part = rows[start:start + batch]
        prompts = [row.prompt for row in part]
        first: Sequence[Judged | None] = [None] * len(part)
        texts = [""] * len(part)
        if greedy is not None:
            completions = greedy(prompts)
            first, texts = judge(client, part, completions, loaded=loaded), [text for text, _ in completions]
        valid = [0] * len(part)
        if sample is not None:
            groups = sample(prompts, samples)
            if any(len(group) != samples for group in groups):
                raise ValueError(f"the policy did not give {samples} responses to each prompt")
            verdicts = judge(client, [row for row in part for _ in range(samples)],
                             [completion for group in groups for completion in group], loaded=loaded)
            valid = [sum(v.valid for v in verdicts[i * samples:(i + 1) * samples]) for i in range(len(part))]
        out += [Answered(row.id, row.base, j, text, samples if sample is not None else 0, v)
                for row, j, text, v in zip(part, first, texts, valid)]
    return out


def summarise(rows: Sequence[Row], answers: Sequence[Answered], ks: Iterable[int] = (1, 4, 8)) -> dict[str, Any]:
    """The figures of a set of tasks. Shares have a 95 % interval by bootstrap over structures (constraints
    aside) and their number; ``structures_of`` has that number for the other figures. A figure
    of which nothing is known (no valid plan, no constraints, no samples) is None."""
    if not rows or [row.id for row in rows] != [a.id for a in answers]:
        raise ValueError("rows and answers do not belong together, or there are none")
    out: dict[str, Any] = {"tasks": len(rows), "structures": _count(rows), "structures_of": {}}
    plans = [(row, a.greedy) for row, a in zip(rows, answers) if a.greedy is not None]
    if plans:
        good = [(row, j) for row, j in plans if j.valid]
        out["valid"] = _share(plans, lambda row, j: j.valid)
        out["valid_by_structure"] = _macro(plans)
        out["format"] = _share(plans, lambda row, j: j.parsed)
        out["cut"] = _share(plans, lambda row, j: j.verdict == "truncated")  # by the bound on tokens: not wrong
        known = [r for row, j in good if (r := _optimality(row, j.cost)) is not None]
        # 0.5 is an optimal plan; of valid plans only, so it says nothing about how many there are.
        out["optimality"] = mean(known) if known else None
        out["optimal"] = _share(plans, lambda row, j: bool(j.optimal)) if len(known) == len(good) else None
        longer = [j.steps - row.gold["steps"] for row, j in good if row.gold and isinstance(row.gold.get("steps"), int)]
        out["length_difference"] = mean(longer) if longer else None
        out["structures_of"] |= {"optimality": _count(row for row, _ in good), "length_difference": _count(row for row, _ in good)}
        constrained = [(row, j) for row, j in plans if row.constraints]
        violations = [j.violations for _, j in constrained if j.violations is not None]
        if violations and len(violations) == len(constrained):
            out["violations"] = _share(constrained, lambda row, j: bool(j.violations))
            out["violations_per_plan"] = mean(violations)
        else:
            out["violations"] = out["violations_per_plan"] = None
        verdicts: dict[str, int] = {}
        for _, j in plans:
            verdicts[j.verdict] = verdicts.get(j.verdict, 0) + 1
        out["verdicts"] = dict(sorted(verdicts.items()))
    sampled = [(row, a) for row, a in zip(rows, answers) if a.samples]
    if sampled:
        out["samples"] = min(a.samples for _, a in sampled)
        out["structures_of"]["pass"] = _count(row for row, _ in sampled)
        out["pass"], out["pass_interval"] = {}, {}
        for k in sorted(set(ks)):
            if k <= out["samples"]:
                each = [(row, pass_at_k(a.samples, a.valid_samples, k)) for row, a in sampled]
                out["pass"][str(k)] = mean([value for _, value in each])
                out["pass_interval"][str(k)] = bootstrap(_grouped(each))
    return out


def by_group(rows: Sequence[Row], answers: Sequence[Answered], name: Callable[[Row], str],
             ks: Iterable[int] = (1, 4, 8)) -> dict[str, dict[str, Any]]:
    """``summarise`` for each group of rows with the same name, such as the split or the bin."""
    groups: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(name(row), []).append(i)
    return {key: summarise([rows[i] for i in where], [answers[i] for i in where], ks)
            for key, where in sorted(groups.items())}


def _count(rows: Iterable[Row]) -> int:
    """How many different structures tasks have, constraints aside."""
    return len({row.base for row in rows})


def _grouped(values: Iterable["tuple[Row, float]"]) -> list[list[float]]:
    """Values by the structures of their tasks."""
    groups: dict[str, list[float]] = {}
    for row, value in values:
        groups.setdefault(row.base, []).append(float(value))
    return list(groups.values())


def _share(plans: Sequence["tuple[Row, Judged]"], of: Callable[[Row, Judged], bool]) -> dict[str, Any]:
    groups = _grouped((row, of(row, j)) for row, j in plans)
    hits = int(sum(map(sum, groups)))
    return {"share": hits / len(plans), "hits": hits, "n": len(plans), "structures": len(groups), "interval": bootstrap(groups)}


def _macro(plans: Sequence["tuple[Row, Judged]"]) -> float:
    """Validity with every structure counted once, however many tasks have it."""
    return mean([mean(hits) for hits in _grouped((row, j.valid) for row, j in plans)])


def _optimality(row: Row, cost: float | None) -> float | None:
    """1 / (1 + cost / optimal cost) of a valid plan of that cost; None where either is not known."""
    best = _number(row.gold.get("cost")) if row.gold and row.gold.get("optimal") else None
    if best is None or cost is None:
        return None
    if best == 0:
        return 0.5 if cost == 0 else 0.0
    return 1 / (1 + cost / best)


__all__ = ["Answered", "Judged", "UNREAD", "by_group", "check_tasks", "evaluate", "judge", "judged", "settled", "summarise"]
