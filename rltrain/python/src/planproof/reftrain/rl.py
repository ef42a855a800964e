"""Reinforcement learning with the oracle's rewards: GRPO, CARL and a PPO variant.

A step::

    rows ─► G answers each ─► rewards ─► advantages ─► groups that say something
                                                           │ log-probabilities of the answers:
    update ◄─ loss ◄────────────────────────────────────── │ policy, start, policy without constraints

GRPO and CARL are equation 7 of CARL: the clipped ratio with separate bounds, minus beta
times the divergence (k3) from the frozen start, plus alpha times the divergence from the
policy without the prompt's constraints. RFT is alpha = 0. In the PPO variant both are
rewards of tokens, and a value head learns what to expect.
"""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import torch
from torch import Tensor, nn

from .. import groups
from ..carl import gate_mask, kl_tokens
from ..client import Client
from .config import MASKED, ConfigError, PretrainedConfig, RLConfig, as_dict
from .data import Batches, Row, curriculum
from .frontier import Frontier
from .losses import gae, grpo_loss, token_rewards, value_loss, whiten
from .naming import Naming, namings
from .optim import Optimiser, masked_mean
from .probe import Probe
from .reward import Scored, Scorer, measures
from .rules import learn_by_step, learn_imitating
from .sample import Samples, answer_logps, answer_pass, check_lengths, sample
from .sft import use_threads
from .state import Loaded, Run, load_model, model_state

COLUMNS = [
    "step", "loss", "reward", "reward_std", "valid", "parsed", "form_only", "optimal", "violations", "forbidden_steps",
    "kl", "carl_kl", "carl_p95", "degenerate", "degenerate_valid", "clipped", "entropy", "length", "cut_off", "value_loss",
    "distinct", "imitated", "spent", "lr", "gradient", "probe_valid", "probe_violations", "probe_free_valid",
]

#: Steps between looks at CARL's term when the loss does not have it.
LOOK_EVERY = 5


def run_rl(
    start: str | Path | PretrainedConfig, rows: Sequence[Row], out: str | Path, config: RLConfig = RLConfig(), *,
    probe: Sequence[Row] = (), path: str | None = None, client: Client | None = None, identity: dict[str, Any] = {},
) -> None:
    """Trains the model ``start`` into the folder ``out``, or goes on where an earlier try was
    killed. ``path``: the file of the rows, for the oracle to load; ``probe``: fresh rows."""
    use_threads(config)
    column = MASKED[config.masked]
    lacking = [row.id for row in rows if not getattr(row, column)]
    if lacking and config.alpha > 0:
        raise ConfigError(f"{len(lacking)} rows have no {column}, which CARL needs; the first is {lacking[0]}")
    loaded = load_model(start, config.device, config.bf16)
    if (Path(out) / "model.pt").exists():
        Run(out, _identity(config, identity), [])  # refuses other settings
        return
    scorer = Scorer(path, rows, config.reward, config.patience, client)
    try:
        parts = scorer.components([*rows, *probe[: config.probe_rows]])
        run = Run(out, _identity(config, identity), COLUMNS + [f"part_{name}" for name in parts])
        with run:
            every = [*rows, *probe[: config.probe_rows]]
            names = namings([row.prompt for row in every], loaded.tokenizer.slots, "lengths")
            whole = {f"{row.id}: {name}": loaded.tokenizer.prompt(shown.to(getattr(row, name)), f"{row.id}: {name}")
                     for shown, row in zip(names, every) for name in ("prompt", column)}
            check_lengths(loaded.model, whole, {"max_tokens": config.max_tokens})
            trainer = Trainer(loaded, rows, scorer, run, config, Probe(probe[: config.probe_rows], scorer, config))
            trainer.train()
            run.finish(loaded.model, loaded.tokenizer, {})
    finally:
        if client is None:
            scorer.close()


def _identity(config: RLConfig, identity: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "rl", "config": as_dict(config), **identity}


