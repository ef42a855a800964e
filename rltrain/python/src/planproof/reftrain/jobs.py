"""Jobs of an experiment: processes that depend on each other, a few at a time.

A job is done when its file is there, so an experiment that was killed goes on with what is
missing; a job that was killed itself goes on from its checkpoint. Standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping, Sequence

from ..errors import PlanproofError


class JobFailed(PlanproofError):
    """A job ended without its result; the message has the end of its log."""


@dataclass(frozen=True)
class Job:
    """A process. ``makes`` is there, complete, exactly when the job is done; ``after`` names
    the jobs whose results it reads."""

    name: str
    command: tuple[str, ...]
    makes: Path
    after: tuple[str, ...] = ()


def run(jobs: Sequence[Job], logs: Path, *, workers: int = 2, environment: Mapping[str, str] | None = None,
        tell: Callable[[str], None] | None = None, until: float | None = None) -> dict[str, float]:
    """Runs what is not done, earlier jobs first, and returns the seconds each took.

    After a failure, or at the time ``until`` (of time.monotonic), no job begins, and JobFailed
    or TimeoutError is raised; at that time, and when this process is interrupted, running jobs
    are told to end and can be gone on with later.
    """
    known = {job.name for job in jobs}
    if len(known) < len(jobs) or any(name not in known for job in jobs for name in job.after):
        raise ValueError("two jobs have one name, or a job depends on one that is not there")
    logs.mkdir(parents=True, exist_ok=True)
    tell = tell or (lambda line: print(line, file=sys.stderr, flush=True))
    waiting = [job for job in jobs if not job.makes.exists()]
    finished = known - {job.name for job in waiting}
    running: dict[str, tuple[Job, subprocess.Popen, float]] = {}
    seconds: dict[str, float] = {}
    failed: Job | None = None
    try:
        while running or waiting and failed is None:
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"the time is over: {len(finished)} of {len(jobs)} jobs are done; the same command goes on")
            for name, (job, process, began) in list(running.items()):
                if process.poll() is None:
                    continue
                del running[name]
                seconds[name] = time.monotonic() - began
                if process.returncode == 0 and job.makes.exists():
                    finished.add(name)
                    tell(f"[{len(finished)}/{len(jobs)}] {name}: {seconds[name]:.1f} s")
                else:
                    failed = failed or job
            ready = [job for job in waiting if finished.issuperset(job.after)]
            while failed is None and ready and len(running) < workers:
                job = ready.pop(0)
                waiting.remove(job)
                running[job.name] = job, _start(job, logs, environment), time.monotonic()
            if waiting and not running and failed is None and not any(finished.issuperset(job.after) for job in waiting):
                raise ValueError(f"jobs that wait for each other: {', '.join(job.name for job in waiting)}")
            time.sleep(0.05)
    finally:
        for _, process, _ in running.values():
            process.terminate()
        for _, process, _ in running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    if failed is not None:
        log = logs / f"{failed.name}.log"
        end = log.read_text(encoding="utf-8", errors="replace").rstrip().split("\n")[-15:]
        raise JobFailed("\n".join([f"{failed.name} failed: {' '.join(failed.command)}", f"the end of {log}:", *end]))
    return seconds


def _start(job: Job, logs: Path, environment: Mapping[str, str] | None) -> subprocess.Popen:
    with open(logs / f"{job.name}.log", "a", encoding="utf-8") as log:
        return subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(environment or {})})


__all__ = ["Job", "JobFailed", "run"]
