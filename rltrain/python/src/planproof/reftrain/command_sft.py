"""``python -m planproof.reftrain sft``."""

from __future__ import annotations

import argparse

from .config import ConfigError, ModelConfig, SFTConfig, make, parse_sets, read_config
from .data import read
from .sft import run_sft, vocabulary
from .start import add_start, start_of
from .state import file_sum
from .traces import with_thoughts

NAMES_HELP = "words that must be in the vocabulary besides: names of objects of later tasks, with commas between"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--data", required=True, action="append", metavar="FILE", help="rows of planproof export --format jsonl; may be given several times")
    parser.add_argument("--split", help="take the rows of this split only")
    parser.add_argument("--out", required=True, metavar="DIR", help="the run's folder")
    add_start(parser, "--start", "go on from the model of this run, with its words, instead of from random weights", required=False)
    parser.add_argument("--words", action="append", default=[], metavar="FILE", help="rows whose words must be in the vocabulary, too")
    parser.add_argument("--names", default="", help=NAMES_HELP)
    parser.add_argument("--config", metavar="FILE", help="JSON with settings")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=VALUE", help="one setting of the model: width, layers, heads, context")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting of the training")


def main(args: argparse.Namespace) -> int:
    """Trains."""
    config = read_config(SFTConfig, args.config, args.set)
    rows = [row for path in args.data for row in with_thoughts(read(path, split=args.split, need=["answer"]), path, config.thoughts)]
    sums = [file_sum(path) for path in args.data]
    identity = {"data": sums if len(sums) > 1 else sums[0], "split": args.split}
    if args.start or args.pretrained:
        if args.words or args.names or args.model:
            raise ConfigError("--start and --pretrained have a model and its words: --words, --names and --model are for new ones")
        start, total = start_of(args, slots=config.slots)
        run_sft(rows, None, args.out, config, identity={**identity, "start": total}, start=start)
        return 0
    model = make(ModelConfig, parse_sets(args.model), "--model")
    more = [row for path in args.words for row in read(path)]
    tokenizer = vocabulary(rows, more, [name.strip() for name in args.names.split(",") if name.strip()], config.slots, config.whole_atoms)
    run_sft(rows, tokenizer, args.out, config, model, identity)
    return 0
