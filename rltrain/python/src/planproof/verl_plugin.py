"""Plug-in for verl >= 0.9, loaded by the entry point ``verl.plugins``.

It registers the reward manager ``planproof``, so that no path is needed::

    reward.reward_manager.name=planproof
    +reward.reward_kwargs.url=http://127.0.0.1:8700

Over compute_score the manager has that it sees whether a response was cut off.
"""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

from .verl import _SETTINGS, compute_score


def make_manager(base: type) -> type:
    """The reward manager, as a subclass of verl's RewardManagerBase."""

    class PlanproofRewardManager(base):
        """Scores each finished response with the oracle."""

        def __init__(self, config, tokenizer, compute_score=None, *args, **kwargs):
            try:
                super().__init__(config, tokenizer, compute_score)
            except TypeError:  # verl 0.8
                super().__init__(config, tokenizer)
            self.config, self.tokenizer = config, tokenizer
            self._kwargs = _reward_kwargs(config)
            _warn_of_old_keys(config)
            try:
                self.loop = asyncio.get_running_loop()
            except RuntimeError:
                self.loop = getattr(self, "loop", None)

        async def run_single(self, data) -> dict[str, Any]:
            item = data[-1:][0]
            responses = item.batch["responses"]
            width = responses.shape[-1]
            length = int(item.batch["attention_mask"][-width:].sum())
            tokens = responses[:length]
            columns = item.non_tensor_batch
            text = self.tokenizer.decode(tokens, skip_special_tokens=True)
            extra = dict(columns.get("extra_info") or {})
            if length == width and not self._ended(tokens):
                extra["finish"] = "length"
            result = await compute_score(
                columns.get("data_source", ""), text, columns["reward_model"]["ground_truth"], extra, **self._kwargs)
            return {"reward_score": result["score"], "reward_extra_info": result}

        def _ended(self, tokens) -> bool:
            ends = getattr(self.tokenizer, "eos_token_id", None)
            ends = ends if isinstance(ends, (list, tuple, set)) else {ends}
            return len(tokens) > 0 and int(tokens[-1]) in ends

    return PlanproofRewardManager


def _get(config: Any, *path: str) -> Any:
    for name in path:
        if config is None:
            return None
        get = getattr(config, "get", None)
        config = get(name) if get is not None else getattr(config, name, None)
    return config


def _reward_kwargs(config: Any) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for path in (("reward_model", "reward_kwargs"), ("reward", "reward_kwargs"), ("reward", "custom_reward_function", "reward_kwargs")):
        given.update(_get(config, *path) or {})
    return {k: v for k, v in given.items() if k in (*_SETTINGS, "on_error")}


def _warn_of_old_keys(config: Any) -> None:
    """verl 0.9's main_ppo accepts the old keys and ignores them."""
    if _get(config, "reward") is None:
        return
    for path in (("custom_reward_function", "path"), ("reward_model", "reward_manager")):
        if _get(config, *path):
            warnings.warn(f"{'.'.join(path)} is set, which this verl ignores: use reward.{'.'.join(path)}", stacklevel=3)


def register() -> bool:
    """Registers the manager; says whether there is a verl to register with."""
    try:
        from verl.experimental.reward_loop.reward_manager import register as register_manager
        from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase
    except ImportError as err:
        # verl loads plug-ins while it is being imported, and tells nobody when one fails.
        warnings.warn(f"planproof's reward manager is not registered with verl: {err}", stacklevel=2)
        return False
    register_manager("planproof")(make_manager(RewardManagerBase))
    return True


REGISTERED = register()
