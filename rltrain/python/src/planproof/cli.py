"""``planproof-score``: scores JSON Lines through the client, as a trainer would."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Iterable

from . import Client, PlanproofError, __version__
from ._adapt import read_json
from .schema import READERS, Answer


def main(argv: list[str] | None = None) -> int:
    """Exit codes as planproof: 0 all scored, 2 bad input, 3 something has no score."""
    parser = argparse.ArgumentParser(
        prog="planproof-score",
        description='Scores lines {"task": ..., "completion": ...} and prints one line for each.',
        epilog="example: planproof-score --spec process answers.jsonl > scores.jsonl",
    )
    parser.add_argument("file", nargs="?", default="-", help="JSON Lines; standard input if absent or -")
    parser.add_argument("--url", help="of an oracle; else $PLANPROOF_URL; else a child process")
    parser.add_argument("--spec", help="reward; the oracle's default if absent")
    parser.add_argument("--reader", choices=READERS, help="how answers are read where a line does not say; the oracle's default, strict, if absent")
    parser.add_argument("--task", help="task of lines that name none")
    parser.add_argument("--tasks", help="file of tasks for the child process")
    parser.add_argument("--version", action="version", version=__version__)
    args = parser.parse_args(argv)
    try:
        with Client(args.url, spec=args.spec, reader=args.reader, tasks=args.tasks, on_error="none") as client:
            if args.file == "-":
                return _run(client, sys.stdin, args.task)
            with open(args.file, encoding="utf-8") as lines:
                return _run(client, lines, args.task)
    except (PlanproofError, OSError, ValueError, TypeError) as err:
        print(f"planproof-score: {err}", file=sys.stderr)
        return 2


def _run(client: Client, lines: Iterable[str], task: str | None) -> int:
    code = 0
    batch: list[Answer] = []

    def flush() -> None:
        nonlocal code
        for result in client.score(batch, task=task):
            code = code if result.ok else 3
            print(json.dumps(result.raw))
        batch.clear()

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except ValueError as err:
            raise ValueError(f"line {number}: {err}") from None
        if not isinstance(row, dict):
            raise ValueError(f"line {number}: not an object")
        if "completion" not in row and "response" in row:
            row["completion"] = row["response"]
        batch.append(row)
        if len(batch) == 1024:
            flush()
    if batch:
        flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
