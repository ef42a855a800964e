"""The whole comparison by one command: data, SFT, and from the same SFT start RFT, CARL, the
process reward, DPO, CA-DPO and PPO, over several seeds; then held-out tasks and structures.

::

    planproof export ─► data/*          one after the other, each only if it is missing
    sft-0 ─► rft-0, carl-0, ... ─► eval/rft-0.json, ...      ``jobs`` processes at a time
    sft-1 ─► ...
    results.json, RESULTS.md, curves.svg                     of what eval/ and runs/ have

A folder holds one experiment: it is gone on with, or refused for other settings.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Mapping, Sequence

from ..binary import find_binary
from . import curves, report
from .config import ConfigError
from .jobs import Job, JobFailed, run
from .stats import mean, spread
from .presets import KINDS, PRESETS, add_options, check, merge, with_sets
from .state import write_atomic, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_options(parser, PRESETS, "; ".join(f"{k}: {v['doc']}" for k, v in PRESETS.items()), 'rl.steps=60 or methods=["sft","rft","carl"]')
    parser.add_argument("--config", metavar="FILE", help="JSON with settings instead of the preset's")
    parser.add_argument("--pretrained", metavar="PATH", help="the presets pretrained*: the language model to begin with, as for sft")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--minutes", type=float, help="end in time, with what is done; the same command goes on")


def main(args: argparse.Namespace) -> int:
    """Runs what is missing and writes the report. 0: done; 3: the time was over before."""
    out = Path(args.output)
    settings = settings_of(args)
    began = time.monotonic()
    prepare(out, settings)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that running jobs are ended, too
    make_data(out, settings)
    until = began + 60 * args.minutes if args.minutes else None
    code = 0
    jobs = plan(out, settings)
    took: dict[str, float] = {}
    failed: JobFailed | None = None
    try:
        run(jobs, out / "logs", took, workers=args.jobs, environment=_environment(), until=until)
    except TimeoutError as err:
        print(err, file=sys.stderr)
        code = 3
    except JobFailed as err:
        failed = err  # the others' results are still worth a report
    note_times(out, took, time.monotonic() - began)
    for job in jobs:
        if job.cut:
            print(f"{job.name}: cut off at its last checkpoint, {job.seconds} s after it began", file=sys.stderr)
    if write_report(out, settings):
        print((out / "RESULTS.md").read_text(encoding="utf-8"))
    if failed is not None:
        raise failed
    return code


def settings_of(args: argparse.Namespace) -> dict[str, Any]:
    """The preset's settings, changed by a file and by NAME=VALUE."""
    settings = merge({}, PRESETS[args.preset]["settings"])
    if args.config:
        try:
            given = json.loads(Path(args.config).read_text(encoding="utf-8"))
        except (OSError, ValueError) as err:
            raise ConfigError(f"{args.config}: {err}") from None
        if not isinstance(given, dict):
            raise ConfigError(f"{args.config}: no JSON object")
        settings = merge(settings, given)
    settings = with_sets(settings, args.set)
    if args.pretrained:
        settings["pretrained"] = os.path.abspath(args.pretrained)
    if settings["pretrained"] == "PATH":
        raise ConfigError(f"--preset {args.preset}: --pretrained PATH says with which language model it begins")
    check(settings)
    return settings


def prepare(out: Path, settings: Mapping[str, Any]) -> None:
    """Makes the folder, or refuses one of other settings."""
    path = out / "experiment.json"
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if before != json.loads(json.dumps(settings)):
            changed = sorted(k for k in before.keys() | settings.keys() if before.get(k) != settings.get(k))
            raise ConfigError(f"{out}: this experiment began with other settings ({', '.join(changed)}): use another folder")
        return
    out.mkdir(parents=True, exist_ok=True)
    write_json(path, settings)


