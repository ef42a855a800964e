"""``python -m planproof.reftrain COMMAND``: see --help.

Exit codes: 0 done; 2 bad input, settings or files; 3 the oracle could not be had, or the
time was over: the same command goes on; 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from types import ModuleType

from ..errors import BinaryMissing, CircuitOpen, OracleUnavailable, PlanproofError

#: Command: module with add_arguments and main, and what it does.
COMMANDS = {
    "sft": ("command_sft", "train a new model on gold answers"),
    "rl": ("command_rl", "train on by reinforcement: GRPO, CARL, PPO"),
    "dpo": ("command_dpo", "train on by preference: DPO, CA-DPO"),
    "evaluate": ("measure", "evaluate a model on files of tasks"),
    "boxnet": ("command_boxnet", "several robots: data, SFT on plans and on traces, GRPO, held-out maps and layouts"),
    "transfer": ("command_transfer", "invented domains: what 1 to 64 of them teach of domains that were never seen"),
    "experiment": ("experiment", "the whole comparison over seeds, with tables and curves"),
}

DESCRIPTION = """\
Trains small models to plan, from rows of planproof export, with the oracle attached.
A run keeps everything in its folder; the same command goes on with one that was killed.

  python -m planproof.reftrain sft --data train.jsonl --out runs/sft
  python -m planproof.reftrain rl --data train.jsonl --start runs/sft --out runs/carl --set alpha=0.001
"""


def main(argv: list[str] | None = None) -> int:
    """Runs a command; returns the exit code."""
    parser = argparse.ArgumentParser("python -m planproof.reftrain", description=DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((word for word in (sys.argv[1:] if argv is None else argv) if not word.startswith("-")), "")
    for name, (module, doc) in COMMANDS.items():
        sub = commands.add_parser(name, help=doc, description=doc.capitalize() + ".")
        if name == asked:  # the others' modules are not needed
            sub.set_defaults(run=_module(parser, module).main)
            _module(parser, module).add_arguments(sub)
    args = parser.parse_args(argv)
    try:
        return int(args.run(args))
    except (OracleUnavailable, CircuitOpen) as err:
        print(f"error: {err}", file=sys.stderr)
        return 3
    except (PlanproofError, FloatingPointError) as err:
        print("\n".join(line if "error[" in line else f"error: {line}" for line in str(err).splitlines()), file=sys.stderr)
        return 2
    except OSError as err:  # a full disk, a folder that cannot be written to
        print(f"error: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _module(parser: argparse.ArgumentParser, name: str) -> ModuleType:
    try:
        return importlib.import_module(f".{name}", __package__)
    except ModuleNotFoundError as err:
        if err.name != "torch":
            raise
        parser.exit(2, "error: this needs PyTorch (Debian: apt install python3-torch; else pip install torch)\n")


if __name__ == "__main__":
    sys.exit(main())
