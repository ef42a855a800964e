"""Answers of a model and their log-probabilities."""

from __future__ import annotations

import math
from typing import Mapping, NamedTuple, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from ..errors import PlanproofError
from .model import Model, Prefix, pad_left
from .tokens import Tokenizer


class TooLong(PlanproofError):
    """A prompt and its answer do not fit into the model's context."""


class Samples(NamedTuple):
    """Answers to B prompts, G each; row r answers prompt r // G. N = B * G.

    ids, mask, logps: (N, T), T the longest answer; the mask has the end token too.
    logps: log-probabilities at the temperature of sampling, 0 where the mask is 0.
    ended: whether the answer came to its end; else it was cut off. texts: decoded.
    """

    ids: Tensor
    mask: Tensor
    logps: Tensor
    ended: list[bool]
    texts: list[str]


def check_lengths(model: Model, prompts: Mapping[str, Sequence[int]], answers: Mapping[str, int]) -> None:
    """Raises TooLong, before a run begins, if some batch of them would not fit: a batch has
    room for its longest prompt and its longest answer. Keys say where they are; values are
    tokens, and numbers of tokens."""
    prompt, answer = max(prompts, key=lambda k: len(prompts[k])), max(answers, key=lambda k: answers[k])
    longest, most = len(prompts[prompt]), answers[answer]
    if longest + most - 1 > model.context:
        raise TooLong(f"{prompt} has {longest} tokens, {answer} {most}: together they do not fit into the context of {model.context}")


def read_prompts(model: Model, prompts: Sequence[Sequence[int]], answer_tokens: int) -> tuple[Prefix, Tensor]:
    """The prompts without their last tokens as a Prefix, and these tokens (B), which are
    the first inputs of the answers. Raises TooLong."""
    longest = max(map(len, prompts))
    # The last token of an answer is never an input.
    if longest + answer_tokens - 1 > model.context:
        raise TooLong(f"a prompt of {longest} tokens and an answer of {answer_tokens} do not fit into the context of {model.context}")
    ids, real = pad_left([p[:-1] for p in prompts], 0, model.device)
    return model.read(ids, real), torch.tensor([p[-1] for p in prompts], device=model.device)


def answer_logps(
    model: Model, prompts: Sequence[Sequence[int]], answers: Tensor, *, temperature: float = 1.0
) -> Tensor:
    """Log-probabilities (N, T) of answers' tokens (N, T), padded right, N a multiple of the
    number of prompts; what stands behind an answer's end has some number, for a mask."""
    return answer_pass(model, prompts, answers, temperature=temperature)[0]


def any_logps(model: Model, prompts: Sequence[Sequence[int]], answers: Tensor, sets: Sequence[Sequence[Sequence[int]]]) -> Tensor:
    """As answer_logps of one answer to each prompt, with the log-probability that any token of a set stands in the place of
    each; ``sets`` has them for each token of an answer."""
    most = max(len(tokens) for told in sets for tokens in told)
    # What a set lacks is filled with its first token, which counts once.
    filled = [[[*tokens, *[tokens[0]] * (most - len(tokens))] for tokens in told] + [[0] * most] * (answers.shape[1] - len(told)) for told in sets]
    chosen = torch.tensor(filled, device=model.device)
    again = (chosen == chosen[..., :1]) & (torch.arange(most, device=model.device) > 0)
    with model.precision():
        prefix, last = read_prompts(model, prompts, answers.shape[1])
        logits = model.logits(model(torch.cat((last.unsqueeze(1), answers[:, :-1]), 1), prefix))
    return F.log_softmax(logits, -1).gather(-1, chosen).masked_fill(again, -math.inf).logsumexp(-1)


