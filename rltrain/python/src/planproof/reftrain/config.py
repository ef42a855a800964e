"""Settings of runs, as data: defaults, then a JSON file, then NAME=VALUE from the command line.

Every run writes what it used to config.json beside its checkpoint, and refuses to go on
with other settings than it began with.
"""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import Any, Iterator, Sequence, Type, TypeVar

from ..errors import PlanproofError
from ..groups import AGGREGATIONS, ESTIMATORS, GATES, PLACEMENTS
from .traces import FORMS

#: The columns that can stand for the prompt without its constraints; the others are the
#: ablation of CARL's section 5.
MASKED = {
    "constraints": "prompt_unconstrained",
    "goal": "prompt_goal_masked",
    "both": "prompt_both_masked",
}


class ConfigError(PlanproofError):
    """Settings that cannot be used. All faults are told at once."""


@dataclass(frozen=True)
class ModelConfig:
    """The decoder: 4 layers of width 128 have 0.8 M parameters, 8 of 512 have 25 M."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    #: Most tokens of a prompt and its answer together.
    context: int = 512
    #: Share of the channels of a head that know positions, the faster ones; the others see only what is told.
    rotary: float = 1.0
    #: A token is the sum of its words (model.Composed), where it is read and where it is written.
    composed: bool = False


@dataclass(frozen=True)
class PretrainedConfig:
    """A language model that was trained elsewhere (pretrained.py), and what of it learns."""

    #: A folder of transformers with safetensors, a GGUF file, or a folder with one.
    path: str = ""
    #: Of its files (pretrained.checksum); another model under the same path is refused.
    sum: str = ""
    #: Rank of what LoRA adds to the linear maps of the layers; 0: their own weights learn.
    lora: int = 8
    #: How many of the last layers learn; 0 is all, and with lora=0 the embeddings, too.
    last: int = 0
    #: The prompt is a user's turn in the model's own template of chats, and not the text alone.
    chat: bool = False
    #: Most tokens of a prompt and its answer together.
    context: int = 1024
    #: As for sft.
    slots: int = 0


@dataclass(frozen=True)
class Common:
    """What every kind of run has. ``device`` "auto" takes a GPU if there is one;
    ``bf16`` computes in bfloat16 there, with weights in float32."""

    seed: int = 0
    steps: int = 200
    lr: float = 1e-3
    warmup: int = 10
    #: The learning rate falls along a cosine to this share of itself.
    lr_floor: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    device: str = "auto"
    #: Threads on a CPU. One makes runs repeatable, and is as fast for small models.
    threads: int = 1
    bf16: bool = False
    #: Steps between checkpoints; the last step has one in any case.
    checkpoint_every: int = 20
    #: Most tokens of an answer.
    max_tokens: int = 96


@dataclass(frozen=True)
class SFTConfig(Common):
    """Imitation of the gold answers; the loss is on the answer's tokens only."""

    batch: int = 64
    #: How many rows of the file are used, from the first; 0 is all.
    rows: int = 0
    #: Deals the rows of eight steps by their lengths, which saves padding where there are many rows.
    by_length: bool = False
    #: Slots for names, drawn anew for each example (naming.py); 0: the names of the tasks are words.
    slots: int = 0
    #: An atom is one token, not one for each of its words (tokens.py, form "facts"); needs slots.
    whole_atoms: bool = False
    #: The run ends after the step with which it has read, written and trained on so many tokens
    #: (0: no bound), so that methods are compared at equal compute.
    budget: int = 0
    #: Share of the steps over which harder bins of tasks are added, easiest first; 0: all from the start.
    curriculum: float = 0.0
    #: The thoughts before the plan (traces.py): none, steps, changes, states or long.
    thoughts: str = "none"
    #: A step is right if it lessens h* (best.py), not only if the gold plan has it; needs whole_atoms.
    every_best: bool = False
    #: Weight of tokens of thoughts at which something is decided: a step, or to be done.
    decisions: float = 1.0


@dataclass(frozen=True)
class DPOConfig(Common):
    """DPO ("dpo") and CA-DPO ("ca-dpo") from a policy's own answers."""

    steps: int = 60
    lr: float = 1e-4
    rule: str = "dpo"
    beta: float = 0.1
    #: The probability that a pair is the wrong way round.
    smoothing: float = 0.0
    #: Weight of the likelihood of the chosen answer, a token; it keeps what is preferred likely.
    likelihood: float = 0.0
    #: Pairs in a batch.
    batch: int = 64
    #: Tasks of the file to sample for, from the first (0: all), answers to each prompt, and pairs.
    rows: int = 400
    samples: int = 8
    per_prompt: int = 4
    pairs: int = 0
    temperature: float = 1.0


