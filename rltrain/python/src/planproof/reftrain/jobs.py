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
    the jobs whose results it reads. A job that takes longer than ``seconds`` is told to end
    (SIGTERM), and counts as done if it leaves ``partial``, its last checkpoint."""

    name: str
    command: tuple[str, ...]
    makes: Path
    after: tuple[str, ...] = ()
    seconds: float | None = None
    partial: Path | None = None

    @property
    def cut(self) -> bool:
        """Whether its time was over before it was done."""
        return not self.makes.exists() and self.partial is not None and self.partial.with_suffix(".cut").exists()


def run(jobs: Sequence[Job], logs: Path, seconds: dict[str, float], *, workers: int = 2,
        environment: Mapping[str, str] | None = None, tell: Callable[[str], None] | None = None, until: float | None = None) -> None:
    """Runs what is not done, earlier jobs first, and notes the seconds that each took.

    What depends on a job that failed is left out, the rest is done, and then JobFailed is
    raised. At the time ``until`` (of time.monotonic), or when this process is interrupted,
    running jobs are told to end and can be gone on with later; then it raises TimeoutError.
    """
    known = {job.name for job in jobs}
    if len(known) < len(jobs) or any(name not in known for job in jobs for name in job.after):
        raise ValueError("two jobs have one name, or a job depends on one that is not there")
    logs.mkdir(parents=True, exist_ok=True)
    tell = tell or (lambda line: print(line, file=sys.stderr, flush=True))
    waiting = [job for job in jobs if not job.makes.exists() and not job.cut]
    finished = known - {job.name for job in waiting}
    running: dict[str, tuple[Job, subprocess.Popen[bytes], float]] = {}
    failed: list[Job] = []
    try:
        while True:
            if until is not None and time.monotonic() >= until and (waiting or running):
                raise TimeoutError(f"the time is over: {len(finished)} of {len(jobs)} jobs are done; the same command goes on")
            for name, (job, process, began) in list(running.items()):
                late = job.seconds is not None and time.monotonic() - began > job.seconds
                if process.poll() is None and not late:
                    continue
                del running[name]
                if process.poll() is None:
                    _end([process])
                    if not job.makes.exists() and job.partial is not None and job.partial.exists():
                        job.partial.with_suffix(".cut").touch()
                seconds[name] = time.monotonic() - began
                if process.returncode == 0 and job.makes.exists() or job.cut:
                    finished.add(name)
                    tell(f"[{len(finished)}/{len(jobs)}] {name}: {seconds[name]:.1f} s" + ", its time was over" * job.cut)
                else:
                    failed.append(job)
                    tell(f"{name} failed: see {logs / name}.log")
            ready = [job for job in waiting if finished.issuperset(job.after)]
            while ready and len(running) < workers:
                job = ready.pop(0)
                waiting.remove(job)
                running[job.name] = job, _start(job, logs, environment), time.monotonic()
            if not running:
                break
            time.sleep(0.05)
    finally:
        _end([process for _, process, _ in running.values()])
    if failed:
        raise JobFailed("\n".join(_told(job, logs) for job in failed))
    if waiting:
        raise ValueError(f"jobs that wait for each other: {', '.join(job.name for job in waiting)}")


def _told(job: Job, logs: Path) -> str:
    log = logs / f"{job.name}.log"
    end = log.read_text(encoding="utf-8", errors="replace").rstrip().split("\n")[-15:]
    return "\n".join([f"{job.name} failed: {' '.join(job.command)}", f"the end of {log}:", *end])


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start(job: Job, logs: Path, environment: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    with open(logs / f"{job.name}.log", "a", encoding="utf-8") as log:
        return subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(environment or {})})


__all__ = ["Job", "JobFailed", "run"]
