"""Supervised fine-tuning, here from random weights: imitation of gold answers.

The loss is the mean negative log-probability of the answers' tokens, end included; the
prompt's tokens have none.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterable, Sequence

import torch
from torch import Tensor

from ..client import Client
from .best import best_steps
from .config import Common, ConfigError, ModelConfig, PretrainedConfig, SFTConfig, as_dict, without_place
from .data import Batches, Row, curriculum
from .model import Decoder, Model, pad_right, parameters
from .naming import namings
from .optim import Optimiser
from .sample import answer_logps, any_logps, check_lengths
from .showing import Showing
from .state import Run, load_model, model_state, pick_device, write_json
from .tokens import Tokenizer
from .traces import DECISIONS

COLUMNS = ["step", "loss", "above_half", "lr", "gradient", "spent"]


def vocabulary(rows: Sequence[Row], more: Sequence[Row] = (), names: Iterable[str] = (), slots: int = 0, whole: bool = False) -> Tokenizer:
    """The words of rows, those of the prompts of further rows, and names for later tasks; with
    slots (naming.py) these instead of all names, and ``whole``, all atoms as tokens."""
    texts = [name.to(text) for name, row in zip(namings([row.prompt for row in rows], slots, "words"), rows)
             for text in (row.prompt, row.prompt_unconstrained, row.answer)]
    texts += [name.to(text) for name, row in zip(namings([row.prompt for row in more], slots, "words"), more)
              for text in (row.prompt, row.answer)]
    return Tokenizer.build(texts, names, slots, whole)


def steps_for(rows: Sequence[Row], tokenizer: Tokenizer, tokens: int, batch: int) -> int:
    """The steps of so many rows that have about so many tokens, prompts included."""
    names = namings([row.prompt for row in rows], tokenizer.slots, "lengths")
    whole = sum(len(tokenizer.prompt(name.to(row.prompt))) + len(tokenizer.answer(name.to(row.answer))) for name, row in zip(names, rows))
    return max(1, round(tokens * len(rows) / (batch * whole)))


def decision_weights(tokenizer: Tokenizer, texts: Sequence[str], ids: Tensor, weight: float) -> Tensor:
    """``weight`` for tokens on lines at which thoughts decide something, 1 for others, like ids (answers, tokens)."""
    out = torch.ones(ids.shape, device=ids.device)
    for row, text, numbers in zip(out, texts, ids.tolist()):
        chosen = {k for k, told in enumerate(text.split("\n"), 1) if told.startswith(DECISIONS)}
        row[[t for t, line in enumerate(tokenizer.lines(numbers)) if line in chosen]] = weight
    return out


def use_threads(config: Common) -> None:
    """Takes the number of threads of the settings, and the seed of weights that are new."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)


def run_sft(
    rows: Sequence[Row], tokenizer: Tokenizer | None, out: str | Path, config: SFTConfig = SFTConfig(),
    model: ModelConfig = ModelConfig(), identity: dict[str, Any] = {}, start: str | Path | PretrainedConfig | None = None, alike: bool = False,
) -> None:
    """Trains a new model into the folder ``out``, or the model ``start`` on, whose words and slots it keeps, or a pretrained one;
    goes on where an earlier try was killed. ``identity``: what else the run is made of, such as the sums of files;
    ``alike``: tokens with words in common begin with alike embeddings."""
    use_threads(config)
    loaded = None if start is None else load_model(start, config.device, config.bf16)
    if loaded is not None:
        tokenizer = loaded.tokenizer
        if config.slots != tokenizer.slots:
            raise ConfigError(f"slots: {config.slots}, but the start has {tokenizer.slots}")
        if config.every_best and tokenizer.form != "facts":
            raise ConfigError("every_best: the start has no token for a whole atom")
    if tokenizer is None:
        raise ValueError("neither words nor a start")
    told = as_dict(model if loaded is None else loaded.model.config)
    run = Run(out, {"kind": "sft", "config": as_dict(config), "model": without_place(told),
                    "vocabulary": len(tokenizer), **identity}, COLUMNS)
    if run.done:
        return
    device = pick_device(config.device)
    torch.manual_seed(config.seed)  # decides on the first weights, and on nothing else
    decoder = new(model, tokenizer, alike or config.whole_atoms).to(device) if loaded is None else loaded.model
    decoder.bf16 = config.bf16
    with run:
        rows = rows[: config.rows or None]
        train(decoder, tokenizer, with_best(rows, Path(out)) if config.every_best else rows, run, config)
        run.finish(decoder, tokenizer, {"parameters": parameters(decoder)})


