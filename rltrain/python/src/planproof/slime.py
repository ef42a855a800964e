"""Reward functions for slime; nothing of slime is imported::

    --custom-rm-path planproof.slime.reward --input-key prompt --label-key task --apply-chat-template

with rows of ``planproof export --format trl-grpo --inline-tasks``; with ``--group-rm``, too. Settings
are the package's variables (PLANPROOF_URL, PLANPROOF_SPEC, ...). When the oracle is unavailable the
function raises, which ends the rollout. Without Python on the reward's side:
``--rm-type remote_rm --rm-url http://127.0.0.1:8700/v1/reward-model``, which cannot tell an answer
that was cut off.
"""

from __future__ import annotations

import asyncio
import functools
from typing import Any

from .rewards import Judge


@functools.cache
def judge() -> Judge:
    """The judge of this process."""
    return Judge()


async def reward(args: Any, sample: Any, **kwargs: Any) -> Any:
    """The score of a Sample, or those of a list of Samples."""
    if isinstance(sample, (list, tuple)):
        return list(await asyncio.gather(*(reward(args, one) for one in sample)))
    cut = getattr(sample.status, "value", sample.status) == "truncated"
    result = await judge().one(sample.label, sample.response, "length" if cut else "stop")
    return result.score


__all__ = ["judge", "reward"]
