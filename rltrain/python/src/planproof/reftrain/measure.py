"""Evaluates a trained model on several files of tasks: ``python -m planproof.reftrain evaluate``."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import replace
from typing import Any, Sequence

from ..client import Client
from .config import ConfigError
from .culprits import culprit, gather, table
from .data import Row, read
from .evaluate import by_group, check_tasks, evaluate, summarise
from .policy import Policy
from .start import add_start, start_of
from .state import load_model, write_json

SCHEMA = "planproof.reftrain.evaluation/1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_start(parser, "--model", "a run's folder, or a model.pt")
    parser.add_argument("--data", required=True, action="append", metavar="NAME=FILE[:SPLIT]",
                        help="a set of tasks and its name in the report; may be given several times")
    parser.add_argument("-o", "--output", help="write all figures and answers as JSON")
    parser.add_argument("--tasks", type=int, default=0, help="take so many tasks of each set, spread over it (all)")
    parser.add_argument("--constrained", action="store_true", help="of sets with constrained tasks take only these")
    parser.add_argument("--samples", type=int, default=0, help="sample so many answers to each task, for pass@k (none)")
    parser.add_argument("--sampled-tasks", type=int, default=0, help="sample for so many of these only (all)")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--seed", type=int, default=0, help="of the sampling (0)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bf16", action="store_true")


def main(args: argparse.Namespace) -> int:
    """Evaluates, prints a line a set, and returns the exit code."""
    import torch

    for name, least in (("tasks", 0), ("samples", 0), ("sampled_tasks", 0), ("max_tokens", 1), ("threads", 1), ("seed", 0)):
        if getattr(args, name) < least:
            raise ConfigError(f"--{name.replace('_', '-')} {getattr(args, name)}: it is at least {least}")
    if not 1e-3 <= args.temperature <= 1e3:
        raise ConfigError(f"--temperature {args.temperature}: it is above 0 (greedy answers are there in any case)")
    torch.set_num_threads(args.threads)
    sets = [_source(text) for text in args.data]
    if len({name for name, _, _ in sets}) < len(sets):
        raise ConfigError("--data: two sets have one name")
    rows = {name: spread(chosen(read(path, split=split), args.constrained), args.tasks) for name, path, split in sets}
    loaded = load_model(start_of(args)[0], args.device, args.bf16)
    loaded.model.eval()
    out: dict[str, Any] = {}
    with Client(deadline=300) as client:
        check_tasks(client, [row for part in rows.values() for row in part])
        for name, part in rows.items():
            policy = Policy(loaded, max_tokens=args.max_tokens, temperature=args.temperature, seed=args.seed)
            out[name] = evaluate_set(part, policy, client, args.samples, args.sampled_tasks)
            print(line(name, out[name]["summary"]), flush=True)
    if args.output:
        write_json(args.output, {"schema": SCHEMA, "model": loaded.about, "sets": out})
    return 0


def chosen(rows: Sequence[Row], constrained: bool) -> Sequence[Row]:
    """The rows with constraints if these are wanted and there are any, else all."""
    return [row for row in rows if row.constraints] or rows if constrained else rows


def spread(rows: Sequence[Row], n: int) -> Sequence[Row]:
    """n of the rows (0: all), the same for the same rows: one of every base structure, then a second, and
    so on, since structures are the sample; among these by the hashes of tasks, which have no order."""
    ordered = sorted(rows, key=lambda row: (hashlib.sha256(row.task.encode()).digest(), row.id))
    seen: dict[str, int] = {}
    turn = {}
    for row in ordered:
        seen[row.base] = turn[row.id] = seen.get(row.base, 0) + 1
    return sorted(ordered, key=lambda row: turn[row.id])[: n or None]


def evaluate_set(rows: Sequence[Row], policy: Policy, client: Client, samples: int, sampled_tasks: int = 0) -> dict[str, Any]:
    """Figures, figures by bin, and every answer. Only the first ``sampled_tasks`` rows (0: all)
    are sampled for pass@k."""
    answers = evaluate(rows, client, greedy=policy.greedy)
    summary = summarise(rows, answers)
    if samples:
        part = rows[: sampled_tasks or None]
        drawn = evaluate(part, client, sample=policy.sample, samples=samples)
        told = summarise(part, drawn)
        summary.update({k: told[k] for k in ("samples", "pass", "pass_interval")}, sampled_tasks=len(part))
        summary["structures_of"]["pass"] = told["structures"]
        chances = {a.id: a.valid_samples for a in drawn}
        answers = [replace(a, samples=samples, valid_samples=chances[a.id]) if a.id in chances else a for a in answers]
    bins = by_group(rows, answers, lambda row: row.bin)
    texts = [a.text for a in answers]
    found = gather(client, rows, texts, [a.greedy is None or a.greedy.verdict != "truncated" for a in answers])
    faults = table(culprit(e, text) for e, text in zip(found, texts))
    return {"summary": summary, "bins": bins, "culprits": faults, "answers": [a.to_json() for a in answers]}


def line(name: str, summary: dict[str, Any]) -> str:
    """One line about a set, for people."""
    def share(value: Any) -> str:
        if value is None:
            return "-"
        told = f"{100 * value['share']:.1f} %"
        if value["interval"] is not None:
            told += f" ({100 * value['interval'][0]:.1f} to {100 * value['interval'][1]:.1f})"
        return told + (f" of {value['structures']} structures" if value["structures"] != summary["structures"] else "")

    parts = [f"{name}: {summary['tasks']} tasks of {summary['structures']} structures", f"valid {share(summary['valid'])}", f"violating {share(summary['violations'])}",
             f"parsed {share(summary['format'])}"]
    if summary["optimality"] is not None:
        parts.append(f"optimality {summary['optimality']:.3f}")
    parts += [f"pass@{k} {100 * v:.1f} %" for k, v in summary.get("pass", {}).items()]
    return ", ".join(parts)


def _source(text: str) -> "tuple[str, str, str | None]":
    name, equals, rest = text.partition("=")
    if not equals or not name or not rest:
        raise ConfigError(f"--data {text}: it is NAME=FILE or NAME=FILE:SPLIT")
    path, colon, split = rest.rpartition(":")
    return (name, path, split) if colon and "/" not in split and "\\" not in split else (name, rest, None)


__all__ = ["SCHEMA", "add_arguments", "evaluate_set", "line", "main", "spread"]
