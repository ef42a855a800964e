"""Sizes of the experiment, as data. Each has the arguments of ``planproof export`` for its
data sets, the sets of tasks that are evaluated, and the settings of every kind of run.
"""

from __future__ import annotations

import argparse
from typing import Any, Mapping, Sequence

from .config import Common, ConfigError, DPOConfig, ModelConfig, PretrainedConfig, RLConfig, SFTConfig, make, parse_sets

#: What trains, and by which command: those of "rl" and "dpo", and "more-sft", begin with the models
#: of the method "sft", the others from random weights.
KINDS = {
    "sft": "sft", "more-sft": "sft", "words": "sft", "own-names": "sft", "steps": "sft", "changes": "sft", "states": "sft", "goals": "sft", "long": "sft",
    "no-std": "rl", "clip-higher": "rl", "curriculum": "rl", "frontier": "rl", "shaped": "rl", "optimal": "rl", "reject": "rl", "reject-optimal": "rl", "correct": "rl", "step-credit": "rl",
    "rft": "rl", "carl": "rl", "process": "rl", "ppo": "rl", "dpo": "dpo", "ca-dpo": "dpo",
}
METHODS = tuple(KINDS)

_NAMES = "a,b,c,d,e,f"
_OTHERS = "k,l,m,n,o,p,q,r,s,t"
_STYLE = ["--format", "jsonl", "--style", "compact", "--dedup", "exact"]


def _export(blocks: int, *more: str, names: str = _NAMES, split: str = "0,0,100,0", seed: int | str = 1, goals: int = 1) -> list[str]:
    """Arguments for tasks between all states of so many blocks, under names drawn from a few."""
    return ["--exhaustive", f"blocksworld={blocks}", *more, "--names", names, "--split", split, "--seed", str(seed), *_STYLE, "--goals", str(goals)]


