#!/usr/bin/env python3
"""Measures scoring end to end: lists of strings in, results out, through the client.

    python3 bench.py --binary ../../planproof [--rounds 15] [--items 4096] [--spec valid] [--requests 0]

Prints one JSON object for each transport: elapsed milliseconds (median, 95 %, least), the CPU
milliseconds of the client and of the oracle for one call and, over HTTP, which share of them
reading and judging takes (its workers' elapsed time: of use only where nothing else runs, or ahead
of everything else by chrt -r 1). With --requests the same for so many requests of one response each, on
four threads, over HTTP: requests a second, and the memory of both before and after.
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
import urllib.request
from concurrent.futures import ThreadPoolExecutor
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


def judging(url: str) -> float:
    """Seconds that an oracle's workers have spent on reading and judging so far."""
    with urllib.request.urlopen(url + "/metrics", timeout=10) as reply:
        for line in reply.read().decode().splitlines():
            if line.startswith("planproof_oracle_judge_seconds_total"):
                return float(line.rsplit(" ", 1)[1])
    raise SystemExit("the oracle's metrics do not tell how long it judged")


def resident(pid: int | str) -> float:
    """Resident megabytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def many(client: Client, items: list, requests: int, pid: int) -> dict:
    """Sends requests of one response each from four threads."""
    want = [r.score for r in client.score(items)]

    def work(part: int, count: int) -> int:
        wrong = 0
        for k in range(part, count, 4):
            wrong += client.score([items[k % len(items)]])[0].score != want[k % len(items)]
        return wrong

    def spread(count: int) -> int:
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(work, range(4), [count] * 4))

    spread(min(requests, 20_000))
    before, start = (resident("self"), resident(pid)), time.perf_counter()
    wrong = spread(requests)
    seconds = time.perf_counter() - start
    return {
        "requests": requests, "wrong": wrong, "per_second": round(requests / seconds), "seconds": round(seconds, 1),
        "client_mb": [round(before[0], 1), round(resident("self"), 1)], "oracle_mb": [round(before[1], 1), round(resident(pid), 1)],
    }


def measure(name: str, client: Client, items: list, rounds: int, pid, judged=lambda: 0.0) -> dict:
    """Times rounds of one call after three to warm up."""
    first = client.score(items)
    for _ in range(2):
        client.score(items)
    elapsed, mine, theirs, judge = [], resource.getrusage(resource.RUSAGE_SELF), cpu_of(pid()), judged()
    for _ in range(rounds):
        start = time.perf_counter()
        got = client.score(items)
        elapsed.append((time.perf_counter() - start) * 1000)
    end = resource.getrusage(resource.RUSAGE_SELF)
    assert [r.score for r in got] == [r.score for r in first]
    mean = lambda s: round(s * 1000 / rounds, 1)  # noqa: E731
    elapsed.sort()
    client_cpu, oracle_cpu, judge = end.ru_utime + end.ru_stime - mine.ru_utime - mine.ru_stime, cpu_of(pid()) - theirs, judged() - judge
    shares = {"judging_ms": mean(judge), "judging_share": round(judge / (client_cpu + oracle_cpu), 2)} if judge else {}
    return {
        "transport": name, "items": len(items), "bytes": sum(len(c) for _, c in items), "valid": sum(r.valid for r in got),
        "rounds": rounds, "median_ms": round(statistics.median(elapsed), 1),
        "p95_ms": round(elapsed[min(rounds - 1, int(rounds * 0.95))], 1), "least_ms": round(elapsed[0], 1),
        "client_cpu_ms": mean(client_cpu), "oracle_cpu_ms": mean(oracle_cpu), **shares,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--items", type=int, default=4096)
    parser.add_argument("--spec", default="valid")
    parser.add_argument("--requests", type=int, default=0)
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
            url = f"http://127.0.0.1:{port}"
            print(json.dumps(measure("http", client, items, args.rounds, lambda: oracle.pid, lambda: judging(url))), flush=True)
            if args.requests:
                print(json.dumps(many(client, items, args.requests, oracle.pid)))
    finally:
        oracle.kill()
        oracle.wait()


if __name__ == "__main__":
    main()
