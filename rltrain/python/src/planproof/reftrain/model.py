"""The decoder: pre-norm transformer, rotary positions, tied embeddings.

A batch is B prompts with G answers each. A prompt is read once (``read``), whatever G is,
and its keys and values, a Prefix, are shared by its answers: when they are sampled token
by token, and when their log-probabilities are computed with gradients::

    prompts (B, P), padded left ──read──► Prefix (B, heads, P, head width) per layer
    answers (B*G, T), padded right ──────────► forward(ids, prefix) ─► (B*G, T, width) ─► logits

Rows of one prompt are neighbours: answer row r belongs to prompt r // G.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import ModelConfig
from .matmul import Linear, linear

_NEVER = -1e9  # finite: a row of padding sees nothing and must not become NaN


class Prefix(NamedTuple):
    """Prompts as the layers see them: per layer keys and values (B, heads, P, head width),
    where they are real (B, P), and their lengths (B)."""

    layers: list[tuple[Tensor, Tensor]]
    real: Tensor
    lengths: Tensor

    def rows(self, index: Tensor) -> "Prefix":
        """Some of the prompts."""
        return Prefix([(k[index], v[index]) for k, v in self.layers], self.real[index], self.lengths[index])

    def detach(self) -> "Prefix":
        """The same without gradients."""
        return Prefix([(k.detach(), v.detach()) for k, v in self.layers], self.real, self.lengths)


class Cache:
    """Keys and values of the answer tokens so far: per layer (B, heads, G, T, head width)."""

    def __init__(self, prefix: Prefix, group: int, length: int):
        self.layers = []
        for like, _ in prefix.layers:
            shape = (*like.shape[:2], group, length, like.shape[3])
            self.layers.append((like.new_empty(shape), like.new_empty(shape)))
        self.length = 0

    def rows(self, index: Tensor) -> None:
        """Keeps some of the prompts."""
        self.layers = [(k[index], v[index]) for k, v in self.layers]


def pad_left(rows: Sequence[Sequence[int]], pad: int, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """Token rows of any lengths as (ids, real), both (B, longest)."""
    return _pad(rows, pad, device, left=True)


def pad_right(rows: Sequence[Sequence[int]], pad: int, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """As pad_left, with the padding behind."""
    return _pad(rows, pad, device, left=False)


def _pad(rows: Sequence[Sequence[int]], pad: int, device: torch.device | str, left: bool) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    ids = torch.tensor([[pad] * (longest - len(r)) + list(r) if left else list(r) + [pad] * (longest - len(r)) for r in rows],
                       dtype=torch.long)
    lengths = torch.tensor([len(r) for r in rows]).unsqueeze(1)
    at = torch.arange(longest)
    real = at >= longest - lengths if left else at < lengths
    return ids.to(device), real.to(device)


class Model(nn.Module):
    """What answers are sampled from and what is trained: a Decoder, or a pretrained model (pretrained.py). ``config`` is
    what it was made of, ``context`` the most tokens of a prompt and its answer, ``width`` that of the stream."""

    config: Any
    context: int
    width: int
    #: Answers that are sampled at a time.
    rows = 1024
    #: Compute in bfloat16, where the caller uses precision().
    bf16 = False

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def precision(self) -> torch.autocast:
        """The context in which the model computes: bfloat16 if ``bf16`` is set."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def weights(self) -> dict[str, Tensor]:
        """The weights that a file of the model keeps."""
        weights: dict[str, Tensor] = self.state_dict()
        return weights

    def restore(self, weights: dict[str, Tensor]) -> None:
        """Undoes weights. Raises RuntimeError if they are those of another model."""
        self.load_state_dict(weights)

    def read(self, ids: Tensor, real: Tensor) -> Prefix:
        """Reads prompts (B, P) whose padding is on the left. P may be 0."""
        raise NotImplementedError

    def cache(self, prefix: Prefix, group: int, length: int) -> Any:
        """Room for ``group`` answers to each prompt, of so many tokens."""
        return Cache(prefix, group, length)

    def forward(self, ids: Tensor, prefix: Prefix, cache: Any = None) -> Tensor:
        """The stream's end (B*G, T, width) of answers (B*G, T) to the prompts of prefix.

        With a cache the ids go on where it ends, and are added to it.
        """
        raise NotImplementedError

    def logits(self, stream: Tensor) -> Tensor:
        """Scores of the next token, in float32."""
        raise NotImplementedError