def make_data(out: Path, settings: Mapping[str, Any]) -> None:
    """Makes the data sets that are missing, by ``planproof export``: those with {seed} in their
    name once for each seed, so that every seed has a split of its own. ``{data}`` is the folder of all."""
    sets = {_of(name, seed): [_of(word, seed).replace("{data}", str(out / "data")) for word in arguments] for name, arguments in settings["data"].items() for seed in settings["seeds"]}
    for name, arguments in sets.items():
        folder = out / "data" / name
        if (folder / "manifest.json").exists():
            continue
        folder.parent.mkdir(parents=True, exist_ok=True)
        command = [find_binary(None), "export", *arguments, "-o", str(folder)]
        print("data: planproof " + " ".join(command[1:]), file=sys.stderr, flush=True)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise ConfigError(f"data {name}: {' '.join(command)} ended with {done.returncode}:\n{done.stderr.rstrip()}")


def _of(text: str, seed: int) -> str:
    return text.replace("{seed}", str(seed))


def data_file(out: Path, where: str, seed: int) -> Path:
    """The file of a split: "train/val" is the split val of the data set train."""
    name, _, split = _of(where, seed).partition("/")
    return out / "data" / name / f"{split}.jsonl"


def plan(out: Path, settings: Mapping[str, Any]) -> list[Job]:
    """The jobs: by seed, the start, then the methods, then the evaluations; a method of all
    seeds comes before the next, so that what is done when the time is over is comparable."""
    jobs = []
    methods = settings["methods"]
    for method in methods:
        for seed in settings["seeds"]:
            jobs += [_training(out, settings, method, seed), _evaluation(out, settings, method, seed)]
    return jobs


def _run_folder(out: Path, method: str, seed: int) -> Path:
    return out / "runs" / f"{method}-{seed}"


def _training(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> Job:
    folder = _run_folder(out, method, seed)
    train = str(data_file(out, settings["train"], seed))
    values = {**settings["common"], "seed": seed}
    kind = KINDS[method]
    if kind == "sft":
        more = settings["more"] if method != "more-sft" else ()  # which is compared with rules that learn from "train"
        files = [train, *(str(data_file(out, where, seed)) for where in more)]
        command = ["sft", *(word for file in files for word in ("--data", file)), "--out", str(folder)]
        if method == "more-sft":
            command += ["--start", str(_run_folder(out, "sft", seed))]
        elif settings["pretrained"]:
            command += ["--pretrained", settings["pretrained"], *_sets("--pretrained-set", settings["model"])]
        else:
            for where in settings["sets"].values():  # every word of the tests is in the vocabulary
                command += ["--words", str(data_file(out, where, seed))]
            command += _sets("--model", settings["model"])
    else:
        command = [kind, "--data", train, "--start", str(_run_folder(out, "sft", seed)), "--out", str(folder)]
        if kind == "rl":
            command += ["--probe", str(data_file(out, settings["probe"], seed))]
    values.update(settings[kind])
    values.update(settings.get("changes", {}).get(method, {}))
    after = () if kind == "sft" and method != "more-sft" else (f"sft-{seed}",)
    limit = settings["limits"].get(command[0])
    return Job(f"{method}-{seed}", _python(*command, *_sets("--set", values)), folder / "model.pt", after,
               limit, folder / "checkpoint.pt" if limit else None)


def _evaluation(out: Path, settings: Mapping[str, Any], method: str, seed: int) -> Job:
    result = out / "eval" / f"{method}-{seed}.json"
    command = ["evaluate", "--model", str(_run_folder(out, method, seed)), "-o", str(result), "--seed", str(seed)]
    for name, where in settings["sets"].items():
        command += ["--data", f"{name}={data_file(out, where, seed)}"]
    for name, value in settings["evaluate"].items():
        command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return Job(f"eval-{method}-{seed}", _python(*command), result, (f"{method}-{seed}",), settings["limits"].get("evaluate"))


def _environment() -> dict[str, str]:
    """One thread a process, and this very package, installed or not."""
    places = [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(places)}


def _python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-W", "ignore", "-m", "planproof.reftrain", *arguments)


def _sets(option: str, values: Mapping[str, Any]) -> list[str]:
    return [word for name, value in values.items() for word in (option, f"{name}={json.dumps(value)}")]


def note_times(out: Path, took: Mapping[str, float], whole: float) -> None:
    """Adds the seconds of jobs to timing.json, apart from the results, which are repeatable."""
    path = out / "timing.json"
    before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"jobs": {}, "wall": 0.0}
    write_json(path, {"jobs": {**before["jobs"], **took}, "wall": before["wall"] + whole})