@dataclass(frozen=True)
class RLConfig(Common):
    """GRPO, with alpha > 0 CARL, and the PPO variant (algorithm "ppo")."""

    steps: int = 120
    #: Above 2e-4 a million parameters drift from a confident start faster than rewards can say where to.
    lr: float = 1e-4
    lr_floor: float = 1.0
    weight_decay: float = 0.0
    #: "grpo", "ppo"; or imitation (imitate.py): "reject" of the policy's own valid answers, "correct" of
    #: the planner's way on from where the policy went wrong.
    algorithm: str = "grpo"
    #: What GRPO's advantages are of: the "answer", or each "step" by the exact change of h* (credit.py).
    credit: str = "answer"
    #: As for sft.
    budget: int = 0
    curriculum: float = 0.0
    #: Share of a step's prompts that are drawn by what the policy solves half of the time (frontier.py).
    frontier: float = 0.0
    #: The reward: "valid", "process", or a spec that planproof.Client takes.
    reward: Any = "valid"
    prompts: int = 32
    group: int = 8
    #: Optimiser steps on one batch of answers.
    updates: int = 1
    #: Prompts in one pass, for memory; 0 is all.
    micro_prompts: int = 0
    temperature: float = 1.0
    clip_low: float = 0.2
    clip_high: float = 0.2
    #: Weight of the divergence from the SFT start, and of CARL's term.
    beta: float = 0.001
    alpha: float = 0.0
    estimator: str = "low_var_kl"
    #: Where CARL's term goes: "loss", "after" normalisation, or "reward" (with no_std).
    placement: str = "loss"
    #: Which answers are paid for attention to constraints: all, "valid" or "parsed" ones.
    gate: str = "none"
    #: Share of a batch's answers whose term is set to 0, those with the smallest.
    carl_drop_lowest: float = 0.0
    #: What the second prompt lacks: "constraints", "goal" or "both".
    masked: str = "constraints"
    reduction: str = "seq-mean-token-mean"
    no_std: bool = False
    leave_one_out: bool = False
    #: Of a group whose rewards are all equal: "skip" it, or "keep" its KL and CARL terms.
    degenerate: str = "skip"
    #: PPO: discount, lambda of the advantages, weight and clip of the value's loss.
    gamma: float = 1.0
    lam: float = 0.95
    value_weight: float = 0.1
    value_clip: float = 0.2
    #: Steps between greedy probes of fresh rows, and how many of them.
    probe_every: int = 20
    probe_rows: int = 64
    #: Seconds to wait for an oracle that is away before the run stops.
    patience: float = 60.0


Config = TypeVar("Config")

_CHOICES = {
    "algorithm": ("grpo", "ppo", "reject", "correct"),
    "credit": ("answer", "step"),
    "estimator": ESTIMATORS,
    "placement": PLACEMENTS,
    "gate": GATES,
    "masked": tuple(MASKED),
    "reduction": AGGREGATIONS,
    "degenerate": ("skip", "keep"),
    "device": ("auto", "cpu", "cuda"),
    "thoughts": FORMS,
}
_AT_LEAST = {
    "width": 2, "layers": 1, "heads": 1, "context": 8, "steps": 1, "threads": 1, "batch": 1, "rows": 0, "prompts": 1,
    "group": 1, "updates": 1, "micro_prompts": 0, "max_tokens": 1, "checkpoint_every": 1, "warmup": 0,
    "probe_every": 1, "probe_rows": 0, "alpha": 0, "beta": 0, "clip": 0, "clip_low": 0, "clip_high": 0, "lora": 0, "last": 0,
    "lr_floor": 0, "weight_decay": 0, "patience": 0, "value_weight": 0, "value_clip": 0, "gamma": 0, "lam": 0,
    "carl_drop_lowest": 0, "temperature": 0, "lr": 0, "budget": 0, "curriculum": 0, "frontier": 0, "slots": 0, "decisions": 0, "rotary": 0,
}
_AT_MOST = {"curriculum": 1, "frontier": 1, "rotary": 1, "slots": 1000, "gamma": 1, "lam": 1, "carl_drop_lowest": 1, "lr_floor": 1, "threads": 1024, "steps": 10**9, "temperature": 1000}
_ABOVE_ZERO = ("temperature", "lr")


