"""What an experiment found, as data and as Markdown: mean and range over seeds, and paired
differences between methods with what can and cannot be told from them.

The sample is never the tasks: those of one structure are copies under other names and with other
constraints, which a model solves or fails together. It is the seeds, each of which has its own
training and its own split, or the structures.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .stats import bootstrap, mean, paired, pass_at_k, sign_flip, spread

SCHEMA = "planproof.reftrain.results/2"

#: Figures of evaluate.summarise that are reported: key, heading, and whether it is a share.
METRICS = (
    ("valid", "valid", True),
    ("violations", "violating", True),
    ("optimal", "optimal", True),
    ("optimality", "optimality", False),
    ("length_difference", "extra steps", False),
    ("format", "parsed", True),
    ("cut", "cut off", True),
    ("pass@1", "pass@1", True),
    ("pass@4", "pass@4", True),
    ("pass@8", "pass@8", True),
)

#: Figures that are compared.
COMPARED_FIGURES = ("valid", "optimal", "violations", "pass@1", "pass@8")

_FROM_A_START = ("more-sft", "no-std", "clip-higher", "shaped", "optimal", "reject", "reject-optimal", "correct", "step-credit", "curriculum", "frontier")
#: Which methods are compared with which, as (a, b) for a - b.
COMPARED = (
    ("rft", "sft"), ("carl", "sft"), ("carl", "rft"), ("process", "sft"), ("process", "rft"), ("ppo", "sft"),
    ("dpo", "sft"), ("ca-dpo", "sft"), ("ca-dpo", "dpo"), ("sft", "words"), ("sft", "own-names"), ("steps", "sft"), ("changes", "sft"),
    *((m, "sft") for m in _FROM_A_START), *((m, "rft") for m in _FROM_A_START),
    ("states", "sft"), ("goals", "states"), ("long", "goals"),
)

#: Those of which the tables show all sets of tasks; of the others they show the first two.
COMPARED_EVERYWHERE = (("rft", "sft"), ("carl", "rft"))

#: How the tables name the methods.
LABELS = {
    "sft": "SFT (the start)", "rft": "RFT (0/1 reward)", "carl": "CARL", "process": "process reward", "ppo": "PPO",
    "dpo": "DPO", "ca-dpo": "CA-DPO", "words": "SFT, a token for each word", "own-names": "SFT, the tasks' own names", "steps": "SFT, plan written twice",
    "changes": "SFT, thoughts: changes", "states": "SFT, thoughts: states", "goals": "SFT, thoughts: states and goals", "more-sft": "SFT, gone on with", "no-std": "GRPO, no division", "clip-higher": "GRPO, clip higher",
    "shaped": "shaped reward", "curriculum": "RFT, by optimal cost", "frontier": "RFT, solved half of the time", "optimal": "reward for cheapest plans", "reject": "own valid answers", "reject-optimal": "own cheapest answers", "correct": "planner's corrections", "step-credit": "step credit", "long": "SFT, thoughts: long",
}


def figure(summary: Mapping[str, Any], metric: str) -> float | None:
    """One figure of a summary as a number."""
    if metric.startswith("pass@"):
        value = summary.get("pass", {}).get(metric[5:])
    else:
        value = summary.get(metric)
        if isinstance(value, Mapping):
            value = value["share"]
    return None if value is None else float(value)


def structures(summary: Mapping[str, Any], metric: str) -> int:
    """Of how many structures, constraints aside, a figure is."""
    value = summary.get(metric)
    if isinstance(value, Mapping):
        return int(value["structures"])
    return int(summary["structures_of"].get(metric.partition("@")[0], summary["structures"]))


def results(settings: Mapping[str, Any], runs: Mapping[str, Mapping[int, Mapping[str, Any]]],
            answers: Mapping[str, Mapping[int, Mapping[str, Sequence[Mapping[str, Any]]]]]) -> dict[str, Any]:
    """All figures of an experiment. ``runs``: method, seed, set of tasks -> summary;
    ``answers``: the same -> the answers (evaluate.Answered as JSON), in the set's order."""
    seeds = sorted({seed for by_seed in runs.values() for seed in by_seed})
    known = dict.fromkeys(name for by_seed in runs.values() for by_set in by_seed.values() for name in by_set)
    sets = sorted(known, key=lambda name: [*settings.get("sets", {}), *known].index(name))
    table = {
        method: {
            name: {metric: spread([figure(by_seed[seed][name], metric) for seed in seeds if seed in by_seed])
                   for metric, _, _ in METRICS}
            for name in sets
        }
        for method, by_seed in runs.items()
    }
    counts = {
        name: {metric: spread([structures(by_seed[s][name], metric) for by_seed in runs.values() for s in seeds if s in by_seed and figure(by_seed[s][name], metric) is not None])
               for metric, _, _ in METRICS}
        for name in sets
    }
    comparisons = []
    for a, b in COMPARED:
        if a not in runs or b not in runs:
            continue
        shared = [seed for seed in seeds if seed in runs[a] and seed in runs[b]]
        for name in sets:
            for metric in COMPARED_FIGURES:
                found = paired([figure(runs[a][s][name], metric) for s in shared], [figure(runs[b][s][name], metric) for s in shared])
                if found is None:
                    continue
                row = {"a": a, "b": b, "set": name, "metric": metric, "seeds": shared, **found}
                row["structures"] = _by_structure([(x, y) for s in shared for x, y in zip(answers[a][s][name], answers[b][s][name], strict=True)], _OF_ANSWERS[metric])
                comparisons.append(row)
    return {
        "schema": SCHEMA, "settings": dict(settings), "seeds": seeds, "sets": sets, "table": table, "structures": counts, "comparisons": comparisons,
        "together": {m: {name: _together([a for s in sorted(by_seed) for a in by_seed[s][name]]) for name in sets} for m, by_seed in answers.items()},
        "runs": {m: {str(s): dict(by_set) for s, by_set in sorted(by_seed.items())} for m, by_seed in runs.items()},
    }


