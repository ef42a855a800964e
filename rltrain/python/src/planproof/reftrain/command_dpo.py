"""``python -m planproof.reftrain dpo``."""

from __future__ import annotations

import argparse

from .config import DPOConfig, read_config
from .data import read
from .dpo import run_dpo
from .start import add_start, start_of
from .state import file_sum


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--data", required=True, metavar="FILE", help="rows of planproof export --format jsonl, whose prompts are answered to make pairs")
    parser.add_argument("--split", help="take the rows of this split only")
    add_start(parser, "--start", "folder of the run whose model is trained on, or a model.pt")
    parser.add_argument("--out", required=True, metavar="DIR", help="the run's folder; a pairs.jsonl that is there is used")
    parser.add_argument("--config", metavar="FILE", help="JSON with settings")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting, such as rule=ca-dpo or beta=0.1")


def main(args: argparse.Namespace) -> int:
    """Trains."""
    config = read_config(DPOConfig, args.config, args.set)
    need = ["prompt_unconstrained"] if config.rule == "ca-dpo" else []
    rows = read(args.data, split=args.split, need=need)
    start, total = start_of(args)
    run_dpo(start, rows, args.out, config, {
        "data": file_sum(args.data), "split": args.split, "start": total})
    return 0