def write_report(out: Path, settings: Mapping[str, Any]) -> bool:
    """Writes results.json, RESULTS.md and curves.svg of the evaluations that are there; False if none is."""
    runs: dict[str, dict[int, dict[str, Any]]] = {}
    answers: dict[str, dict[int, dict[str, list[dict[str, Any]]]]] = {}
    for method in settings["methods"]:
        for seed in settings["seeds"]:
            path = out / "eval" / f"{method}-{seed}.json"
            if path.exists():
                sets = json.loads(path.read_text(encoding="utf-8"))["sets"]
                runs.setdefault(method, {})[seed] = {name: s["summary"] for name, s in sets.items()}
                answers.setdefault(method, {})[seed] = {name: s["answers"] for name, s in sets.items()}
    if not runs:
        return False
    found = {**report.results(settings, runs, answers), "along": _along(out, settings)}
    write_json(out / "results.json", found)
    text = report.markdown(found, settings["about"])
    write_atomic(out / "RESULTS.md", lambda f: f.write(text.encode()))
    picture = figure(out, settings)
    if picture:
        write_atomic(out / "curves.svg", lambda f: f.write(picture.encode()))
    return True


def _along(out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of methods that sample as they learn, what the first and the last tenth of their steps were like: the spread over seeds."""
    along: dict[str, Any] = {}
    for method in settings["methods"]:
        files = [path for seed in settings["seeds"] if (path := _run_folder(out, method, seed) / "metrics.csv").exists()]
        if KINDS[method] != "rl" or not files:
            continue
        columns = {key: [[y for _, y in curves.read_csv(file, "step", key)] for file in files] for key, _, _ in report.ALONG}
        along[method] = {key: [spread([mean(part) for ys in runs if (part := ys[:_tenth(ys)] if first else ys[-_tenth(ys):])]) for first in (True, False)]
                         for key, runs in columns.items()}
    return along


def _tenth(values: Sequence[Any]) -> int:
    """How many a tenth of some values are, at least one."""
    return max(1, len(values) // 10)


#: What is drawn: column of metrics.csv, title, label, range of the axis.
PANELS = (
    ("valid", "Sampled answers on training tasks", "share that is valid", (0.0, 1.0)),
    ("probe_valid", "Greedy answers on fresh tasks", "share that is valid", (0.0, 1.0)),
    ("violations", "Forbidden steps", "share of sampled answers with one", None),
    ("carl_kl", "Attention to constraints", "CARL's term, nats a token", None),
)


def figure(out: Path, settings: Mapping[str, Any], smooth: int = 10) -> str | None:
    """The curves of the methods that learn by reinforcement; None while there are none."""
    panels = []
    for column, title, label, limits in PANELS:
        lines: dict[str, list[Any]] = {}
        for method in settings["methods"]:
            for seed in settings["seeds"]:
                path = _run_folder(out, method, seed) / "metrics.csv"
                if KINDS[method] == "rl" and path.exists():
                    points = curves.read_csv(path, "step", column)
                    if points:
                        lines.setdefault(report.LABELS.get(method, method), []).append(points)
        if lines:
            panels.append(curves.Panel(title, "step", label, lines, limits, 1 if column.startswith("probe") else smooth))
    if not panels:
        return None
    return curves.svg(panels, title=f"From the same SFT start: mean and range over {len(settings['seeds'])} seeds")


__all__ = ["add_arguments", "figure", "main", "plan", "write_report"]