def make(kind: Type[Config], values: dict[str, Any] | None = None, where: str = "settings") -> Config:
    """Settings of a kind with these values for some of them. Raises ConfigError."""
    values = dict(values or {})
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    faults = []
    for name in sorted(values.keys() - fields.keys()):
        faults.append(f"{where}: there is no setting {name!r}: there are {', '.join(sorted(fields))}")
        del values[name]
    for name, value in values.items():
        default = fields[name].default
        if name == "reward":
            if not value or not isinstance(value, (str, dict)):
                faults.append(f"{where}: reward: {value!r} is no name of a reward and no spec")
            continue
        wanted = type(default)
        if wanted is float and type(value) is int:
            values[name] = value = float(value)
        if type(value) is not wanted or value != value:
            faults.append(f"{where}: {name}: {value!r} is no {wanted.__name__}")
            continue
        faults += (f"{where}: {name}: {told}" for told in _range(name, value))
    if faults:
        raise ConfigError("\n".join(faults))
    config = kind(**values)
    faults = [f"{where}: {told}" for told in _together(config)]
    if faults:
        raise ConfigError("\n".join(faults))
    return config


def _range(name: str, value: Any) -> Iterator[str]:
    if name in _CHOICES and value not in _CHOICES[name]:
        yield f"{value!r} is not one of {', '.join(_CHOICES[name])}"
    if name in _AT_LEAST and value < _AT_LEAST[name] or name in _ABOVE_ZERO and value <= 0 or name == "temperature" and value < 1e-3:
        yield f"{value} is too small"
    if name in _AT_MOST and value > _AT_MOST[name] or value in (float("inf"), float("-inf")):
        yield f"{value} is too large"


def _together(c: Any) -> Iterator[str]:
    if isinstance(c, ModelConfig) and (c.width % c.heads or c.width // c.heads % 2):
        yield f"width {c.width} is no even multiple of {c.heads} heads"
    if isinstance(c, SFTConfig) and c.whole_atoms and not c.slots:
        yield "whole_atoms: needs slots, so that all atoms are known"
    if isinstance(c, SFTConfig) and c.every_best and (not c.whole_atoms or c.thoughts != "none"):
        yield "every_best: needs whole_atoms, and plans without thoughts"
    if isinstance(c, RLConfig):
        if c.algorithm == "grpo" and c.group < 2:
            yield "group: GRPO compares answers to one prompt and needs at least 2"
        if c.credit == "step" and (c.algorithm != "grpo" or c.placement != "loss" or c.no_std or c.leave_one_out):
            yield "credit: that of steps is for GRPO as it is, with CARL's term in the loss"
        if c.algorithm in ("reject", "correct") and c.alpha > 0:
            yield "alpha: imitation has no term of CARL's"
        if c.placement == "reward" and not c.no_std and c.algorithm == "grpo" and c.alpha > 0:
            yield "placement: CARL's term in the reward needs no_std, since a tied group would blow it up"


def parse_sets(pairs: Sequence[str]) -> dict[str, Any]:
    """Reads NAME=VALUE; a value is JSON, or else a text."""
    out: dict[str, Any] = {}
    for pair in pairs:
        name, eq, text = pair.partition("=")
        if not eq or not name:
            raise ConfigError(f"--set {pair}: it is NAME=VALUE")
        try:
            out[name] = json.loads(text)
        except ValueError:
            out[name] = text
    return out


def read_config(kind: Type[Config], path: str | None, pairs: Sequence[str] = ()) -> Config:
    """Settings of a kind from a JSON file, if any, and then from NAME=VALUE pairs."""
    values: dict[str, Any] = {}
    where = "settings"
    if path:
        where = path
        try:
            with open(path, encoding="utf-8") as f:
                values = json.load(f)
        except OSError as err:
            raise ConfigError(f"{path}: {err.strerror}") from None
        except ValueError as err:
            raise ConfigError(f"{path}: no JSON: {err}") from None
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: no JSON object")
    return make(kind, {**values, **parse_sets(pairs)}, where)


def without_place(told: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model as a run's config.json has them: where a pretrained one lies is no part of the run."""
    return {**told, "path": os.path.basename(told["path"])} if "path" in told else told


def as_dict(config: Any) -> dict[str, Any]:
    """The settings as plain data."""
    return dataclasses.asdict(config)
