"""``python -m planproof.reftrain boxnet``: several robots, from data to a table, by one command.

::

    planproof boxnet generate, trace ─► data/*.jsonl, data/*-traces.jsonl
    sft on plans ─► grpo-plans            GRPO has the reward multirobot
    sft on traces ─► grpo-traces, grpo-flat (without its term for efficiency)
    one step of sft ─► grpo-only
    ─► eval/*.json ─► results.json, RESULTS.md

A folder holds one experiment: the same command goes on with it, other settings are refused.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any, Mapping

from ..binary import find_binary
from . import boxnet_tasks as tasks
from .config import ConfigError, ModelConfig, RLConfig, SFTConfig, make
from .data import Row
from .experiment import prepare
from .presets import add_options, merge, unknown, with_sets
from .state import cpu_noted, write_atomic, write_json

#: Method: what it starts from ("" for random weights), whether answers have thoughts, and what is different.
METHODS: dict[str, tuple[str, bool, dict[str, Any]]] = {
    "sft-plans": ("", False, {}), "grpo-plans": ("sft-plans", False, {}),
    "sft-traces": ("", True, {}), "grpo-traces": ("sft-traces", True, {}),
    "grpo-flat": ("sft-traces", True, {"efficiency": False}),
    "start": ("", False, {"steps": 1}), "grpo-only": ("start", False, {}),
}

#: Data sets by the arguments of boxnet generate; "train" is split by structure.
_SMALL: dict[str, Any] = {
    "seeds": [0, 1, 2], "methods": list(METHODS),
    "data": {
        "train": ["--width", "2..3", "--square", "--objects", "1..2", "--count", "400"],
        "maps": ["--width", "2", "--height", "3", "--objects", "1..2", "--count", "40"],
        "layouts": ["--width", "3", "--square", "--objects", "1..2", "--layout", "randrob", "--count", "40"],
    },
    "short": False,  # whether thoughts leave out the checks
    "tokens": 0,  # that imitation reads and writes, instead of sft.steps
    "model": {"width": 96, "layers": 4, "heads": 4, "context": 512},
    "sft": {"steps": 600, "batch": 32, "lr": 3e-3, "max_tokens": 320},
    "rl": {"steps": 60, "prompts": 8, "group": 8, "lr": 2e-4, "max_tokens": 320},
    "evaluate": {"tasks": 100, "samples": 4, "max_tokens": 320},
}
PRESETS: dict[str, dict[str, Any]] = {
    "full": _SMALL,
    "quick": merge(_SMALL, {
        "seeds": [0], "methods": ["sft-plans", "grpo-plans", "sft-traces"],
        "data": {
            "train": ["--width", "2", "--objects", "1..2", "--count", "200"],
            "maps": ["--width", "2", "--height", "3", "--objects", "1", "--count", "20"],
            "layouts": ["--width", "2", "--objects", "1", "--layout", "randrob", "--count", "20"],
        },
        "model": {"width": 64, "layers": 2, "heads": 2, "context": 384}, "sft": {"steps": 200, "max_tokens": 256}, "rl": {"steps": 15, "max_tokens": 64},
        "evaluate": {"tasks": 40, "max_tokens": 256},
    }),
    "three": merge(_SMALL, {
        "seeds": [0], "methods": ["sft-plans", "sft-traces", "grpo-plans", "start", "grpo-only", "grpo-traces", "grpo-flat"],
        "short": True, "tokens": 1_200_000,
        "data": {
            "train": ["--width", "3", "--square", "--objects", "1..2", "--count", "3000"],
            "maps": ["--width", "2", "--height", "3", "--objects", "1..2", "--count", "60"],
            "layouts": ["--width", "3", "--square", "--objects", "1..2", "--layout", "randrob", "--count", "60"],
        },
        "model": {"width": 64, "layers": 4, "heads": 4, "context": 512, "rotary": 0.5, "composed": True},
        "sft": {"batch": 64, "lr": 3e-3, "lr_floor": 0.03, "warmup": 30, "weight_decay": 0.1, "bf16": True, "max_tokens": 320},
        "rl": {"steps": 30, "prompts": 16, "bf16": True},
        "evaluate": {"tasks": 150, "max_tokens": 352},
    }),
    "smoke": merge(_SMALL, {
        "seeds": [0],
        "data": {
            "train": ["--width", "2", "--objects", "1", "--count", "12"],
            "maps": ["--width", "2", "--height", "3", "--objects", "1", "--count", "2"],
            "layouts": ["--width", "2", "--objects", "1", "--layout", "randrob", "--count", "2"],
        },
        "model": {"width": 16, "layers": 1, "heads": 2}, "sft": {"steps": 2, "batch": 4},
        "rl": {"steps": 1, "prompts": 2, "group": 2, "max_tokens": 12}, "evaluate": {"tasks": 2, "samples": 2, "max_tokens": 12},
    }),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    sizes = "full: three seeds, hours; quick: 2x2, one seed; three: 3x3, one seed, tokens of places composed; smoke: learns nothing, in a minute"
    add_options(parser, PRESETS, sizes, "sft.steps=60")


def main(args: argparse.Namespace) -> int:
    """Runs what is missing, and writes the report."""
    out, settings = Path(args.output), with_sets(PRESETS[args.preset], args.set)
    check(settings)
    prepare(out, settings)
    for name, arguments in settings["data"].items():
        make_data(out / "data", name, arguments)
    for method in settings["methods"]:
        for seed in settings["seeds"]:
            train(out, settings, method, seed)
            evaluate(out, settings, method, seed)
    print(report(out, settings))
    return 0


def check(settings: Mapping[str, Any]) -> None:
    """Raises ConfigError for settings that cannot be used, before anything runs."""
    for method in settings["methods"]:
        if method not in METHODS or METHODS[method][0] not in ("", *settings["methods"]):
            raise ConfigError(f"methods: {method} is none of {', '.join(METHODS)}, or its start is missing")
    if faults := unknown(settings, _SMALL):
        raise ConfigError(*faults)
    make(ModelConfig, settings["model"], "model")
    make(SFTConfig, settings["sft"], "sft")
    make(RLConfig, settings["rl"], "rl")


def make_data(folder: Path, name: str, arguments: list[str]) -> None:
    """Makes the tasks of a set with their optimal plans, and their traces, if they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    solved, traces = folder / f"{name}.jsonl", folder / f"{name}-traces.jsonl"
    for path, command in ((solved, ["generate", *arguments]), (traces, ["trace", "--workers", "1", str(solved)])):
        if path.exists():
            continue
        done = subprocess.run([find_binary(None), "boxnet", *command], capture_output=True, text=True)
        if done.returncode:
            raise ConfigError(f"data {name}: planproof boxnet {' '.join(command)} ended with {done.returncode}:\n{done.stderr.rstrip()}")
        write_atomic(path, lambda f: f.write(done.stdout.encode()))


