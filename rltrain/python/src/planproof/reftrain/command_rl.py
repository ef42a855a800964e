"""``python -m planproof.reftrain rl``."""

from __future__ import annotations

import argparse

from .config import RLConfig, read_config
from .data import read
from .rl import run_rl
from .start import add_start, start_of
from .state import file_sum


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--data", required=True, metavar="FILE", help="rows of planproof export --format jsonl")
    parser.add_argument("--split", help="take the rows of this split only")
    add_start(parser, "--start", "folder of the run whose model is trained on, or a model.pt")
    parser.add_argument("--out", required=True, metavar="DIR", help="the run's folder")
    parser.add_argument("--probe", metavar="FILE", help="rows that are not trained on, to watch the run by")
    parser.add_argument("--config", metavar="FILE", help="JSON with settings")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting, such as alpha=0.001 or algorithm=ppo")


def main(args: argparse.Namespace) -> int:
    """Trains."""
    config = read_config(RLConfig, args.config, args.set)
    rows = read(args.data, split=args.split)
    probe = read(args.probe) if args.probe else []
    start, total = start_of(args)
    identity = {"data": file_sum(args.data), "split": args.split, "start": total,
                "probe": file_sum(args.probe) if args.probe else None}
    run_rl(start, rows, args.out, config, probe=probe, path=args.data, identity=identity)
    return 0