def new(model: ModelConfig, tokenizer: Tokenizer, alike: bool) -> Model:
    """A model of random weights."""
    return Decoder(model, len(tokenizer), tokenizer.parts() if alike or model.composed else ())


def with_best(rows: Sequence[Row], folder: Path) -> list[Row]:
    """The rows with their ``best``, which a run's folder keeps, so that the oracle is asked once."""
    path = folder / "best.json"
    if not path.exists():
        with Client(deadline=300) as client:
            write_json(path, best_steps(client, rows))
    best = json.loads(path.read_text())
    return [replace(row, best=tuple(map(tuple, steps))) for row, steps in zip(rows, best, strict=True)]


def train(model: Model, tokenizer: Tokenizer, rows: Sequence[Row], run: Run, config: SFTConfig) -> None:
    """The steps that are left of a run."""
    names = namings([row.prompt for row in rows], tokenizer.slots, "lengths")
    where = [row.place or row.id for row in rows]  # ids are of one file
    lengths = {f"{place}: prompt": tokenizer.prompt(name.to(row.prompt), f"{place}: prompt") for place, name, row in zip(where, names, rows)}
    check_lengths(model, lengths, {f"{place}: answer": len(tokenizer.answer(name.to(row.answer))) for place, name, row in zip(where, names, rows)})
    optimiser = Optimiser([model], config)
    state = run.resume()
    done = 0
    if state:
        done = state["step"]
        model.restore(state["weights"])
        optimiser.load(state["optimiser"])
    stages = curriculum(rows, config.steps, share=config.curriculum) if config.curriculum else ()
    batches = Batches(rows, config.batch, config.seed, stages=stages, start=done,
                      length=(lambda row: len(row.answer)) if config.by_length else None)
    spent = state["spent"] if state else 0
    showing = Showing(tokenizer)
    for step, batch in zip(range(done + 1, config.steps + 1), batches):
        names = namings([row.prompt for row in batch], tokenizer.slots, f"sft {config.seed} {step}")
        shown = [showing.tokens(row, name) for row, name in zip(batch, names)]
        prompts = [prompt for prompt, _ in shown]
        ids, mask = pad_right([answer for _, answer in shown], tokenizer.pad, model.device)
        if config.every_best:
            logps = any_logps(model, prompts, ids, [showing.sets(row, name) for row, name in zip(batch, names)])
        else:
            logps = answer_logps(model, prompts, ids)
        weights = mask.float()
        if config.decisions != 1:
            weights = weights * decision_weights(tokenizer, [row.answer for row in batch], ids, config.decisions)
        loss = -(logps * weights).sum() / weights.sum()
        optimiser.zero()
        loss.backward()
        lr, norm = optimiser.step(step)
        # Such tokens are surely the likeliest ones: no less of the answer is right, token by token.
        above = float((logps[mask].detach() > -0.6931472).float().mean())
        tokens = sum(map(len, prompts)) + int(mask.sum())
        spent += tokens
        run.row({"step": step, "loss": loss.item(), "above_half": above, "lr": lr, "gradient": norm, "spent": spent}, tokens)
        if config.budget and spent >= config.budget:
            break
        if step % config.checkpoint_every == 0 and step < config.steps:
            run.checkpoint({"step": step, "spent": spent, **model_state(model, tokenizer), "optimiser": optimiser.state()})


__all__ = ["COLUMNS", "run_sft", "steps_for", "train", "use_threads", "vocabulary"]
