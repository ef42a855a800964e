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
import random
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any, Mapping, Sequence

from ..binary import find_binary
from ..schema import Item
from . import boxnet_tasks as tasks
from .config import ConfigError, ModelConfig, RLConfig, SFTConfig, make
from .data import Row, bins
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

def _tasks(count: int, *arguments: str, seeds: int = 1) -> list[list[str]]:
    """Arguments of boxnet generate, once for each seed."""
    return [[*arguments, "--count", str(count), "--seed", str(seed)] for seed in range(1, seeds + 1)]


def _train(times: int) -> list[list[str]]:
    """Tasks of 3x3 maps. With one object there are only 165 structures, so that several seeds draw other arms for them."""
    size = ["--width", "3", "--square", "--objects"]
    return [*_tasks(6000 * times, *size, "2"), *_tasks(200, *size, "1", seeds=6 * times)]


#: Data sets by the arguments of boxnet generate; "train" is split by structure.
_THREE: dict[str, Any] = {
    "seeds": [0], "methods": ["sft-plans", "sft-traces", "grpo-plans", "grpo-traces", "grpo-flat", "start", "grpo-only"],
    "data": {
        "train": _train(1),
        "maps": _tasks(100, "--width", "2", "--height", "3", "--objects", "1..2"),
        "layouts": _tasks(60, "--width", "3", "--square", "--objects", "1..2", "--layout", "randrob"),
    },
    "short": True,  # whether thoughts leave out states and robots that wait
    "tokens": 2_000_000,  # that imitation reads and writes, instead of sft.steps
    "model": {"width": 96, "layers": 3, "heads": 4, "context": 192, "rotary": 0.5},
    "sft": {"batch": 64, "lr": 3e-3, "lr_floor": 0.03, "warmup": 30, "weight_decay": 0.1, "bf16": True, "checkpoint_every": 200},
    "rl": {"steps": 1000, "budget": 200_000, "prompts": 16, "group": 8, "lr": 3e-4, "bf16": True, "max_tokens": 80, "probe_rows": 0},
    "evaluate": {"tasks": 150, "samples": 4, "max_tokens": 112},  # tasks: of each number of objects
}
_TWO = {
    "train": [*_tasks(2000, "--width", "2", "--objects", "2"), *_tasks(200, "--width", "2", "--objects", "1", seeds=4)],
    "maps": _tasks(60, "--width", "2", "--height", "3", "--objects", "1..2"),
    "layouts": _tasks(60, "--width", "2", "--objects", "1..2", "--layout", "randrob"),
}
PRESETS: dict[str, dict[str, Any]] = {
    "full": merge(_THREE, {"seeds": [0, 1, 2]}),
    "three": _THREE,
    "long": merge(_THREE, {"methods": ["sft-plans", "grpo-plans"], "data": {"train": _train(2)}, "tokens": 4_000_000, "rl": {"budget": 400_000}}),
    "two": merge(_THREE, {"data": _TWO, "tokens": 500_000, "rl": {"budget": 100_000}}),
    "smoke": merge(_THREE, {
        "data": {name: _tasks(12 if name == "train" else 2, *arguments) for name, arguments in {
            "train": ["--width", "2", "--objects", "1"], "maps": ["--width", "2", "--height", "3", "--objects", "1"],
            "layouts": ["--width", "2", "--objects", "1", "--layout", "randrob"]}.items()},
        "tokens": 0, "model": {"width": 16, "layers": 1, "heads": 2}, "sft": {"steps": 2, "batch": 4, "warmup": 1, "bf16": False},
        "rl": {"steps": 1, "prompts": 2, "group": 2, "max_tokens": 12, "bf16": False}, "evaluate": {"tasks": 2, "samples": 2, "max_tokens": 12},
    }),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    sizes = "full: 3x3, three seeds; three: 3x3, one seed, half an hour; long: plans only, twice the tasks and tokens; two: 2x2, minutes; smoke: learns nothing, in a minute"
    add_options(parser, PRESETS, sizes, "tokens=1000000")


def main(args: argparse.Namespace) -> int:
    """Runs what is missing, and writes the report."""
    out, settings = Path(args.output), with_sets(PRESETS[args.preset], args.set)
    check(settings)
    prepare(out, settings)
    for name, arguments in settings["data"].items():
        make_data(out / "data", name, arguments)
    for seed, method in product(settings["seeds"], settings["methods"]):
        train(out, settings, method, seed)
        evaluate(out, settings, method, seed)
    print(report(out, settings))
    return 0


def check(settings: Mapping[str, Any]) -> None:
    """Raises ConfigError for settings that cannot be used, before anything runs."""
    for method in settings["methods"]:
        if method not in METHODS or METHODS[method][0] not in ("", *settings["methods"]):
            raise ConfigError(f"methods: {method} is none of {', '.join(METHODS)}, or its start is missing")
    if faults := unknown(settings, _THREE):
        raise ConfigError(*faults)
    make(ModelConfig, settings["model"], "model")
    make(SFTConfig, settings["sft"], "sft")
    make(RLConfig, settings["rl"], "rl")


def make_data(folder: Path, name: str, arguments: list[list[str]]) -> None:
    """Makes the tasks of a set with their optimal plans, and their traces, if they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    solved, traces = folder / f"{name}.jsonl", folder / f"{name}-traces.jsonl"
    for path, commands in ((solved, [["generate", *words] for words in arguments]), (traces, [["trace", "--workers", "1", str(solved)]])):
        if path.exists():
            continue
        texts = []
        for command in commands:
            done = subprocess.run([find_binary(None), "boxnet", *command], capture_output=True, text=True)
            if done.returncode:
                raise ConfigError(f"data {name}: planproof boxnet {' '.join(command)} ended with {done.returncode}:\n{done.stderr.rstrip()}")
            texts.append(done.stdout)
        write_atomic(path, lambda f: f.write("".join(texts).encode()))


def read(out: Path, name: str, traces: bool, short: bool = False, symmetric: bool = False) -> list[Row]:
    """The rows of a set."""
    folder = out / "data"
    return tasks.rows((folder / f"{name}.jsonl").read_text(), (folder / f"{name}-traces.jsonl").read_text() if traces else None, short, symmetric)


def train(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> None:
    """One run; goes on where it was killed, and does nothing if it is done."""
    from .rl import run_rl
    from .sft import run_sft, steps_for
    from .tokens import Tokenizer

    start, traces, changes = METHODS[method]
    folder = out / "runs" / f"{method}-{seed}"
    if (folder / "model.pt").exists():
        return
    with cpu_noted(out / "cpu.json", folder.name):
        rows = [row for row in read(out, "train", traces, settings["short"], symmetric=not start) if row.split == "train"]
        if not start:
            # The vocabulary has every word of the sets that are evaluated later.
            told = [*rows, *(row for kind in (False, True) for name in settings["data"] for row in read(out, name, kind, settings["short"]))]
            words = Tokenizer.build(["\n"], {word for row in told for text in (row.prompt, row.answer) for word in text.split()})
            if settings["tokens"]:
                changes = {"steps": steps_for(rows, words, settings["tokens"], settings["sft"]["batch"]), **changes}
            config = make(SFTConfig, {**settings["sft"], **changes, "seed": seed}, "sft")
            run_sft(rows, words, folder, config, make(ModelConfig, settings["model"], "model"), {"rows": len(rows)}, alike=True)
        else:
            config_rl = make(RLConfig, {**settings["rl"], "reward": "multirobot", "seed": seed}, "rl")
            judge: Any = tasks.Judge(changes.get("efficiency", True))
            run_rl(out / "runs" / f"{start}-{seed}", rows, folder, config_rl, client=judge, identity={"rows": len(rows), **changes})


def held_out(out: Path, settings: Mapping[str, Any], name: str) -> list[Row]:
    """The tasks of a set that are evaluated: some of each number of objects, the same for all methods."""
    rows = [row for row in read(out, name, False) if name != "train" or row.split != "train"]
    random.Random(name).shuffle(rows)
    return [row for kind in bins(rows) for row in [row for row in rows if row.bin == kind][: settings["evaluate"]["tasks"]]]


def evaluate(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> None:
    """Greedy and sampled answers to tasks of held-out structures, maps and layouts, and why greedy ones fail."""
    from .evaluate import by_group
    from .evaluate import evaluate as ask
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
        rows = held_out(out, settings, name)
        policy = Policy(loaded, max_tokens=how["max_tokens"], seed=seed)
        answers = ask(rows, judge, greedy=policy.greedy, sample=policy.sample, samples=how["samples"])
        reasons = [x.raw["reason"] for x in judge.score([Item(row.oracle_task(), a.text) for row, a in zip(rows, answers)])]
        found["structures" if name == "train" else name] = {
            "bins": by_group(rows, answers, lambda row: row.bin, (1, 4)),
            "failures": {kind: Counter(why for row, why in zip(rows, reasons) if row.bin == kind and why) for kind in bins(rows)},
            "steps": by_steps(rows, answers), "answers": [a.to_json() for a in answers]}
    write_json(path, found)


def by_steps(rows: Sequence[Row], answers: Sequence[Any]) -> dict[str, dict[str, list[int]]]:
    """Valid greedy answers and tasks, by number of objects and fewest steps."""
    out: dict[str, dict[str, list[int]]] = {}
    for row, a in zip(rows, answers):
        cell = out.setdefault(row.bin, {}).setdefault(f"{row.difficulty:g}", [0, 0])
        cell[0] += a.greedy.valid
        cell[1] += 1
    return out


def report(out: Path, settings: Mapping[str, Any]) -> str:
    """Writes results.json and RESULTS.md, and returns the latter."""
    cpu = json.loads((out / "cpu.json").read_text())
    head = ("method", "seed", "held out", "size", "tasks", "structures", "valid, greedy", "95 % by structure", "optimal", "pass@1", "pass@4",
            "steps beyond the fewest", "in form", "CPU s")
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    results, why = [], ["| method | seed | held out | size | why greedy answers fail |", "|" + " --- |" * 5]
    for method, seed in product(settings["methods"], settings["seeds"]):
        measured = json.loads((out / "eval" / f"{method}-{seed}.json").read_text())
        for (name, part), kind in ((item, kind) for item in measured.items() for kind in item[1]["bins"]):
            s = part["bins"][kind]
            results.append({"method": method, "seed": seed, "set": name, "bin": kind, "failures": part["failures"][kind], "steps": part["steps"][kind], **s})
            low, high = s["valid"]["interval"] or (None, None)
            optimal = s["optimal"]["share"] if s["optimal"] else None
            shares = [optimal, s["pass"].get("1"), s["pass"].get("4"), s["length_difference"], s["format"]["share"]]
            told = [method, seed, name, kind, s["tasks"], s["structures"], _share(s["valid"]["share"]), f"{_share(low)} to {_share(high)}",
                    *map(_share, shares), f"{cpu[f'{method}-{seed}']:.0f}"]
            lines.append("| " + " | ".join(map(str, told)) + " |")
            failures = ", ".join(f"{reason} {n}" for reason, n in sorted(part["failures"][kind].items(), key=lambda x: (-x[1], x[0])))
            why.append(f"| {method} | {seed} | {name} | {kind} | {failures} |")
    text = "\n".join([*lines, "", *why]) + "\n"
    write_json(out / "results.json", results)
    write_atomic(out / "RESULTS.md", lambda f: f.write(text.encode()))
    return text


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


__all__ = ["METHODS", "PRESETS", "add_arguments", "main"]
