#!/usr/bin/env python3
"""Measures scoring end to end: lists of strings in, results out, through the client.

    python3 bench.py --binary ../../planproof [--rounds 15] [--items 4096] [--spec valid]

Prints one JSON object for each transport: elapsed milliseconds (median, 95 %, least) and the
CPU milliseconds of the client and of the oracle for one call.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from planproof import Client  # noqa: E402


def gold_plan(binary: str, task: str) -> list[str]:
    """An optimal plan."""
    out = subprocess.run([binary, "solve", task, "--json"], capture_output=True, check=True)
    return json.loads(out.stdout)["plan"]


def completions(binary: str, count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Answers of about 1 KB to 64 tasks, as a group-relative trainer has them: thoughts
    and a plan, half of them right."""
    rng = random.Random(seed)
    words = "the block is clear so I can move it onto the table and then stack what is left".split()
    tasks = [f"blocksworld:4-{rng.randint(1, 5256)}" for _ in range(64)]
    gold = [gold_plan(binary, task) for task in tasks]
    out = []
    for i in range(count):
        steps = list(gold[i % 64]) if rng.random() < 0.5 else []
        for _ in range(0 if steps else rng.randint(2, 10)):
            a, b = rng.sample("abcd", 2)
            steps.append(rng.choice([f"(pick-up {a})", f"(unstack {a} {b})", f"(put-down {a})", f"(stack {a} {b})"]))
        plan = "\n".join(steps)
        thought = " ".join(rng.choices(words, k=(960 - len(plan)) * len(words) // len(" ".join(words))))
        out.append((tasks[i % 64], f"<think>{thought}</think>\n<plan>\n{plan}\n</plan>"))
    return out


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(name: str, client: Client, items: list, rounds: int, pid) -> dict:
    """Times rounds of one call after three to warm up."""
    first = client.score(items)
    for _ in range(2):
        client.score(items)
    elapsed, mine, theirs = [], resource.getrusage(resource.RUSAGE_SELF), cpu_of(pid())
    for _ in range(rounds):
        start = time.perf_counter()
        got = client.score(items)
        elapsed.append((time.perf_counter() - start) * 1000)
    end = resource.getrusage(resource.RUSAGE_SELF)
    assert [r.score for r in got] == [r.score for r in first]
    mean = lambda s: round(s * 1000 / rounds, 1)  # noqa: E731
    elapsed.sort()
    return {
        "transport": name, "items": len(items), "bytes": sum(len(c) for _, c in items), "valid": sum(r.valid for r in got),
        "rounds": rounds, "median_ms": round(statistics.median(elapsed), 1),
        "p95_ms": round(elapsed[min(rounds - 1, int(rounds * 0.95))], 1), "least_ms": round(elapsed[0], 1),
        "client_cpu_ms": mean(end.ru_utime + end.ru_stime - mine.ru_utime - mine.ru_stime), "oracle_cpu_ms": mean(cpu_of(pid()) - theirs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--items", type=int, default=4096)
    parser.add_argument("--spec", default="valid")
    args = parser.parse_args()
    items = completions(args.binary, args.items)
    with Client(binary=args.binary, spec=args.spec) as client:
        print(json.dumps(measure("stdio", client, items, args.rounds, lambda: client._transport.pid)), flush=True)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    oracle = subprocess.Popen([args.binary, "oracle", "--listen", f"127.0.0.1:{port}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with Client(f"http://127.0.0.1:{port}", spec=args.spec) as client:
            print(json.dumps(measure("http", client, items, args.rounds, lambda: oracle.pid)))
    finally:
        oracle.kill()
        oracle.wait()


if __name__ == "__main__":
    main()