# Why four blocks and two conditions: with three blocks and a complete goal no single forbidden
# action that a cheapest plan has leaves the task solvable, so there is nothing to obey; and
# complete goals of four are too hard for a start of a minute. Tasks come with and without a
# forbidden action, so that a prompt without its constraint is nothing new to the model.
_FULL: dict[str, Any] = {
    "seeds": [0, 1, 2],
    "methods": ["sft", "rft", "carl", "process", "dpo", "ca-dpo"],
    # Every seed has a split of its own ({seed}), so that seeds also tell how much hangs on the
    # structures that are held out: some 70 of 260, constraints aside. Two conditions, since with
    # one there are 48 structures in all.
    "data": {
        "four-{seed}": _export(4, "--exhaustive", "blocksworld=3", "--sample", "2500", "--constraints", "0..1", "--variants", "2", split="56,4,28,12", seed="{seed}", goals=2),
        "names": _export(4, "--constraints", "1", "--sample", "900", names=_OTHERS, seed=2, goals=2),
        "five": _export(5, "--constraints", "1", "--sample", "400", seed=3, goals=2),
    },
    "train": "four-{seed}/train",
    "more": [],  # further data for imitation of gold answers
    "probe": "four-{seed}/val",
    "sets": {"tasks": "four-{seed}/test-contaminated", "structures": "four-{seed}/test-clean", "names": "names/test-clean",
             "five": "five/test-clean"},
    "about": {
        "tasks": "held-out tasks, of structures that were trained on under other names",
        "structures": "held-out structures, of which no task was trained on",
        "names": "blocks with names that were never trained on",
        "five": "five blocks, after training with three and four",
    },
    "pretrained": "",  # the path of a language model to begin with; "model" has then the settings of PretrainedConfig
    "model": {"width": 128, "layers": 4, "heads": 4, "context": 224},
    "common": {"max_tokens": 96},
    "sft": {"steps": 350, "batch": 64, "lr": 3e-3},
    "rl": {"steps": 70, "prompts": 32, "group": 8, "lr": 2e-4, "warmup": 5},
    "dpo": {"steps": 30, "rows": 250, "samples": 8, "lr": 1e-4, "pairs": 500},
    "changes": {
        "carl": {"alpha": 0.001},
        "process": {"reward": "process"},
        "ppo": {"algorithm": "ppo"},
        "ca-dpo": {"rule": "ca-dpo"},
    },
    "evaluate": {"tasks": 300, "samples": 8, "sampled_tasks": 150},
    # Seconds after which a training is cut off at its last checkpoint, by command ("sft", "rl",
    # "dpo") and for "evaluate"; results then depend on the machine. Without: no limit.
    "limits": {},
}


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of base with what over has; objects are merged member by member."""
    out = {k: merge(v, {}) if isinstance(v, Mapping) else v for k, v in base.items()}
    for key, value in over.items():
        inner = isinstance(value, Mapping) and isinstance(out.get(key), Mapping)
        out[key] = merge(out[key], value) if inner else value
    return out


def with_sets(settings: Mapping[str, Any], sets: Sequence[str]) -> dict[str, Any]:
    """Settings with those of ``--set``, such as ``sft.steps=60``."""
    out = merge(settings, {})
    for name, value in parse_sets(sets).items():
        for key in reversed(name.split(".")):
            value = {key: value}
        out = merge(out, value)
    return out


def add_options(parser: argparse.ArgumentParser, presets: Mapping[str, Any], sizes: str, example: str) -> None:
    """The options of every experiment."""
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder of the experiment; the same command goes on with it")
    parser.add_argument("--preset", default="full", choices=sorted(presets), help=f"sizes: {sizes}")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"one setting, such as {example}")


def unknown(settings: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """What is wrong with the names of settings: nothing, or one message."""
    names = sorted(settings.keys() - known.keys())
    return [f"there is no setting {', '.join(names)}: there are {', '.join(known)}"] if names else []


PRESETS: dict[str, dict[str, Any]] = {
    "full": {"doc": "three seeds, in 20 minutes on two cores", "settings": _FULL},
    "quick": {
        "doc": "the same with one seed and half of the steps, in 4 minutes",
        "settings": merge(_FULL, {
            "seeds": [0], "rl": {"steps": 50}, "dpo": {"steps": 30, "rows": 200}, "evaluate": {"tasks": 150, "sampled_tasks": 50},
        }),
    },
    "gpu": {
        "doc": "25 million parameters and three to five blocks, in 8 minutes on one H100",
        "settings": merge(_FULL, {
            "seeds": [0], "methods": ["sft", "rft", "carl"],
            "data": {
                "four-{seed}": ["--exhaustive", "blocksworld=3", *_export(4, "--exhaustive", "blocksworld=5", "--constraints", "0..1", "--sample", "6000", split="76,4,10,10", seed="{seed}", goals=2)],
                "names": _export(5, "--constraints", "1", "--sample", "600", names=_OTHERS, seed=2),
                "five": _export(5, "--constraints", "1", "--sample", "600", seed=3),
            },
            "about": {"five": "five blocks, some of them of structures that were trained on"},
            "model": {"width": 512, "layers": 8, "heads": 8, "context": 320},
            "common": {"device": "auto", "bf16": True, "max_tokens": 160, "checkpoint_every": 10},
            "sft": {"steps": 1500, "batch": 128, "lr": 1e-3, "warmup": 100},
            "rl": {"steps": 150, "prompts": 64, "group": 16, "lr": 1e-4, "probe_rows": 256},
            "evaluate": {"tasks": 512, "samples": 16, "sampled_tasks": 128, "bf16": True, "max_tokens": 160},
            "limits": {"sft": 150, "rl": 140, "evaluate": 60},
        }),
    },
    "smoke": {
        "doc": "a few steps of a tiny model, which learns nothing (so there are no pairs for DPO), in a minute",
        "settings": merge(_FULL, {
            "seeds": [0], "methods": ["sft", "rft", "carl", "process", "ppo"], "data": {
                "four-{seed}": _export(4, "--constraints", "0..1", "--sample", "150", split="60,10,15,15", seed="{seed}"),
                "names": _export(4, "--constraints", "1", "--sample", "40", names=_OTHERS, seed=2),
                "five": _export(5, "--constraints", "1", "--sample", "20", seed=3),
            },
            "model": {"width": 32, "layers": 2, "heads": 2}, "sft": {"steps": 40, "batch": 16, "lr": 3e-3},
            "rl": {"steps": 3, "prompts": 4, "group": 4, "probe_every": 2, "probe_rows": 8},
            "evaluate": {"tasks": 12, "samples": 4, "sampled_tasks": 6},
        }),
    },
}
# How it comes to plan: names drawn anew, an atom as one token, goals of all sizes; thoughts against bare plans.
# 256 base structures of four blocks with two conditions; for each seed some 60 are held out whole, also from the
# goals of other sizes, and some 60 under other names.
_THOUGHTS = ["--format", "trl-sft", "--text", "--thoughts", "long"]
#: 1 for a cheapest plan, 0 for all else.
_CHEAPEST = {"schema": "planproof.reward/1", "name": "cheapest", "kind": "budget", "budget": "tight"}
_HELD_OUT = [word for split in ("test-clean", "test-contaminated", "val") for word in ("--exclude", f"{{data}}/four-{{seed}}/{split}.jsonl")]


def _more(goals: int, seed: int, sample: int = 4000) -> list[str]:
    """Arguments for training tasks with so many conditions, 0 for all of them."""
    arguments = _export(4, "--exhaustive", "blocksworld=3", "--constraints", "0..1", "--variants", "2", "--sample", str(sample), split="100,0,0,0", seed=seed, goals=goals)
    return [*(arguments if goals else arguments[:-2]), *_THOUGHTS, *_HELD_OUT]


def _invented(*more: str, names: str = _NAMES + ",g,h,i,j", split: str = "0,0,100,0") -> list[str]:
    """Arguments for tasks of one invented domain, whose plans have up to some twenty steps."""
    return ["invented", "actions=4", "domain=6", *more, "--split", split, "--constraints", "0..1", "--variants", "2", "--names", names, *_STYLE]


_LEARN: dict[str, Any] = merge(_FULL, {
    "methods": ["sft", "more-sft", "rft", "carl", "reject", "correct", "step-credit", "words", "own-names", "goals",
                "no-std", "clip-higher", "process", "shaped", "ca-dpo"],
    "data": {
        "four-{seed}": [*_export(4, "--exhaustive", "blocksworld=3", "--constraints", "0..1", "--variants", "2", "--sample", "4000", split="44,8,24,24", seed="{seed}", goals=2), *_THOUGHTS],
        "names": _export(4, "--constraints", "0..1", "--sample", "900", names=_OTHERS, seed=2, goals=2),
        "five": _export(5, "--constraints", "0..1", "--sample", "400", seed=3, goals=2),
        "goals0-{seed}": _more(0, 10), "goals1-{seed}": _more(1, 11), "goals2-{seed}": _more(2, 12), "goals3-{seed}": _more(3, 13), "goals3b-{seed}": _more(3, 23),
    },
    "more": [f"{name}-{{seed}}/train" for name in ("goals0", "goals1", "goals2", "goals3", "goals3b")],
    "model": {"width": 96, "layers": 4, "heads": 4, "context": 640, "rotary": 0.5},
    "common": {"bf16": True, "checkpoint_every": 200},
    "sft": {"slots": 6, "whole_atoms": True, "by_length": True, "steps": 9000, "batch": 128, "lr": 3e-3, "lr_floor": 0.01, "weight_decay": 0.1, "warmup": 100},
    "rl": {"probe_rows": 96, "steps": 400, "budget": 1_500_000, "checkpoint_every": 20},
    "changes": {
        "no-std": {"no_std": True}, "clip-higher": {"clip_high": 0.28, "updates": 2}, "shaped": {"reward": "shaped"},
        "optimal": {"reward": _CHEAPEST}, "reject": {"algorithm": "reject"}, "reject-optimal": {"algorithm": "reject", "reward": _CHEAPEST}, "correct": {"algorithm": "correct", "group": 4}, "step-credit": {"credit": "step"},
        "curriculum": {"curriculum": 0.2}, "frontier": {"frontier": 0.75},
        "more-sft": {"budget": 1_500_000, "lr": 3e-4}, 
        # About as many tokens as "sft".
        "own-names": {"slots": 0, "whole_atoms": False, "steps": 4500}, "words": {"whole_atoms": False, "steps": 4500},
        **{form: {"thoughts": form, "batch": 32, "steps": 8000} for form in ("steps", "changes", "states", "long")},
        "goals": {"thoughts": "goals", "decisions": 5.0, "batch": 32, "steps": 8000},
    },
    "evaluate": {"tasks": 300, "samples": 8, "sampled_tasks": 100, "max_tokens": 560, "bf16": True},
})
PRESETS["learn"] = {"doc": "what makes a model of half a million parameters plan, with three seeds", "settings": _LEARN}
_LEARN_SHORT = merge(_LEARN, {
    "methods": ["sft"], "more": _LEARN["more"][:-1], "model": {"context": 160}, "evaluate": {"max_tokens": 90},
    "sft": {"steps": 900, "lr_floor": 0.03, "weight_decay": 0.01, "warmup": 50},
})
del _LEARN_SHORT["data"]["goals3b-{seed}"]
PRESETS["learn-short"] = {"doc": "the start of learn with a tenth of its tokens, in 4 minutes of one core a seed", "settings": _LEARN_SHORT}
# The same for a second domain; its larger tasks have more objects than any that was trained on.
_SECOND: dict[str, Any] = {**_LEARN_SHORT, **{
    "data": {
        "second-{seed}": _invented("objects=3", "--count", "6000", "--seed", "{seed}", split="60,4,18,18"),
        "names": _invented("objects=3", "--first", "10001", "--count", "300", names=_OTHERS),
        "larger": _invented("objects=4", "--first", "10001", "--count", "300"),
    },
    "train": "second-{seed}/train", "more": [], "probe": "second-{seed}/val",
    "sets": {"tasks": "second-{seed}/test-contaminated", "structures": "second-{seed}/test-clean", "names": "names/test-clean", "larger": "larger/test-clean"},
    "about": {"tasks": _LEARN["about"]["tasks"], "structures": _LEARN["about"]["structures"], "names": "things with names that were never trained on",
              "larger": "more objects than any task that was trained on"},
    "sft": {**_LEARN_SHORT["sft"], "slots": 10},
}}
PRESETS["learn-second"] = {"doc": "learn-short for an invented domain, which has more structures", "settings": _SECOND}
_LEARN_SMOKE = merge(_LEARN, {
    "seeds": [0], "methods": ["sft", "goals", "more-sft", "reject", "step-credit"], "more": ["goals3-{seed}/train"],
    "model": {"width": 32, "layers": 2, "heads": 2}, "sft": {"steps": 4, "batch": 8},
    "rl": {"steps": 2, "prompts": 4, "group": 4, "probe_every": 2, "probe_rows": 8}, "changes": {"goals": {"steps": 4, "batch": 8}},
    "evaluate": {"tasks": 10, "samples": 4, "sampled_tasks": 4, "max_tokens": 64},
})
_LEARN_SMOKE["data"] = {
    "four-{seed}": [*_export(4, "--constraints", "0..1", "--sample", "150", split="60,10,15,15", seed="{seed}", goals=2), *_THOUGHTS],
    "names": _export(4, "--constraints", "0..1", "--sample", "40", names=_OTHERS, seed=2, goals=2),
    "five": _export(5, "--constraints", "0..1", "--sample", "20", seed=3, goals=2),
    "goals3-{seed}": _more(3, 13, 40),
}
PRESETS["learn-smoke"] = {"doc": "one method of each kind, in a minute, learning nothing", "settings": _LEARN_SMOKE}
# The GPU's experiment with the sizes of "smoke": every way it goes, on a CPU. SFT has more
# steps than its time allows, so it is cut off.
PRESETS["gpu-small"] = {
    "doc": "gpu in small, for a test on a CPU",
    "settings": merge(PRESETS["smoke"]["settings"], {
        "methods": ["sft", "rft", "carl"], "common": {"bf16": True, "checkpoint_every": 2}, "sft": {"steps": 100_000},
        "evaluate": {"bf16": True}, "limits": {"sft": 12, "rl": 120, "evaluate": 120},
    }),
}
# The same from a language model that is there: LoRA, its own words, tasks of three and four blocks.
_PRETRAINED: dict[str, Any] = {**merge(_FULL, {
    "seeds": [0], "methods": ["sft", "rft"],
    "common": {"bf16": True, "checkpoint_every": 10}, "sft": {"steps": 600, "batch": 32, "lr": 1e-3, "weight_decay": 0.0},
    "rl": {"steps": 40, "prompts": 16, "lr": 1e-4, "micro_prompts": 4}, "evaluate": {"bf16": True},
    "limits": {"sft": 150, "rl": 180, "evaluate": 90},
}), "pretrained": "PATH", "model": {"lora": 16}}
PRESETS["pretrained"] = {"doc": "from a language model (--pretrained), LoRA, for a GPU", "settings": _PRETRAINED}
PRESETS["pretrained-small"] = {
    "doc": "the same in small, for a test on a CPU", "settings": merge(_PRETRAINED, {
        "data": PRESETS["smoke"]["settings"]["data"], "common": {"max_tokens": 24}, "sft": {"steps": 2, "batch": 4},
        "rl": {"steps": 1, "prompts": 2, "group": 2, "probe_rows": 4}, "evaluate": {"tasks": 4, "samples": 2, "sampled_tasks": 2, "max_tokens": 24},
        "limits": {"sft": 600, "rl": 600, "evaluate": 600},
    }),
}


def check(settings: Mapping[str, Any]) -> None:
    """Raises ConfigError with every setting that cannot be used, before anything runs."""
    faults = unknown(settings, _FULL)
    methods, seeds = settings["methods"], settings["seeds"]
    if not isinstance(methods, list) or not methods or methods[0] != "sft" or len(set(methods)) < len(methods) or any(m not in METHODS for m in methods):
        faults.append(f"methods: a list that begins with sft, of {', '.join(METHODS)}, each once")
    if not isinstance(seeds, list) or not seeds or not all(type(s) is int and s >= 0 for s in seeds) or len(set(seeds)) < len(seeds):
        faults.append("seeds: a list of different numbers from 0")
    for where in [settings["train"], settings["probe"], *settings["more"], *settings["sets"].values()]:
        if where.partition("/")[0] not in settings["data"]:
            faults.append(f"{where}: there is no data set {where.partition('/')[0]!r}")
    for name in settings["changes"]:
        if name not in METHODS:
            faults.append(f"changes: there is no method {name!r}")
    model = PretrainedConfig if settings["pretrained"] else ModelConfig
    kinds: list[tuple[type, Mapping[str, Any], str]] = [(model, settings["model"], "model"), (Common, settings["common"], "common")]
    for method in METHODS:
        part = KINDS[method]
        kind: type = {"sft": SFTConfig, "dpo": DPOConfig, "rl": RLConfig}[part]
        kinds.append((kind, merge(settings[part], settings["changes"].get(method, {})), method))
    for kind, values, name in kinds:
        try:
            make(kind, dict(values), name)
        except ConfigError as err:
            faults += str(err).split("\n")
    if faults:
        raise ConfigError("\n".join(dict.fromkeys(faults)))


__all__ = ["METHODS", "PRESETS", "add_options", "check", "merge", "unknown", "with_sets"]