class Batch(NamedTuple):
    """The answers of a step. ``prompts``, ``bare``: the whole prompts and those that lack
    something, as tokens, in the slots of ``names``; the samples' texts have the tasks' own names. N = prompts * group answers."""

    rows: list[Row]
    prompts: list[list[int]]
    bare: list[list[int]]
    names: list[Naming]
    samples: Samples
    scored: list[Scored]

    def some(self, keep: list[int], group: int) -> "Batch":
        """The answers to some of the prompts."""
        at = [i * group + g for i in keep for g in range(group)]
        s = self.samples
        index = torch.tensor(at, dtype=torch.long, device=s.ids.device)
        mask = s.mask[index]
        longest = int(mask.sum(1).max()) if at else 0
        samples = Samples(s.ids[index, :longest], mask[:, :longest], s.logps[index, :longest],
                          [s.ended[i] for i in at], [s.texts[i] for i in at])
        return Batch([self.rows[i] for i in keep], [self.prompts[i] for i in keep], [self.bare[i] for i in keep],
                     [self.names[i] for i in keep], samples, [self.scored[i] for i in at])


class Trainer:
    """What a run holds in memory."""

    def __init__(self, loaded: Loaded, rows: Sequence[Row], scorer: Scorer, run: Run, config: RLConfig, probe: Probe):
        self.model, self.tokenizer = loaded.model, loaded.tokenizer
        self.scorer, self.run, self.config, self.probe = scorer, run, config, probe
        self.reference = copy.deepcopy(self.model).requires_grad_(False)
        self.value = nn.Linear(self.model.width, 1).to(self.model.device)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)
        modules = [self.model, self.value] if config.algorithm == "ppo" else [self.model]
        self.optimiser = Optimiser(modules, config)
        stages = curriculum(rows, config.steps, share=config.curriculum) if config.curriculum else ()
        self.batches = Batches(rows, config.prompts, config.seed, stages=stages)
        self.frontier = Frontier(rows, config.seed)
        self.can_look = all(getattr(row, MASKED[config.masked]) for row in rows)
        self.step_number = 0
        #: Tokens read or written for answers, and trained on.
        self.spent = 0
        scorer.told = lambda message: run.event(self.step_number, "outage", message=message)

    # -- the run -------------------------------------------------------------------------

    def train(self) -> None:
        """The steps that are left."""
        state = self.run.resume()
        if state:
            self.load(state)
        config = self.config
        for step in range(self.step_number + 1, config.steps + 1):
            self.step_number = step
            batch = self.answers(step)
            n = int(batch.samples.mask.sum())
            values = measures(batch.scored, batch.samples.texts, batch.samples.ended, n, config.group)
            self.spent += self.tokens(batch)
            values.update(self.learn(batch, step))
            values["spent"] = self.spent
            values.update(self.probe.after(step, config.steps, self.model, self.tokenizer, batch.scored, values, self.run))
            self.run.row({"step": step, **values}, self.tokens(batch))
            if config.budget and self.spent >= config.budget:
                break
            if step % config.checkpoint_every == 0 and step < config.steps:
                self.run.checkpoint(self.state())

    def state(self) -> dict[str, Any]:
        """Everything that going on needs. The start is the same file as before."""
        return {"step": self.step_number, "spent": self.spent, **model_state(self.model, self.tokenizer), "value": self.value.state_dict(),
                "optimiser": self.optimiser.state(), "probe": self.probe.state(), "frontier": self.frontier.state()}

    def load(self, state: dict[str, Any]) -> None:
        """Undoes state."""
        self.step_number, self.spent = state["step"], state["spent"]
        self.model.restore(state["weights"])
        self.value.load_state_dict(state["value"])
        self.optimiser.load(state["optimiser"])
        self.probe.load(state["probe"])
        self.frontier.load(state["frontier"])

    @staticmethod
    def tokens(batch: Batch) -> int:
        """Tokens that were read or written for a step."""
        return sum(map(len, batch.prompts)) + int(batch.samples.mask.sum())

    # -- answers -------------------------------------------------------------------------

    def answers(self, step: int) -> Batch:
        """The answers of a step (from 1) and what the oracle says of them."""
        c = self.config
        # Prompts of a length together, so that parts of the batch have little padding.
        rows = sorted(self.drawn(step - 1), key=lambda row: (len(row.prompt), row.id))
        names = namings([row.prompt for row in rows], self.tokenizer.slots, f"rl {c.seed} {step}")
        prompts = [self.tokenizer.prompt(name.to(row.prompt), f"{row.id}: prompt") for name, row in zip(names, rows)]
        bare = [self.tokenizer.prompt(name.to(getattr(row, MASKED[c.masked])), f"{row.id}: {MASKED[c.masked]}") for name, row in zip(names, rows)]
        samples = sample(self.model, self.tokenizer, prompts, group=c.group, temperature=c.temperature,
                         max_tokens=c.max_tokens, seed=_seed("sample", c.seed, step))
        asked = [row for row in rows for _ in range(c.group)]
        texts = [names[i // c.group].back(text) for i, text in enumerate(samples.texts)]
        samples = samples._replace(texts=texts)
        scored = self.scorer.score(asked, texts, samples.ended)
        self.frontier.count(rows, [x.valid for x in scored])
        return Batch(rows, prompts, bare, names, samples, scored)

    def drawn(self, step: int) -> list[Row]:
        """The rows of a step, from 0: those whose turn it is, and those at the policy's frontier."""
        usual, c = self.batches.at(step), self.config
        aimed = round(c.frontier * len(usual))
        if not aimed:
            return usual
        usual = usual[:len(usual) - aimed]
        return usual + self.frontier.draw(step, aimed, self.batches.open(step).rows, usual)

    # -- learning ------------------------------------------------------------------------

    def learn(self, batch: Batch, step: int) -> dict[str, Any]:
        """Updates the policy; what there is to say of it."""
        if self.config.algorithm == "ppo":
            return self.learn_ppo(batch, step)
        c = self.config
        if c.algorithm != "grpo":
            return learn_imitating(self, batch, step)
        if c.credit == "step":
            return learn_by_step(self, batch, step)
        rewards = [[x.reward for x in batch.scored[i * c.group:(i + 1) * c.group]] for i in range(len(batch.rows))]
        tied = [groups.degenerate(r) for r in rewards]
        if c.alpha > 0 and c.placement != "loss":
            ca = self.carl_rows(batch)[0]
            told = [groups.constraint_advantages(r, ca[i * c.group:(i + 1) * c.group], c.alpha, c.placement,
                                                       no_std=c.no_std, leave_one_out=c.leave_one_out)
                          for i, r in enumerate(rewards)]
        else:
            told = [groups.advantages(r, no_std=c.no_std, leave_one_out=c.leave_one_out) for r in rewards]
        values: dict[str, Any] = {
            "degenerate": sum(tied) / len(tied),
            "degenerate_valid": sum(t and batch.scored[i * c.group].valid for i, t in enumerate(tied)) / len(tied),
        }
        keep = [i for i, a in enumerate(told) if c.degenerate == "keep" or any(a)]
        if not keep:
            self.run.event(step, "no_update", message="no group says anything")
            return values
        flat = torch.tensor([a for i in keep for a in told[i]], device=self.model.device).unsqueeze(1)
        values.update(self.update(batch.some(keep, c.group), flat, step))
        return values

    def parts(self, prompts: int) -> list[list[int]]:
        """Prompts that go through the model together."""
        size = self.config.micro_prompts or prompts
        return [list(range(i, min(prompts, i + size))) for i in range(0, prompts, size)]

    def looks(self, step: int) -> bool:
        """Whether CARL's term is measured although the loss does not have it."""
        return self.can_look and (step % LOOK_EVERY == 0 or self.probe.due(step, self.config.steps))

    def carl_weights(self, batch: Batch, ca: Sequence[float]) -> Tensor:
        """Which answers are paid for attention to constraints: a column of 0 and 1."""
        c, s = self.config, batch.scored
        gate = gate_mask(c.gate, [x.valid for x in s], [x.parsed for x in s], batch.samples.logps)
        if c.carl_drop_lowest:
            dropped = groups.filter_lowest(ca, c.carl_drop_lowest)[1]
            gate = gate * (~torch.tensor(dropped, device=gate.device)).float().unsqueeze(1)
        return gate

    def carl_rows(self, batch: Batch) -> tuple[list[float], Tensor]:
        """R_CA of each answer (its mean over tokens), and the column of carl_weights applied."""
        out = []
        with torch.no_grad():
            for at in self.parts(len(batch.rows)):
                part = batch.some(at, self.config.group)
                own = answer_logps(self.model, part.prompts, part.samples.ids, temperature=self.config.temperature)
                bare = answer_logps(self.model, part.bare, part.samples.ids, temperature=self.config.temperature)
                out += row_means(kl_tokens(own, bare, self.config.estimator), part.samples.mask)
        weights = self.carl_weights(batch, out)
        return [v * float(w) for v, w in zip(out, weights)], weights

    def update(self, batch: Batch, advantages: Tensor, step: int) -> dict[str, Any]:
        """``updates`` optimiser steps on GRPO's loss; ``advantages`` (answers, 1) or (answers, tokens)."""
        self.spent += self.config.updates * (sum(map(len, batch.prompts)) + int(batch.samples.mask.sum()))
        c, g = self.config, self.config.group
        t = c.temperature
        in_loss = c.alpha > 0 and c.placement == "loss"
        look = c.alpha > 0 or self.looks(step)
        parts = [batch.some(at, g) for at in self.parts(len(batch.rows))]
        splits = torch.split(advantages, [len(p.scored) for p in parts])
        with torch.no_grad():
            start = [answer_logps(self.reference, p.prompts, p.samples.ids, temperature=t) if c.beta else None for p in parts]
        gates: Sequence[Tensor] = []
        if in_loss:
            weights = self.carl_rows(batch)[1] if c.carl_drop_lowest else self.carl_weights(batch, [])
            gates = torch.split(weights, [len(p.scored) for p in parts])
        old: list[Tensor] = []
        told: dict[str, Any] = {}
        for turn in range(c.updates):
            self.optimiser.zero()
            sums: dict[str, float] = {}
            carl_rows: list[float] = []
            for i, p in enumerate(parts):
                ids, mask = p.samples.ids, p.samples.mask
                logps, entropy, _ = answer_pass(self.model, p.prompts, ids, temperature=t)
                if turn == 0:
                    old.append(logps.detach())
                carl = None
                if look:
                    with torch.no_grad():
                        bare = answer_logps(self.model, p.bare, ids, temperature=t)
                    carl = kl_tokens(logps, bare, c.estimator)
                    carl_rows += row_means(carl.detach(), mask)
                loss, clip = grpo_loss(
                    logps, old[i], splits[i][:, :logps.shape[1]], mask, clip_low=c.clip_low, clip_high=c.clip_high, reduction=c.reduction,
                    beta=c.beta, reference=start[i], alpha=c.alpha if in_loss else 0.0,
                    carl=carl * gates[i] if gates and carl is not None else None)
                share = share_of(mask, batch.samples.mask, c.reduction)
                (loss * share).backward()
                share_tokens = share_of(mask, batch.samples.mask, "token-mean")
                for name, value, part in (
                    ("loss", loss.item(), share),
                    ("clipped", masked_mean(clip.clipped.float(), mask), share_tokens),
                    ("entropy", masked_mean(entropy, mask), share_tokens),
                    ("kl", masked_mean(kl_tokens(logps.detach(), start[i]), mask) if start[i] is not None else 0.0, share_tokens),
                ):
                    sums[name] = sums.get(name, 0.0) + value * part
            lr, norm = self.optimiser.step(step)
            told = {**sums, "lr": lr, "gradient": norm}
            if not c.beta:
                del told["kl"]
            if carl_rows:
                told["carl_kl"], told["carl_p95"] = sum(carl_rows) / len(carl_rows), quantile(carl_rows, 0.95)
        return told

    def learn_ppo(self, batch: Batch, step: int) -> dict[str, Any]:
        """The PPO variant: token rewards, GAE, clipped policy and value losses."""
        c, t = self.config, self.config.temperature
        parts = [batch.some(at, c.group) for at in self.parts(len(batch.rows))]
        held: list[dict[str, Tensor]] = []
        told: dict[str, Any] = {}
        self.spent += c.updates * self.tokens(batch)
        carls: list[Tensor] = []
        carl_rows: list[float] = []
        with torch.no_grad():
            if c.alpha or self.looks(step):
                for p in parts:
                    own, bare = (answer_logps(self.model, prompts, p.samples.ids, temperature=t) for prompts in (p.prompts, p.bare))
                    carls.append(kl_tokens(own, bare, c.estimator))
                    carl_rows += row_means(carls[-1], p.samples.mask)
            # Which answers are paid depends on all of the batch.
            weights = torch.split(self.carl_weights(batch, carl_rows), [len(p.scored) for p in parts]) if c.alpha else []
            for i, p in enumerate(parts):
                ids, mask = p.samples.ids, p.samples.mask
                old, entropy, stream = answer_pass(self.model, p.prompts, ids, temperature=t)
                kl = old - answer_logps(self.reference, p.prompts, ids, temperature=t) if c.beta else None
                carl = carls[i] * weights[i] if c.alpha else None
                rewards = torch.tensor([x.reward for x in p.scored], device=ids.device)
                tokens = token_rewards(rewards, mask, beta=c.beta, kl=kl, alpha=c.alpha, carl=carl)
                values = self.value(stream).squeeze(-1) * mask
                advantages, returns = gae(tokens, values, mask, c.gamma, c.lam)
                held.append({"old": old, "values": values, "advantages": advantages, "returns": returns, "entropy": entropy,
                             "kl": kl if kl is not None else torch.zeros_like(old)})
        everything = torch.cat([h["advantages"][p.samples.mask] for h, p in zip(held, parts)])
        mean, std = everything.mean(), everything.std(unbiased=False)
        for _ in range(c.updates):
            self.optimiser.zero()
            sums = {"loss": 0.0, "value_loss": 0.0, "clipped": 0.0, "entropy": 0.0, "kl": 0.0}
            for h, p in zip(held, parts):
                mask = p.samples.mask
                logps, _, stream = answer_pass(self.model, p.prompts, p.samples.ids, temperature=t)
                loss, clip = grpo_loss(logps, h["old"], (h["advantages"] - mean) / (std + 1e-8), mask,
                                       clip_low=c.clip_low, clip_high=c.clip_high, reduction=c.reduction)
                worth = value_loss(self.value(stream).squeeze(-1), h["values"], h["returns"], mask, c.value_clip, c.reduction)
                share, tokens = share_of(mask, batch.samples.mask, c.reduction), share_of(mask, batch.samples.mask, "token-mean")
                ((loss + c.value_weight * worth) * share).backward()
                sums["loss"] += (loss.item() + c.value_weight * worth.item()) * share
                sums["value_loss"] += worth.item() * share
                sums["clipped"] += masked_mean(clip.clipped.float(), mask) * tokens
                sums["entropy"] += masked_mean(h["entropy"], mask) * tokens
                sums["kl"] += masked_mean(h["kl"], mask) * tokens
            lr, norm = self.optimiser.step(step)
            told = {**sums, "lr": lr, "gradient": norm}
        if carl_rows:
            told["carl_kl"], told["carl_p95"] = sum(carl_rows) / len(carl_rows), quantile(carl_rows, 0.95)
        return told


def share_of(mask: Tensor, whole: Tensor, reduction: str) -> float:
    """The weight of a part of a batch, so that the parts' means add up to the batch's."""
    if reduction == "token-mean":
        return int(mask.sum()) / max(1, int(whole.sum()))
    return len(mask) / len(whole)


def row_means(values: Tensor, mask: Tensor) -> list[float]:
    """The mean of each row's values that count."""
    means: list[float] = ((values * mask).sum(1) / mask.sum(1).clamp(min=1)).tolist()
    return means


def quantile(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def _seed(use: str, seed: int, step: int) -> int:
    """A seed for one use at one step."""
    return int.from_bytes(hashlib.sha256(f"{use} {seed} {step}".encode()).digest()[:7], "big")


__all__ = ["COLUMNS", "Trainer", "run_rl"]
