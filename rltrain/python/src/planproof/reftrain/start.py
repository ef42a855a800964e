"""What a command begins with: the model of a run, or a pretrained one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .config import ConfigError, PretrainedConfig, as_dict, make, parse_sets, without_place
from .state import file_sum, model_file


def add_start(parser: argparse.ArgumentParser, option: str, told: str, required: bool = True) -> None:
    """The options: the model of a run, or a pretrained one with its settings."""
    one = parser.add_mutually_exclusive_group(required=required)
    one.add_argument(option, dest="start", metavar="DIR", help=told)
    one.add_argument("--pretrained", metavar="PATH", help="a language model: a folder with safetensors, a GGUF file, or a folder with one")
    parser.add_argument("--pretrained-set", action="append", default=[], metavar="NAME=VALUE", help="one setting of the pretrained model: lora, last, chat, context, slots")


def start_of(args: argparse.Namespace, **more: Any) -> "tuple[Path | PretrainedConfig, Any]":
    """The start, and what a run's config.json says of it: a sum. ``more``: settings of a pretrained one from elsewhere."""
    if args.pretrained:
        from .pretrained import found_at

        config = found_at(make(PretrainedConfig, {**parse_sets(args.pretrained_set), **more, "path": args.pretrained}, "--pretrained-set"))
        return config, without_place(as_dict(config))
    if args.pretrained_set:
        raise ConfigError("--pretrained-set is for --pretrained")
    file = model_file(args.start)
    return file, file_sum(file) if file.exists() else None


__all__ = ["add_start", "start_of"]
