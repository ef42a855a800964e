"""Supervised fine-tuning, here from random weights: imitation of gold answers.

The loss is the mean negative log-probability of the answers' tokens, end included; the
prompt's tokens have none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable, Sequence

import torch

from .config import Common, ModelConfig, SFTConfig, as_dict
from .data import Batches, Row
from .model import Decoder, parameters
from .optim import Optimiser
from .sample import answer_logps, check_lengths, encode_answers
from .state import Run, model_state, pick_device
from .tokens import Tokenizer

COLUMNS = ["step", "loss", "above_half", "lr", "gradient"]


def vocabulary(rows: Sequence[Row], more: Sequence[Row] = (), names: Iterable[str] = ()) -> Tokenizer:
    """The words of rows, those of the prompts of further rows, and names for later tasks."""
    texts = [text for row in rows for text in (row.prompt, row.prompt_unconstrained, row.answer)]
    return Tokenizer.build(texts + [text for row in more for text in (row.prompt, row.answer)], names)


def use_threads(config: Common) -> None:
    """Takes the number of threads of the settings."""
    torch.set_num_threads(config.threads)


def run_sft(
    rows: Sequence[Row], tokenizer: Tokenizer, out: str | Path, config: SFTConfig = SFTConfig(),
    model: ModelConfig = ModelConfig(), identity: dict[str, Any] = {},
) -> None:
    """Trains a new model into the folder ``out``, or goes on where an earlier try was killed.
    ``identity``: what else the run is made of, such as the sums of files."""
    use_threads(config)
    run = Run(out, {"kind": "sft", "config": as_dict(config), "model": as_dict(model),
                    "vocabulary": len(tokenizer), **identity}, COLUMNS)
    if run.done:
        return
    device = pick_device(config.device)
    torch.manual_seed(config.seed)  # decides on the first weights, and on nothing else
    decoder = Decoder(model, len(tokenizer)).to(device)
    decoder.bf16 = config.bf16
    with run:
        train(decoder, tokenizer, rows[: config.rows or None], run, config)
        run.finish(decoder, tokenizer, {"parameters": parameters(decoder)})


def train(model: Decoder, tokenizer: Tokenizer, rows: Sequence[Row], run: Run, config: SFTConfig) -> None:
    """The steps that are left of a run."""
    lengths = {f"{row.id}: prompt": tokenizer.prompt(row.prompt, f"{row.id}: prompt") for row in rows}
    check_lengths(model, lengths, {f"{row.id}: answer": len(tokenizer.answer(row.answer)) for row in rows})
    optimiser = Optimiser([model], config)
    state = run.resume()
    done = 0
    if state:
        done = state["step"]
        model.load_state_dict(state["weights"])
        optimiser.load(state["optimiser"])
    batches = Batches(rows, config.batch, config.seed, start=done)
    for step, batch in zip(range(done + 1, config.steps + 1), batches):
        prompts = [tokenizer.prompt(row.prompt, f"{row.id}: prompt") for row in batch]
        ids, mask = encode_answers(tokenizer, batch, model.device)
        logps = answer_logps(model, prompts, ids)
        loss = -logps[mask].mean()
        optimiser.zero()
        loss.backward()
        lr, norm = optimiser.step(step)
        # Such tokens are surely the likeliest ones: no less of the answer is right, token by token.
        above = float((logps[mask].detach() > -0.6931472).float().mean())
        run.row({"step": step, "loss": loss.item(), "above_half": above, "lr": lr, "gradient": norm},
                sum(map(len, prompts)) + int(mask.sum()))
        if step % config.checkpoint_every == 0 and step < config.steps:
            run.checkpoint({"step": step, **model_state(model, tokenizer), "optimiser": optimiser.state()})


__all__ = ["COLUMNS", "run_sft", "train", "use_threads", "vocabulary"]
