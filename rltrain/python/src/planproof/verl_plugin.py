"""Plug-in for verl >= 0.9, loaded by the entry point ``verl.plugins``.

It registers the reward manager ``planproof``, so that no path is needed::

    reward.reward_manager.name=planproof
    +reward.reward_kwargs.url=http://127.0.0.1:8700

Over compute_score the manager has that it sees whether a response was cut off, and, with
``+reward.reward_kwargs.step_rewards=true`` and a reward of kind shaped, that it puts the rewards of the
steps of a plan on tokens: key ``token_rewards``, which the trainer of planproof.verl_trainer places.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

from ._adapt import plain
from .schema import Result
from .steps import decode_ends, token_rewards
from .verl import _SETTINGS, score_item


def make_manager(base: type) -> type:
    """The reward manager, as a subclass of verl's RewardManagerBase."""

    class PlanproofRewardManager(base):
        """Scores each finished response with the oracle."""

        def __init__(self, config: Any, tokenizer: Any, compute_score: Any = None, *args: Any, **kwargs: Any):
            try:
                super().__init__(config, tokenizer, compute_score)
            except TypeError:  # verl 0.8
                super().__init__(config, tokenizer)
            self.config, self.tokenizer = config, tokenizer
            self._kwargs = _reward_kwargs(config)
            self._steps = bool(self._kwargs.pop("step_rewards", False))
            _warn_of_old_keys(config)
            try:
                self.loop: Any = asyncio.get_running_loop()
            except RuntimeError:
                self.loop = getattr(self, "loop", None)

        async def run_single(self, data: Any) -> dict[str, Any]:
            item = data[-1:][0]
            columns = item.non_tensor_batch
            tokens = self._tokens(item)
            text = self.tokenizer.decode(tokens, skip_special_tokens=True)
            extra = dict(columns.get("extra_info") or {})
            extra["finish"] = "length" if self._cut(item, tokens) else "stop"
            result, told = await score_item(text, columns["reward_model"]["ground_truth"], extra, self._kwargs, self._steps)
            if self._steps:
                told["token_rewards"] = self._placed(result, tokens, text)
            return {"reward_score": told["score"], "reward_extra_info": told}

        @staticmethod
        def _tokens(item: Any) -> Any:
            """The tokens of the response. Several outputs of one rollout are padded
            together at their right ends, so that where one ends only its column tells."""
            responses = item.batch["responses"]
            length = item.non_tensor_batch.get("response_len")
            if length is None:
                length = item.batch["attention_mask"][-responses.shape[-1]:].sum()
            return responses[: int(length)]

        def _cut(self, item: Any, tokens: Any) -> bool:
            """Whether the response has the greatest length and no end. While rollouts go on
            verl passes responses without padding: their width says nothing then."""
            most = _get(self.config, "actor_rollout_ref", "rollout", "response_length") or item.batch["responses"].shape[-1]
            return len(tokens) >= int(most) and not self._ended(tokens)

        def _placed(self, result: Result, tokens: Any, text: str) -> str:
            if result.step_rewards is None or len(tokens) == 0:
                return "[]"
            ids = tokens.tolist()
            ends = decode_ends(lambda part: self.tokenizer.decode(part, skip_special_tokens=True), ids)
            placed = token_rewards(result.step_rewards, result.step_lines or [], text, ends)
            return json.dumps([[i, r] for i, r in enumerate(placed) if r])

        def _ended(self, tokens: Any) -> bool:
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
    return {k: plain(v) for k, v in given.items() if k in (*_SETTINGS, "on_error", "step_rewards")}


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