#: Figures of all seeds together: what an answer says of it, None where it says nothing.
_OF_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], "float | None"]] = {
    "valid": lambda a: _solved(a),
    "optimal": lambda a: a["greedy"].get("optimal"),
    "violations": lambda a: None if a["greedy"]["violations"] is None else a["greedy"]["violations"] > 0,
    "pass@1": lambda a: _passed(a, 1),
    "pass@8": lambda a: _passed(a, 8),
}


def _passed(answer: Mapping[str, Any], k: int) -> float | None:
    return pass_at_k(answer["samples"], answer["valid_samples"], k) if answer["samples"] >= k else None


def _solved(answer: Mapping[str, Any]) -> bool:
    return bool(answer["greedy"]["verdict"] == "valid")


def _together(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shares of the answers to the tasks of all seeds, each with a bootstrap interval over the structures."""
    out: dict[str, Any] = {}
    for name, value in _OF_ANSWERS.items():
        groups: dict[str, list[float]] = {}
        for answer in answers:
            known = value(answer)
            if known is not None:
                groups.setdefault(answer["structure"], []).append(float(known))
        every = [x for values in groups.values() for x in values]
        out[name] = {"share": mean(every), "n": len(every), "structures": len(groups), "interval": bootstrap(groups.values())} if every else None
    return out


def _by_structure(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], value: "Callable[[Mapping[str, Any]], float | None]") -> dict[str, Any] | None:
    """How a figure of two methods' tasks, of all seeds, differs with the structures as the sample: how many there
    are, the interval of the difference, the structures on which one has more, and the
    probability of that if the methods differed by chance alone. It speaks of these models."""
    groups: dict[str, list[float]] = {}
    for first, second in pairs:
        if first["id"] != second["id"]:
            raise ValueError("the answers are to different tasks")
        x, y = value(first), value(second)
        if x is not None and y is not None:
            groups.setdefault(first["structure"], []).append(float(x) - float(y))
    if not groups:
        return None
    means = [mean(values) for values in groups.values()]
    return {"n": len(groups), "interval": bootstrap(groups.values()), "more": sum(m > 0 for m in means), "fewer": sum(m < 0 for m in means), "p": sign_flip(means)}


def markdown(found: Mapping[str, Any], sets: Mapping[str, str] | None = None) -> str:
    """The tables. ``sets`` says in words what the sets of tasks are."""
    seeds = len(found["seeds"])
    out = [f"Greedy answers; mean over {seeds} seed{'s' * (seeds != 1)}" + (" (least to most)." if seeds > 1 else "."),
           "Optimality is 1 / (1 + cost / optimal cost) of the valid plans, so 0.5 is optimal; extra steps, too, are of the valid ones.", ""]
    for name in found["sets"]:
        first = next(iter(next(iter(found["runs"].values())).values()))[name]
        told = (sets or {}).get(name, "")
        out += [f"### {name}: {told + ', ' if told else ''}{first['tasks']} tasks", ""]
        shown = [m for m in METRICS if any(rows[name][m[0]] for rows in found["table"].values())]
        out += ["| method | " + " | ".join(heading for _, heading, _ in shown) + " |", "| --- |" + " --- |" * len(shown)]
        out.append("| *base structures* | " + " | ".join(_count(found["structures"][name][key]) for key, _, _ in shown) + " |")
        for method, rows in found["table"].items():
            out.append(f"| {LABELS.get(method, method)} | " + " | ".join(_cell(_shown(rows[name], key), share) for key, _, share in shown) + " |")
        out.append("")
    if seeds > 1:
        out += _all_seeds(found)
    return "\n".join(out + _along(found) + _compared(found))


#: Figures of the first and the last tenth of the steps of reinforcement learning: column of metrics.csv, heading, whether it is a share.
ALONG = (("valid", "valid", True), ("optimal", "optimal", True), ("entropy", "entropy, nats a token", False),
         ("distinct", "different answers to a prompt", True), ("length", "tokens of an answer", False))


def _along(found: Mapping[str, Any]) -> list[str]:
    if not found.get("along"):
        return []
    out = ["### Sampled answers, first and last tenth of the steps", "",
           "| method | " + " | ".join(heading for _, heading, _ in ALONG) + " |", "| --- |" + " --- |" * len(ALONG)]
    for method, columns in found["along"].items():
        ends = [[_cell(end and {**end, "min": end["mean"], "max": end["mean"]}, share) for end in columns[key]] for key, _, share in ALONG]
        out.append(f"| {LABELS.get(method, method)} | " + " | ".join(" → ".join(told) for told in ends) + " |")
    return [*out, ""]


def _all_seeds(found: Mapping[str, Any]) -> list[str]:
    columns = [name for name in _OF_ANSWERS if any(by_set[s][name] for by_set in found["together"].values() for s in found["sets"])]
    out = ["### All seeds together", "",
           "Greedy answers to the tasks of all seeds, and sampled ones for pass@k; 95 % intervals are a bootstrap over the base structures,",
           "whose tasks of all seeds come and go together.", "",
           "| method | set | tasks (base structures) | " + " | ".join({key: heading for key, heading, _ in METRICS}[name] for name in columns) + " |", "| --- |" + " --- |" * (2 + len(columns))]
    for method, by_set in found["together"].items():
        for name in found["sets"]:
            whole = by_set[name]["valid"]
            out.append(f"| {LABELS.get(method, method)} | {name} | {whole['n']} ({whole['structures']}) | " + " | ".join(_whole(by_set[name][c], whole["n"]) for c in columns) + " |")
    return [*out, ""]


def _whole(share: Mapping[str, Any] | None, tasks: int) -> str:
    if share is None:
        return "-"
    low, high = share["interval"] or (share["share"], share["share"])
    return f"{100 * share['share']:.1f} % ({100 * low:.1f} to {100 * high:.1f})" + (f" of {share['n']}" if share["n"] != tasks else "")


def _shown(figures: Mapping[str, Any], metric: str) -> Mapping[str, float] | None:
    """A figure of a table. Where no seed's model solves anything, none can be cheap or dear."""
    solved = figures["valid"]
    return None if metric == "optimal" and solved is not None and solved["max"] == 0 else figures[metric]


def _cell(value: Mapping[str, float] | None, share: bool) -> str:
    if value is None:
        return "-"

    def digits(x: float) -> str:
        return f"{100 * x:.1f} %" if share else f"{x:.3f}"

    if value["min"] == value["max"]:
        return digits(value["mean"])
    low, high = digits(value["min"]).removesuffix(" %"), digits(value["max"]).removesuffix(" %")
    return f"{digits(value['mean'])} ({low} to {high})"


def _count(value: Mapping[str, float] | None) -> str:
    if value is None:
        return "-"
    return f"{value['min']:.0f}" if value["min"] == value["max"] else f"{value['min']:.0f} to {value['max']:.0f}"


def _compared(found: Mapping[str, Any]) -> list[str]:
    if not found["comparisons"]:
        return []
    out = [
        "### Differences", "",
        "In percentage points, paired by seed; the interval is Student's, 95 %, over the seeds, each of which has a training",
        "of its own and, where the data has {seed} in its name, a split of its own. A difference counts only",
        "when this interval excludes 0; these are many intervals, so one in twenty may do so by chance. The last column",
        "takes the structures as the sample, for these models: the 95 % interval (bootstrap), on how many structures the first",
        "has more and less of the figure, and the probability of that by chance (signs of the structures' differences flipped).", "",
        "| comparison | tasks | figure | by seed | mean | 95 % interval | over seeds | over structures |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in found["comparisons"]:
        if (row["a"], row["b"]) not in COMPARED_EVERYWHERE and row["set"] not in found["sets"][:2]:
            continue  # results.json has it
        interval = row["interval"]
        each = ", ".join(f"{100 * d:+.1f}" for d in row["differences"])
        if interval is None:
            verdict = "one seed: no statement"
        elif row["distinguishable"]:
            verdict = "higher" if row["mean"] > 0 else "lower"
        else:
            verdict = "not distinguishable"
        over = row.get("structures")
        spread_of = "no interval" if over is None or over["interval"] is None else "{:+.1f} to {:+.1f}".format(*(100 * x for x in over["interval"]))
        out.append(
            f"| {LABELS.get(row['a'], row['a'])} - {LABELS.get(row['b'], row['b'])} | {row['set']} | {row['metric']} | {each} | {100 * row['mean']:+.1f} | "
            + (f"{100 * interval[0]:+.1f} to {100 * interval[1]:+.1f}" if interval else "-") + f" | {verdict} | "
            + (f"{over['n']}: {spread_of}; {over['more']} : {over['fewer']}, p = {over['p']:.2g}" if over else "-") + " |")
    return [*out, ""]


__all__ = ["ALONG", "COMPARED", "LABELS", "METRICS", "SCHEMA", "figure", "markdown", "results"]
