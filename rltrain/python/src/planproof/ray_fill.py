"""``truth fill`` on a Ray cluster: a store of optimal costs and plans, filled by many machines.

::

    python -m planproof.ray_fill tasks/ --store truth.db --time 60s

The tasks are split by the keys of the store (``planproof truth split``), so that nothing is solved
twice. Each shard is solved by a Ray task in a store of its own, and its rows are imported when it
is done. A worker or machine that dies loses at most the shards that it was working on, which Ray
gives to others. If the driver dies, the same command goes on: what the store has is left out.

Ray is imported by `fill` only. Workers need the ``planproof`` package, and Linux or macOS.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Sequence

from .binary import find_binary
from .errors import PlanproofError

#: How often Ray does a shard again whose worker or machine has died.
RETRIES = 10


@dataclass
class Filled:
    """What a fill did. rows: those that the shards had; known: rows that the store had before;
    by_status: rows by the status in docs/TRUTH.md; errors: inputs that could not be read."""

    rows: int = 0
    known: int = 0
    errors: int = 0
    by_status: dict[str, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Reports whether every row has an answer."""
        return not self.errors and set(self.by_status) <= {"solved-optimally", "unsolvable"}


def fill(inputs: Sequence[str], store: str, *, shards: int = 0, schedules: Sequence[str] = (), search: str | None = None, time: str = "60s",
         memory: str = "2GB", nodes: int = 0, binary: str | None = None, progress: bool = False) -> Filled:
    """Fills ``store`` with the tasks of ``inputs``, which are as in ``planproof truth fill``, on the
    cluster that Ray is connected to, or on this machine. The limits are those of one task.

    shards: Ray tasks, one processor each; 0 means eight per processor of the cluster, at most 1,000. What
    a worker has done for a shard is lost with the worker, so more shards lose less.
    """
    import ray

    program = find_binary(binary)
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False)
    shards = shards or max(1, min(1000, 8 * int(ray.cluster_resources().get("CPU", 1))))
    settings = ["--time", time, "--memory", memory, "--nodes", str(nodes), *(["--search", search] if search else [])]
    solve = ray.remote(num_cpus=1, max_retries=RETRIES)(solve_shard)
    out = Filled()
    with tempfile.TemporaryDirectory(prefix="planproof-shards-") as folder:
        argv = [program, "truth", "split", *inputs, "--shards", str(shards), "-o", folder, "--json"]
        argv += [word for s in schedules for word in ("--schedule", s)] + (["--store", store] if os.path.exists(store) else [])
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        split = json.loads(done.stdout or "{}")
        if "rows" not in split:
            raise PlanproofError(split.get("error") or f"planproof truth split ended with {done.returncode}")
        out.known, out.errors = split["known"], split["errors"]
        waiting = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as f:
                waiting.append(solve.remote(f.read(), settings, binary))
    total = len(waiting)
    while waiting:
        (ready,), waiting = ray.wait(waiting, num_returns=1)
        rows, statuses = ray.get(ready)
        imported = subprocess.run([program, "truth", "import", "-", "--store", store, "--json"], input=rows, capture_output=True)
        if imported.returncode != 0:
            raise PlanproofError(f"planproof truth import ended with {imported.returncode}: {imported.stderr.decode(errors='replace').strip()[-2000:]}")
        for status, n in statuses.items():
            out.rows += n
            out.by_status[status] = out.by_status.get(status, 0) + n
        if progress:  # a carriage return, since the line is written again
            print(f"\r{total - len(waiting)} of {total} shards, {out.rows} rows", end="" if waiting else "\n", file=sys.stderr, flush=True)
    return out


def solve_shard(rows: bytes, settings: Sequence[str], binary: str | None) -> tuple[bytes, dict[str, int]]:
    """Solves the rows of one shard in a store of its own. Returns its export, and its rows by status."""
    program = find_binary(binary)
    with tempfile.TemporaryDirectory(prefix="planproof-shard-") as folder:
        store = os.path.join(folder, "truth.db")
        done = subprocess.run([program, "truth", "fill", "-", "--store", store, "--jobs", "1", "--json", *settings], input=rows, capture_output=True,
                              preexec_fn=_end_with_parent)
        said = done.stderr.decode(errors="replace").strip()[-2000:]
        if done.returncode not in (0, 2, 3) or not done.stdout.strip():
            raise PlanproofError(f"planproof truth fill ended with {done.returncode}: {said}")
        counts: dict[str, Any] = json.loads(done.stdout)
        if counts["interrupted"] or counts["errors"]:
            raise PlanproofError(f"planproof truth fill did not do its whole shard: {said}")
        export = subprocess.run([program, "truth", "export", "--store", store], capture_output=True)
        if export.returncode != 0:
            raise PlanproofError(f"planproof truth export ended with {export.returncode}: {export.stderr.decode(errors='replace').strip()[-2000:]}")
    return export.stdout, counts["by_status"]


def _end_with_parent() -> None:
    """On Linux, has this process killed when its worker dies, since nobody would take its answer."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main(argv: Sequence[str] | None = None) -> int:
    """The command. Exit codes: 0 every row has an answer; 2 some input could not be read, or the fill failed; 3 a limit ended some rows."""
    parser = argparse.ArgumentParser(prog="python -m planproof.ray_fill", description="Fills a store of ground truth on a Ray cluster.")
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="as for planproof truth fill")
    parser.add_argument("--store", default=os.environ.get("PLANPROOF_TRUTH", "truth.db"), help="the store's file (default: truth.db)")
    parser.add_argument("--address", help="the cluster's address, such as auto; without it, this machine")
    parser.add_argument("--shards", type=int, default=0, help="Ray tasks to split into (default: eight per processor)")
    parser.add_argument("--schedule", action="append", default=[], help="cost schedule; may be repeated")
    parser.add_argument("--search", help="search string (default: auto())")
    parser.add_argument("--time", default="60s", help="limit for one row (default: 60s)")
    parser.add_argument("--memory", default="2GB", help="limit for one row (default: 2GB)")
    parser.add_argument("--nodes", type=int, default=0, help="limit for one row")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    try:
        import ray
    except ImportError:
        print("planproof.ray_fill needs Ray: pip install 'planproof[ray]'", file=sys.stderr)
        return 2
    ray.init(address=args.address, include_dashboard=False, log_to_driver=False)
    try:
        done = fill(args.inputs, args.store, shards=args.shards, schedules=args.schedule, search=args.search, time=args.time, memory=args.memory,
                    nodes=args.nodes, progress=sys.stderr.isatty())
    except PlanproofError as err:
        print(f"planproof.ray_fill: {err}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps({"rows": done.rows, "known": done.known, "errors": done.errors, "by_status": done.by_status}, sort_keys=True))
    else:
        print(f"{done.rows} rows in {args.store} ({done.known} known before, {done.errors} unreadable inputs)")
        for status, n in sorted(done.by_status.items()):
            print(f"  {status:18} {n}")
    return 2 if done.errors or "unsupported" in done.by_status else 0 if done.complete else 3


if __name__ == "__main__":
    sys.exit(main())
