"""Rewards of steps on tokens, for PPO and other trainers that place rewards on tokens.

::

    result = client.score(answer, task=task, spec="shaped", step_rewards=True)
    rewards = token_rewards(result.step_rewards, result.step_lines, answer, ends)

where ``ends`` says where in the answer each of its tokens ends: from a fast tokenizer's
``return_offsets_mapping``, or by decode_ends. The rewards sum to the score. Discount them with
gamma 1: only then the best policies are those of the reward that was shaped.
"""

from __future__ import annotations

import bisect
from typing import Any, Callable, Sequence


def line_ends(text: str) -> list[int]:
    """Where each line of a text ends, its line end not counted."""
    ends, start = [], 0
    while (stop := text.find("\n", start)) >= 0:
        ends.append(stop)
        start = stop + 1
    return [*ends, len(text)]


def token_rewards(step_rewards: Sequence[float], step_lines: Sequence[int], text: str, ends: Sequence[int]) -> list[float]:
    """One reward for each token of ``text``: a step's goes to the token that completes its
    line, the last one, of the end, to the last token. ``ends`` holds the end in ``text`` of each
    token, ascending. Steps on one line share its token; lines cut off go to the last."""
    if len(step_rewards) != len(step_lines) + 1:
        raise ValueError(f"{len(step_rewards)} rewards and {len(step_lines)} lines: there is one reward more, for the end")
    if not ends:
        raise ValueError("no tokens to place rewards on")
    lines, out = line_ends(text), [0.0] * len(ends)
    for reward, line in zip(step_rewards, step_lines):
        at = lines[min(max(line, 1), len(lines)) - 1]
        out[min(bisect.bisect_left(ends, at), len(out) - 1)] += reward
    out[-1] += step_rewards[-1]
    return out


class _Ends(Sequence[int]):
    """Ends of tokens by decoding prefixes, each when it is first looked at."""

    def __init__(self, decode: Callable[[Sequence[int]], str], ids: Sequence[int]):
        self._decode, self._ids = decode, ids
        self._known: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, index: Any) -> Any:
        if index not in self._known:
            self._known[index] = len(self._decode(self._ids[: index + 1]))
        return self._known[index]


def decode_ends(decode: Callable[[Sequence[int]], str], ids: Sequence[int]) -> Sequence[int]:
    """The ends of tokens in ``decode(ids)``, for tokenizers without offsets. Only the prefixes
    that are looked at are decoded, a few for each step."""
    return _Ends(decode, ids)


__all__ = ["decode_ends", "line_ends", "token_rewards"]