def read(out: Path, name: str, traces: bool, short: bool = False) -> list[Row]:
    """The rows of a set."""
    folder = out / "data"
    return tasks.rows((folder / f"{name}.jsonl").read_text(), (folder / f"{name}-traces.jsonl").read_text() if traces else None, short)


def train(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> None:
    """One run; goes on where it was killed, and does nothing if it is done."""
    from .rl import run_rl
    from .sft import run_sft, steps_for, vocabulary

    start, traces, changes = METHODS[method]
    folder = out / "runs" / f"{method}-{seed}"
    rows = [row for row in read(out, "train", traces, settings["short"]) if row.split == "train"]
    with cpu_noted(out / "cpu.json", folder.name):
        if not start:
            # The vocabulary has every word of the sets that are evaluated later.
            words = vocabulary([row for kind in (False, True) for name in settings["data"] for row in read(out, name, kind)])
            if settings["tokens"]:
                changes = {"steps": steps_for(rows, words, settings["tokens"], settings["sft"]["batch"]), **changes}
            config = make(SFTConfig, {**settings["sft"], **changes, "seed": seed}, "sft")
            run_sft(rows, words, folder, config, make(ModelConfig, settings["model"], "model"), {"rows": len(rows)})
        else:
            config_rl = make(RLConfig, {**settings["rl"], "reward": "multirobot", "seed": seed}, "rl")
            judge: Any = tasks.Judge(changes.get("efficiency", True))
            run_rl(out / "runs" / f"{start}-{seed}", rows, folder, config_rl, client=judge, identity={"rows": len(rows), **changes})


def evaluate(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> None:
    """Greedy and sampled answers to tasks of held-out structures, maps and layouts."""
    from .evaluate import evaluate as ask
    from .evaluate import summarise
    from .policy import Policy
    from .state import load_model

    path = out / "eval" / f"{method}-{seed}.json"
    if path.exists():
        return
    path.parent.mkdir(exist_ok=True)
    how = settings["evaluate"]
    judge: Any = tasks.Judge()
    loaded = load_model(out / "runs" / f"{method}-{seed}", "cpu")
    loaded.model.eval()
    found = {}
    for name in settings["data"]:
        rows = [row for row in read(out, name, False) if name != "train" or row.split != "train"][: how["tasks"]]
        policy = Policy(loaded, max_tokens=how["max_tokens"], seed=seed)
        answers = ask(rows, judge, greedy=policy.greedy, sample=policy.sample, samples=how["samples"])
        found["structures" if name == "train" else name] = {"summary": summarise(rows, answers, (1, 4)), "answers": [a.to_json() for a in answers]}
    write_json(path, found)


def report(out: Path, settings: Mapping[str, Any]) -> str:
    """Writes results.json and RESULTS.md, and returns the latter."""
    cpu = json.loads((out / "cpu.json").read_text())
    lines = ["| method | seed | held out | tasks | structures | success, greedy | 95 % by structure | pass@1 of sampled | steps beyond the fewest | in form | CPU s |", "|" + " --- |" * 11]
    results = []
    for method in settings["methods"]:
        for seed in settings["seeds"]:
            measured = json.loads((out / "eval" / f"{method}-{seed}.json").read_text())
            for name, part in measured.items():
                s = part["summary"]
                low, high = s["valid"]["interval"] or (None, None)
                longer = s["length_difference"]
                results.append({"method": method, "seed": seed, "set": name, **s})
                lines.append(f"| {method} | {seed} | {name} | {s['tasks']} | {s['structures']} | {s['valid']['share']:.2f} | "
                             f"{'-' if low is None else f'{low:.2f} to {high:.2f}'} | {s['pass']['1']:.2f} | {'-' if longer is None else f'{longer:+.2f}'} | "
                             f"{s['format']['share']:.2f} | {cpu[f'{method}-{seed}']:.0f} |")
    text = "\n".join(lines) + "\n"
    write_json(out / "results.json", results)
    write_atomic(out / "RESULTS.md", lambda f: f.write(text.encode()))
    return text


__all__ = ["METHODS", "PRESETS", "add_arguments", "main"]
