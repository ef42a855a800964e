"""``python -m planproof.reftrain transfer``: what k domains teach of domains that were never seen, by one command.

::

    planproof export invented ─► data/*        k domains to train on, others to test on
    sft, the same tokens for every k ─► runs/k4-0
    ─► eval/k4-0.json ─► results.json, RESULTS.md

A folder holds one experiment: the same command goes on with it, other settings are refused.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Mapping

from ..client import Client
from . import transfer_tasks as tasks
from .config import ConfigError, ModelConfig, SFTConfig, make
from .data import Row, read
from .experiment import make_data, prepare
from .presets import add_options, merge, unknown, with_sets
from .state import cpu_noted, write_atomic, write_json

_MAKE = ["invented", "actions=3", "objects=2", "--dedup", "exact", "--style", "compact"]
_FULL: dict[str, Any] = {
    "seeds": [0], "domains": [1, 4, 16, 64], "rows": 4096,  # to train on, of all domains together
    "new": "65..96", "new_rows": 12,  # of each
    "objects": 12, "hardest": 2.0,
    "model": {"width": 64, "layers": 4, "heads": 4, "context": 256, "rotary": 0.5, "composed": True},
    "tokens": 2_400_000,  # that every model reads and writes: steps follow from it
    "sft": {"batch": 32, "lr": 3e-3, "lr_floor": 0.03, "warmup": 50, "weight_decay": 0.1, "bf16": True, "checkpoint_every": 100},
    "evaluate": {"tasks": 300, "samples": 8, "max_tokens": 20},
}
PRESETS: dict[str, dict[str, Any]] = {
    "full": _FULL,
    "smoke": merge(_FULL, {"domains": [1, 2], "rows": 80, "hardest": 4.0, "new": "3..4", "new_rows": 6, "model": {"width": 16, "layers": 1, "heads": 2},
                           "tokens": 500, "sft": {"batch": 4}, "evaluate": {"tasks": 4, "samples": 2, "max_tokens": 8}}),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_options(parser, PRESETS, "full; smoke: learns nothing, in seconds", "domains=[1,8] or tokens=600000")


def main(args: argparse.Namespace) -> int:
    """Runs what is missing, and writes the report."""
    out, settings = Path(args.output), with_sets(PRESETS[args.preset], args.set)
    check(settings)
    prepare(out, settings)
    make_data(out, {"seeds": [0], "data": {
        **{f"k{k}": [*_MAKE, f"domain=1..{k}", "--count", str(-(-settings["rows"] // k)), "--split", "90,0,10,0"] for k in settings["domains"]},
        "new": [*_MAKE, f"domain={settings['new']}", "--count", str(settings["new_rows"]), "--split", "0,0,100,0"]}})
    for seed in settings["seeds"]:
        for k in settings["domains"]:
            train(out, settings, k, seed)
            evaluate(out, settings, k, seed)
    print(report(out, settings))
    return 0


def check(settings: Mapping[str, Any]) -> None:
    """Raises ConfigError for settings that cannot be used, before anything runs."""
    if faults := unknown(settings, _FULL):
        raise ConfigError(*faults)
    first, _, _ = str(settings["new"]).partition("..")
    if not first.isdigit() or int(first) <= max(settings["domains"]):
        raise ConfigError(f"new: {settings['new']}: domains to test on come after the {max(settings['domains'])} to train on")
    make(ModelConfig, settings["model"], "model")
    make(SFTConfig, settings["sft"], "sft")


def _rows(out: Path, settings: Mapping[str, Any], name: str, split: str) -> list[Row]:
    found = tasks.rows(read(out / "data" / name / f"{split}.jsonl"), settings["objects"], settings["hardest"])
    if not found:
        raise ConfigError(f"{name}/{split}: no task is within the bounds: raise rows, objects or hardest")
    return found


def train(out: Path, settings: Mapping[str, Any], k: int, seed: int) -> None:
    """One run; goes on where it was killed, and does nothing if it is done."""
    from .sft import run_sft, steps_for

    rows = _rows(out, settings, f"k{k}", "train")
    words = tasks.vocabulary(settings["objects"])
    with cpu_noted(out / "cpu.json", f"k{k}-{seed}"):
        steps = steps_for(rows, words, settings["tokens"], settings["sft"]["batch"])
        config = make(SFTConfig, {**settings["sft"], "steps": steps, "slots": settings["objects"], "seed": seed}, "sft")
        run_sft(rows, words, out / "runs" / f"k{k}-{seed}", config, make(ModelConfig, settings["model"], "model"), {"rows": len(rows)})


def evaluate(out: Path, settings: Mapping[str, Any], k: int, seed: int) -> None:
    """Greedy and sampled answers to held-out tasks of the domains that were trained on, and to new domains."""
    from .evaluate import by_group, evaluate as ask, summarise
    from .measure import spread
    from .policy import Policy
    from .state import load_model

    path = out / "eval" / f"k{k}-{seed}.json"
    if path.exists():
        return
    how = settings["evaluate"]
    loaded = load_model(out / "runs" / f"k{k}-{seed}", "cpu")
    loaded.model.eval()
    found: dict[str, Any] = {}
    with Client(deadline=300) as client:
        for name, where in (("seen", f"k{k}"), ("new", "new")):
            rows = spread(_rows(out, settings, where, "test-clean"), how["tasks"])
            policy = Policy(loaded, max_tokens=how["max_tokens"], seed=seed)
            judge: Any = tasks.Judge(client)
            answers = ask(rows, judge, greedy=policy.greedy, sample=policy.sample, samples=how["samples"])
            bins = by_group(rows, answers, lambda row: row.bin)
            surprise = tasks.surprise(loaded, rows, seed)
            found[name] = {"summary": {**summarise(rows, answers), **surprise}, "bins": bins, "answers": [a.to_json() for a in answers]}
    write_json(path, found)


def report(out: Path, settings: Mapping[str, Any]) -> str:
    """Writes results.json and RESULTS.md, and returns the latter."""
    cpu = json.loads((out / "cpu.json").read_text())
    lines = ["| k | seed | tasks of | tasks | domains | nats a token | 95 % by domain | likeliest | valid, greedy | 95 % by domain | optimal | pass@1 | pass@8 | valid by h* | CPU s |", "|" + " --- |" * 15]
    results = []
    for k in sorted(settings["domains"]):
        for seed in settings["seeds"]:
            for name, part in json.loads((out / "eval" / f"k{k}-{seed}.json").read_text()).items():
                s = part["summary"]
                by = ", ".join(f"{h}: {b['valid']['hits']}/{b['tasks']}" for h, b in part["bins"].items())
                results.append({"domains": k, "seed": seed, "set": name, "bins": {h: b["valid"] for h, b in part["bins"].items()}, **s})
                lines.append(f"| {k} | {seed} | {'domains seen' if name == 'seen' else 'new domains'} | {s['tasks']} | {s['structures']} | {s['nats']:.3f} | {_interval(s['nats_interval'])} | "
                             f"{s['likeliest']:.3f} | {s['valid']['share']:.3f} | {_interval(s['valid']['interval'])} | {_told(s['optimal'])} | {s['pass']['1']:.3f} | "
                             f"{s['pass'].get('8', s['pass']['1']):.3f} | {by} | {cpu[f'k{k}-{seed}']:.0f} |")
    text = "\n".join(lines) + "\n"
    write_json(out / "results.json", results)
    write_atomic(out / "RESULTS.md", lambda f: f.write(text.encode()))
    return text


def _interval(bounds: "list[float] | None") -> str:
    return f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else "-"


def _told(share: "Mapping[str, Any] | None") -> str:
    return "-" if share is None else f"{share['share']:.3f}"


__all__ = ["PRESETS", "add_arguments", "main"]