def answer_pass(
    model: Model, prompts: Sequence[Sequence[int]], answers: Tensor, *, temperature: float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    """answer_logps, with the entropies (N, T) and the stream (N, T, width) before each token."""
    with model.precision():
        prefix, last = read_prompts(model, prompts, answers.shape[1])
        group = answers.shape[0] // len(prompts)
        first = last.repeat_interleave(group).unsqueeze(1)
        stream = model(torch.cat((first, answers[:, :-1]), 1), prefix)
        logits = model.logits(stream)
    logps = F.log_softmax(logits if temperature == 1 else logits / temperature, -1)
    with torch.no_grad():
        entropy = -(logps.exp() * logps).sum(-1)
    return logps.gather(-1, answers.unsqueeze(-1)).squeeze(-1), entropy, stream.float()


@torch.no_grad()
def sample(
    model: Model,
    tokenizer: Tokenizer,
    prompts: Sequence[Sequence[int]],
    *,
    group: int = 1,
    temperature: float = 1.0,
    max_tokens: int = 96,
    seed: int = 0,
) -> Samples:
    """Writes ``group`` answers to each prompt (token rows of Tokenizer.prompt).

    Temperature 0 takes the likeliest token. The answer r at token t depends on the seed's
    random number (r, t) only, not on what else is in the batch.
    """
    b, device = len(prompts), model.device
    random = torch.Generator().manual_seed(seed)
    draws = torch.rand(b, group, max_tokens, generator=random).to(device) if temperature > 0 else None
    ids = torch.full((b, group, max_tokens), tokenizer.pad, device=device)
    logps = torch.zeros(b, group, max_tokens, device=device)
    mask = torch.zeros(b, group, max_tokens, dtype=torch.bool, device=device)
    with model.precision():
        prefix, last = read_prompts(model, prompts, max_tokens)
        cache = model.cache(prefix, group, max_tokens)
        at = torch.arange(b, device=device)  # the prompts that are not done
        going = torch.ones(b, group, dtype=torch.bool, device=device)
        token = last.unsqueeze(1).expand(b, group)
        length = 0
        for t in range(max_tokens):
            length = t + 1
            logits = model.logits(model(token.reshape(-1, 1), prefix, cache)).view(len(at), group, -1)
            if draws is None:
                scores = F.log_softmax(logits, -1)
                token = scores.argmax(-1)
            else:
                scores = F.log_softmax(logits / temperature, -1)
                token = _draw(scores, draws[at, :, t])
            token = torch.where(going, token, torch.full_like(token, tokenizer.pad))
            ids[at, :, t], mask[at, :, t] = token, going
            logps[at, :, t] = scores.gather(-1, token.unsqueeze(-1)).squeeze(-1) * going
            going = going & (token != tokenizer.end)
            if t % 4 == 3:  # looking waits for a GPU
                alive = going.any(1).nonzero().squeeze(1)
                if len(alive) == 0:
                    break
                if len(alive) <= 0.8 * len(at):
                    at, going, token, prefix = at[alive], going[alive], token[alive], prefix.rows(alive)
                    cache.rows(alive)
    length = min(length, int(mask.sum(-1).max()))
    ids, mask, logps = (x[:, :, :length].flatten(0, 1) for x in (ids, mask, logps))
    lengths, rows = mask.sum(1).tolist(), ids.tolist()
    ended = [rows[r][n - 1] == tokenizer.end for r, n in enumerate(lengths)]
    return Samples(ids, mask, logps, ended, [tokenizer.decode(row[:n]) for row, n in zip(rows, lengths)])


def _draw(scores: Tensor, draws: Tensor) -> Tensor:
    """One token of each distribution, by the inverse of its cumulative sum. In float64:
    in float32 the sum's end may miss 1 by more than a rare token's share."""
    sums = scores.double().exp().cumsum(-1)
    at = torch.searchsorted(sums, (draws.double() * sums[..., -1]).unsqueeze(-1), right=True)
    return at.squeeze(-1).clamp(max=scores.shape[-1] - 1)


__all__ = ["Samples", "TooLong", "answer_logps", "answer_pass", "any_logps", "check_lengths", "read_prompts", "sample"]