class Block(nn.Module):
    """Attention and MLP, each added to the stream."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = Linear(width, 3 * width, bias=False), Linear(width, width, bias=False)
        self.up, self.down = Linear(width, 4 * width), Linear(4 * width, width)

    def project(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values (B, heads, G, T, head width) of x (B, G, T, width)."""
        b, g, t, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(b, g, t, 3, self.heads, width // self.heads).permute(3, 0, 4, 1, 2, 5)
        qk = rotate(qkv[:2], turn)
        return qk[0], qk[1], qkv[2]

    def finish(self, x: Tensor, seen: Tensor) -> Tensor:
        """Adds what attention saw (B, heads, G, T, head width) and the MLP to x."""
        x = x + self.out(seen.permute(0, 2, 3, 1, 4).flatten(-2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def rotate(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions (Su et al. 2021): pairs of channels turn with the position."""
    cos, sin = (part.to(x.dtype) for part in turn)
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


class Composed(nn.Module):
    """Embeddings of tokens that are sums of their words', each turned by a map of its place in the token: a word that
    is learned in one token is known in all, and the same word in two places stays recognisable."""

    def __init__(self, parts: Sequence[Sequence[str]], width: int):
        super().__init__()
        told = [[part.partition(" ") for part in token] for token in parts]
        known = {word: i for i, word in enumerate(sorted({word for token in told for word, _, _ in token}))}
        mix = torch.zeros(max(map(len, told)), len(told), len(known))
        for i, token in enumerate(told):
            for word, _, place in token:
                mix[int(place or 0), i, known[word]] = len(token) ** -0.5
        self.register_buffer("mix", mix, persistent=False)
        self.weight = nn.Parameter(torch.randn(len(known), width) * width**-0.5)
        self.places = nn.Parameter(torch.randn(len(mix) - 1, width, width) * width**-0.5)

    def forward(self) -> Tensor:
        """The embeddings of all tokens (vocabulary, width)."""
        out: Tensor = self.mix[0] @ self.weight
        for mix, place in zip(self.mix[1:], self.places):
            out = out + mix @ (self.weight @ place)
        return out


class Decoder(Model):
    """Our own model; ``config`` and ``vocabulary`` (its size) are what it was made of. ``parts``: what each
    token consists of; tokens with parts in common have alike embeddings to begin with."""

    def __init__(self, config: ModelConfig, vocabulary: int, parts: Sequence[Sequence[str]] = ()):
        super().__init__()
        self.config, self.vocabulary = config, vocabulary
        self.context, self.width = config.context, config.width
        self.head_width = config.width // config.heads
        if config.composed and len(parts) != vocabulary:
            raise ValueError(f"tokens that are composed need the parts of all {vocabulary}, not of {len(parts)}")
        self.embed = Composed(parts, config.width) if config.composed else nn.Embedding(vocabulary, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        pairs = torch.arange(0, self.head_width, 2) / self.head_width
        turns = torch.arange(config.context).unsqueeze(1) / 10000**pairs * (pairs < config.rotary)
        self.register_buffer("cos", turns.cos(), persistent=False)
        self.register_buffer("sin", turns.sin(), persistent=False)
        self._start(() if config.composed else parts)

    def _start(self, parts: Sequence[Sequence[str]]) -> None:
        """Weights to begin with: every product keeps its input's size, and what adds to the
        stream adds up to that of one layer. (Small weights, as large models begin with, made
        models of this size learn several times as slowly.)"""
        for name, p in self.named_parameters():
            if p.dim() == 2:
                small = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=p.shape[1] ** -0.5 * ((2 * self.config.layers) ** -0.5 if small else 1.0))
        if parts:
            known = {part: i for i, part in enumerate(sorted({part for told in parts for part in told}))}
            drawn = torch.randn(len(known), self.config.width) * self.config.width**-0.5
            with torch.no_grad():
                for row, told in zip(self.embed.weight, parts, strict=True):
                    row.copy_(drawn[[known[part] for part in told]].sum(0) * len(told) ** -0.5)

    def table(self) -> Tensor:
        """The embeddings of all tokens."""
        if not isinstance(self.embed, Composed):
            return self.embed.weight
        with torch.autocast(self.device.type, enabled=False):
            table: Tensor = self.embed()
        return table

    def _turn(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """cos and sin for positions (B, 1, T), to go with (B, heads, G, T, head width)."""
        at = positions.unsqueeze(1)
        return self.cos[at], self.sin[at]

    def read(self, ids: Tensor, real: Tensor) -> Prefix:
        lengths = real.sum(1)
        b, p = ids.shape
        # The padding has position 0 too: nothing looks at it.
        turn = self._turn((real.cumsum(1) - 1).clamp(min=0).unsqueeze(1))
        at = torch.arange(p, device=ids.device)
        sees = (at <= at.unsqueeze(1)) & real.unsqueeze(1)  # (B, P, P)
        bias = torch.zeros(sees.shape, device=ids.device).masked_fill(~sees, _NEVER)[:, None, None]
        x = F.embedding(ids, self.table()).unsqueeze(1)
        layers = []
        for i, block in enumerate(self.blocks):
            q, k, v = block.project(x, turn)
            layers.append((k.squeeze(2), v.squeeze(2)))
            if i + 1 < len(self.blocks):  # of the last layer only keys and values are of use
                weights = (q @ k.transpose(-1, -2) * self.head_width**-0.5 + bias).softmax(-1)
                x = block.finish(x, weights.to(v.dtype) @ v)
        return Prefix(layers, real, lengths)

    def forward(self, ids: Tensor, prefix: Prefix, cache: Cache | None = None) -> Tensor:
        prompts = prefix.lengths.shape[0]
        group, t = ids.shape[0] // prompts, ids.shape[1]
        done = cache.length if cache is not None else 0
        at = torch.arange(done, done + t, device=ids.device)
        turn = self._turn((prefix.lengths.unsqueeze(1) + at).unsqueeze(1))
        before = torch.zeros(prefix.real.shape, device=ids.device).masked_fill(~prefix.real, _NEVER)[:, None, None, None]
        within = torch.zeros(t, done + t, device=ids.device)
        if t > 1:
            within.masked_fill_(torch.arange(done + t, device=ids.device) > at.unsqueeze(1), _NEVER)
        x = F.embedding(ids, self.table()).view(prompts, group, t, -1)
        for i, block in enumerate(self.blocks):
            q, k, v = block.project(x, turn)
            if cache is not None:
                keys, values = cache.layers[i]
                keys[:, :, :, done:done + t], values[:, :, :, done:done + t] = k, v
                k, v = keys[:, :, :, :done + t], values[:, :, :, :done + t]
            x = block.finish(x, attend(q * self.head_width**-0.5, k, v, *prefix.layers[i], before, within))
        if cache is not None:
            cache.length += t
        return self.norm(x).view(prompts * group, t, -1)

    def logits(self, stream: Tensor) -> Tensor:
        return linear(stream, self.table()).float()


def attend(q: Tensor, k: Tensor, v: Tensor, prompt_k: Tensor, prompt_v: Tensor, before: Tensor, within: Tensor) -> Tensor:
    """Attention of answers (B, heads, G, T, d) over their prompt, shared by the group
    (B, heads, P, d), and over themselves. One product serves all answers to a prompt."""
    b, h, g, t, d = q.shape
    p = prompt_k.shape[2]
    flat = q.reshape(b, h, g * t, d)
    scores = torch.cat((
        (flat @ prompt_k.transpose(-1, -2)).view(b, h, g, t, p) + before,
        q @ k.transpose(-1, -2) + within,
    ), -1)
    weights = scores.softmax(-1).to(v.dtype)
    seen = (weights[..., :p].reshape(b, h, g * t, p) @ prompt_v).view(b, h, g, t, d)
    return seen + weights[..., p:] @ v


def parameters(model: nn.Module) -> int:
    """How many numbers a model has."""
    return sum(p.numel() for p in model.parameters())


__all__ = ["Cache", "Decoder", "Model", "Prefix", "pad_left", "pad_right", "parameters"]
