"""DPO and CA-DPO: a policy learns to prefer one of two of its own answers.

CA-DPO (CARL, section 4.4) has DPO's loss; what differs are the pairs. To the whole prompt x a
valid answer y is preferred to an answer y' that was written without seeing x's constraints::

    loss = -log sigmoid(beta * ((log p(y|x) - log p0(y|x)) - (log p(y'|x) - log p0(y'|x))))

with p the policy and p0 the policy at the start, both given the whole prompt. Log-probabilities
are sums over an answer's tokens, its end token included.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from ..client import Client
from .config import ConfigError, DPOConfig, PretrainedConfig, as_dict
from .data import Batches, Row
from .evaluate import check_tasks
from .model import Model, pad_right
from .naming import naming
from .optim import Optimiser
from .pairs import Pair, choose, collect, in_tokens, read_pairs, write_pairs
from .policy import Policy
from .progress import Progress
from .sample import answer_logps
from .sft import use_threads
from .state import Loaded, Run, load_model, model_state
from .tokens import Tokenizer

COLUMNS = ["step", "loss", "margin", "ranked_right", "chosen_logp", "rejected_logp", "lr", "gradient"]


class DPOLoss(NamedTuple):
    """loss: the mean over pairs. margins (pairs): beta times the difference of log-ratios,
    without gradient; a pair with a margin above 0 is ranked right."""

    loss: Tensor
    margins: Tensor


def dpo_loss(chosen: Tensor, rejected: Tensor, chosen_start: Tensor, rejected_start: Tensor, *, beta: float = 0.1,
             smoothing: float = 0.0) -> DPOLoss:
    """The loss of a batch of log-probabilities of whole answers, each of shape (pairs).

    ``smoothing`` is the probability that a pair is the wrong way round (conservative DPO).
    The start's are taken as constants.
    """
    margins = beta * ((chosen - chosen_start.detach()) - (rejected - rejected_start.detach()))
    losses = -(1 - smoothing) * F.logsigmoid(margins) - smoothing * F.logsigmoid(-margins)
    return DPOLoss(losses.mean(), margins.detach())


def answers_logp(model: Model, tokenizer: Tokenizer, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """Log-probabilities of the chosen and of the rejected answers, each (pairs), and the
    number of tokens of the chosen. A prompt is read once for both."""
    # By the pair and not its place: the start's are computed in another order.
    names = [naming(pair.prompt, tokenizer.slots, f"dpo {pair.id} {pair.prompt}") for pair in pairs]
    prompts = [tokenizer.prompt(name.to(pair.prompt), f"{pair.id}: prompt") for name, pair in zip(names, pairs)]
    answers = [tokenizer.answer(name.to(text), f"{pair.id}: answer") for name, pair in zip(names, pairs) for text in (pair.chosen, pair.rejected)]
    ids, mask = pad_right(answers, tokenizer.pad, model.device)
    sums = (answer_logps(model, prompts, ids) * mask).sum(1).view(-1, 2)
    return sums[:, 0], sums[:, 1], mask.sum(1).view(-1, 2)[:, 0]


def make_pairs(start: Loaded, rows: Sequence[Row], client: Client, config: DPOConfig) -> list[Pair]:
    """Samples answers of the start, has them judged, and pairs them by the rule."""
    policy = Policy(start, max_tokens=config.max_tokens, temperature=config.temperature, seed=config.seed)
    rows = rows[: config.rows or None]
    check_tasks(client, rows)
    with Progress("sampling answers to tasks", len(rows)) as progress:
        sampled = collect(rows, policy.sample, client, unconstrained=config.rule == "ca-dpo", samples=config.samples, told=progress.set)
    sampled = in_tokens(start.tokenizer, rows, sampled)
    pairs = choose(rows, sampled, config.rule, count=config.pairs, per_prompt=config.per_prompt, seed=config.seed)
    if not pairs:
        raise ConfigError(f"none of {len(sampled)} answers makes a pair for {config.rule}: the start solves all of its tasks or none")
    return pairs


def run_dpo(start: str | Path | PretrainedConfig, rows: Sequence[Row], out: str | Path, config: DPOConfig, identity: dict[str, Any],
            client: Client | None = None) -> None:
    """Trains a policy that begins as ``start`` from pairs of its own answers, into the folder
    ``out``; goes on where an earlier try was killed. ``identity``: what else the run is made of."""
    out = Path(out)
    if config.rule not in ("dpo", "ca-dpo") or not 0 <= config.smoothing < 0.5 or min(config.likelihood, config.pairs, config.per_prompt, config.samples - 1) < 0:
        raise ConfigError("rule is dpo or ca-dpo, smoothing from 0 to below 0.5, likelihood, pairs and per_prompt from 0, samples from 1")
    use_threads(config)
    run = Run(out, {"kind": "dpo", "config": as_dict(config), **identity}, COLUMNS)
    if run.done:
        return
    loaded = load_model(start, config.device, config.bf16)
    loaded.model.eval()  # without dropout in both: the ratios begin at 1
    file = out / "pairs.jsonl"
    if not file.exists():
        with client or Client(deadline=300) as judge:
            write_pairs(file, make_pairs(loaded, rows, judge, config))
    pairs = read_pairs(file)
    with run:
        train(loaded, pairs, run, config)
        run.finish(loaded.model, loaded.tokenizer, {"pairs": len(pairs)})


def train(loaded: Loaded, pairs: Sequence[Pair], run: Run, config: DPOConfig) -> None:
    """The steps that are left of a run."""
    model, tokenizer = loaded.model, loaded.tokenizer
    at_start = _start_logps(model, tokenizer, pairs, config.batch)
    optimiser = Optimiser([model], config)
    state = run.resume()
    done = 0
    if state:
        done = state["step"]
        model.restore(state["weights"])
        optimiser.load(state["optimiser"])
    batches = Batches(list(range(len(pairs))), min(config.batch, len(pairs)), config.seed, start=done)
    for step, index in zip(range(done + 1, config.steps + 1), batches):
        batch = [pairs[i] for i in index]
        chosen, rejected, tokens = answers_logp(model, tokenizer, batch)
        before = at_start[index].to(chosen.device)
        loss, margins = dpo_loss(chosen, rejected, before[:, 0], before[:, 1], beta=config.beta, smoothing=config.smoothing)
        if config.likelihood:
            loss = loss - config.likelihood * (chosen / tokens).mean()
        optimiser.zero()
        loss.backward()
        lr, norm = optimiser.step(step)
        run.row({"step": step, "loss": loss.item(), "margin": margins.mean().item(), "ranked_right": (margins > 0).float().mean().item(),
                 "chosen_logp": chosen.mean().item(), "rejected_logp": rejected.mean().item(), "lr": lr, "gradient": norm},
                int(tokens.sum()))
        if step % config.checkpoint_every == 0 and step < config.steps:
            run.checkpoint({"step": step, **model_state(model, tokenizer), "optimiser": optimiser.state()})


@torch.no_grad()
def _start_logps(model: Model, tokenizer: Tokenizer, pairs: Sequence[Pair], size: int) -> Tensor:
    """The start's log-probabilities (pairs, 2). They are computed once: the start never changes."""
    parts = [torch.stack(answers_logp(model, tokenizer, pairs[i:i + size])[:2], 1) for i in range(0, len(pairs), size)]
    return torch.cat(parts).cpu()


__all__ = ["DPOLoss", "answers_logp", "dpo_loss", "make_pairs", "run_dpo", "train"]
