"""How a step of rl.Trainer learns by the rules that need the oracle's evidence step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import torch

from .credit import advantages, line_credits, on_tokens
from .culprits import Evidence, gather
from .imitate import Shown, corrections, own_valid
from .model import pad_right
from .naming import Naming
from .optim import masked_mean
from .sample import answer_pass
from .tokens import Tokenizer, UnknownToken

if TYPE_CHECKING:
    from .rl import Batch, Trainer


def evidence(trainer: "Trainer", batch: "Batch") -> list[Evidence]:
    """The oracle's evidence of the answers, step by step."""
    asked = [row for row in batch.rows for _ in range(trainer.config.group)]
    return gather(trainer.scorer.client, asked, batch.samples.texts, batch.samples.ended)


def learn_by_step(trainer: "Trainer", batch: "Batch", step: int) -> dict[str, Any]:
    """GRPO's loss with the credit of steps (credit.py) instead of that of answers."""
    g, s = trainer.config.group, batch.samples
    credits = [line_credits(e, text) for e, text in zip(evidence(trainer, batch), s.texts)]
    told = [a for i in range(0, len(credits), g) for a in advantages(credits[i:i + g])]
    keep = [i for i in range(len(batch.rows)) if any(any(a.values()) for a in told[i * g:(i + 1) * g])]
    values: dict[str, Any] = {"degenerate": 1 - len(keep) / len(batch.rows)}
    if not keep:
        trainer.run.event(step, "no_update", message="no group has a step at fault")
        return values
    whole = torch.zeros(s.ids.shape, device=s.ids.device)
    for r, (row, n) in enumerate(zip(s.ids.tolist(), s.mask.sum(1).tolist())):
        whole[r, :n] = torch.tensor(on_tokens(trainer.tokenizer.lines(row[:n]), told[r], trainer.tokenizer.after_atoms(row[:n]) if s.ended[r] else None))
    part = batch.some(keep, g)
    at = [i * g + k for i in keep for k in range(g)]
    values.update(trainer.update(part, whole[at, :part.samples.ids.shape[1]], step))
    return values


def told_in_tokens(tokenizer: Tokenizer, shown: Sequence[Shown], names: Sequence[Naming]) -> tuple[list[Shown], list[list[int]]]:
    """The answers that the model's tokens can tell, and these tokens. Sampled answers may be valid and yet
    have a word in a place where no text has it."""
    kept, answers = [], []
    for a in shown:
        try:
            answers.append(tokenizer.answer(names[a.prompt].to(a.text)))
        except UnknownToken:
            continue
        kept.append(a)
    return kept, answers


def learn_imitating(trainer: "Trainer", batch: "Batch", step: int) -> dict[str, Any]:
    """Imitation (imitate.py): of the policy's valid answers that are rewarded, or of the planner's corrections."""
    c, s = trainer.config, batch.samples
    if c.algorithm == "reject":
        shown = own_valid(s.texts, batch.scored, c.group)
    else:
        shown = corrections(trainer.scorer.client, batch.rows, evidence(trainer, batch), s.texts, c.group)
    shown, answers = told_in_tokens(trainer.tokenizer, shown, batch.names)
    if not shown:
        return {"imitated": 0}
    ids, mask = pad_right(answers, trainer.tokenizer.pad, trainer.model.device)
    prompts = [batch.prompts[a.prompt] for a in shown]
    told: dict[str, Any] = {"imitated": len(shown)}
    for row, answer, a in zip(mask, answers, shown):  # what came before is context
        row[:sum(line < a.first_line for line in trainer.tokenizer.lines(answer))] = False
    for _ in range(c.updates):
        trainer.spent += sum(map(len, prompts)) + sum(map(len, answers))
        logps, entropy, _ = answer_pass(trainer.model, prompts, ids, temperature=c.temperature)
        loss = -logps[mask].mean()
        trainer.optimiser.zero()
        loss.backward()
        lr, norm = trainer.optimiser.step(step)
        told.update(loss=loss.item(), entropy=masked_mean(entropy, mask), lr=lr, gradient=norm)
    return told


__all__ = ["evidence", "learn_by_step", "learn_imitating"]
