"""Trainers for verl >= 0.9 (``trainer.use_v1``): CARL, and rewards of steps on their tokens.

::

    VERL_USE_EXTERNAL_MODULES=planproof.verl_trainer python -m verl.trainer.main_ppo
        trainer.v1.trainer_mode=carl_sync +carl.alpha=0.001 +carl.kind=low_var_kl
        reward.reward_manager.name=planproof algorithm.adv_estimator=grpo
        actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.use_kl_loss=True ...

(On a Ray cluster that runs already its workers need the variable, too:
``+ray_kwargs.ray_init.runtime_env.env_vars.VERL_USE_EXTERNAL_MODULES=planproof.verl_trainer``.)

``planproof_sync`` is verl's synchronous trainer that places ``token_rewards`` where the reward manager
``planproof`` gives them (step_rewards=true). ``carl_sync`` has the constraint-aware term as well. A data set
row then has a column ``unconstrained_prompt``, messages as in ``prompt`` without the constraints.

| carl. | is |
| --- | --- |
| ``alpha``, ``kind`` | weight (0.001) and estimator (``low_var_kl``; ``dif``, ``abs``, ``mse``) |
| ``placement`` | ``loss``, the paper's GRPO form; ``reward``, token by token, refused for estimators that divide a group by its deviation |
| ``gate`` | ``none``, or ``valid``: only responses with a valid plan are paid |

Written from and tested with verl 0.9.1 on a CPU: its own trainer classes, TransferQueue, agent and reward loops,
with a stand-in for the engine and the inference server. Not run: training with a GPU engine (FSDP, Megatron,
vLLM, SGLang), several nodes, multimodal models, agent loops whose first prompt has tools.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import torch
import transfer_queue as tq
from omegaconf import OmegaConf, open_dict
from tensordict import TensorDict
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import TRAINER_REGISTRY, register_trainer
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.utils.padding import response_from_nested

from .carl import kl_tokens
from .groups import ESTIMATORS
from .verl_carl import add_carl_rewards, carl_ppo_loss, divides_by_std

#: Where the sequences without constraints are while their log-probabilities are computed.
PARTITION = "planproof_carl"


def _nested(rows: list[Any]) -> Any:
    return torch.nested.as_nested_tensor(rows, layout=torch.jagged)


def _rows(nested: Any) -> list[Any]:
    return list(nested.unbind(0))


def _objects(column: Any) -> list[Any]:
    """A column that is no tensor as a list of its values."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [getattr(v, "data", v) for v in values]


class PlanproofTrainer(PPOTrainerSync):
    """verl's synchronous trainer, with rewards of steps on their tokens."""

    #: The name by which it is chosen. The base tests trainer_mode for "sync", so that is
    #: what it is told, before it looks.
    MODE = "planproof_sync"

    def __init__(self, config: Any):
        with open_dict(config):
            modes = config.trainer.v1
            modes.trainer_mode = "sync"
            if modes.get(self.MODE) is not None:
                modes.sync = OmegaConf.merge(modes.get("sync") or {}, modes[self.MODE])
        super().__init__(config)

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        self._place_step_rewards(batch, metrics)
        return super()._compute_advantage(batch, metrics=metrics)

    def _place_step_rewards(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> None:
        """Moves what the reward manager gave to tokens to these tokens. The sum of a response
        stays its score, so that estimators that only see sums see no difference."""
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=["rm_scores", "extra_fields"])
        if "extra_fields" not in data.keys():
            return
        scores, placed = [], 0
        for tag, row, extra in zip(batch.tags, _rows(data["rm_scores"]), _objects(data["extra_fields"]), strict=True):
            told = ((extra or {}).get("reward_extra_info") or {}).get("token_rewards")
            if told and not tag.get("is_padding", False):
                row = torch.zeros_like(row)
                for index, reward in json.loads(told):
                    row[index] = reward
                placed += 1
            scores.append(row)
        if placed:
            tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=TensorDict({"rm_scores": _nested(scores)}, batch_size=len(batch)))
            metrics["planproof/step_rewards"] = placed


class CarlTrainer(PlanproofTrainer):
    """The same with CARL's constraint-aware term."""

    MODE = "carl_sync"

    def __init__(self, config: Any):
        carl = config.get("carl") or {}
        known = {"alpha": 0.001, "kind": "low_var_kl", "placement": "loss", "gate": "none"}
        unknown = sorted(set(carl) - set(known))
        if unknown:
            raise ValueError(f"carl.{unknown[0]} is no setting: there are {', '.join(known)}")
        told = {**known, **carl}
        self.carl_alpha, self.carl_kind = float(told["alpha"]), str(told["kind"])
        self.carl_placement, self.carl_gate = str(told["placement"]), str(told["gate"])
        if self.carl_kind not in ESTIMATORS:
            raise ValueError(f"carl.kind is {self.carl_kind!r}: there are {', '.join(ESTIMATORS)}")
        if self.carl_placement not in ("loss", "reward"):
            raise ValueError(f"carl.placement is {self.carl_placement!r}: it is loss or reward")
        if self.carl_gate not in ("none", "valid"):
            raise ValueError(f"carl.gate is {self.carl_gate!r}: it is none or valid")
        algorithm = config.algorithm
        if self.carl_placement == "reward" and divides_by_std(str(algorithm.adv_estimator), algorithm.get("norm_adv_by_std_in_grpo", True)):
            raise ValueError(f"carl.placement=reward with {algorithm.adv_estimator}: a group of equal rewards, divided by its deviation, "
                             "would blow the term up: use placement=loss, or algorithm.norm_adv_by_std_in_grpo=False")
        super().__init__(config)
        self._carl_builder: Any = None

    # -- in the loss -------------------------------------------------------------------

    def on_init_end(self) -> None:
        """Gives the workers the loss with the term."""
        super().on_init_end()
        if self.carl_placement == "loss":
            if (self.config.get("distillation") or {}).get("enabled", False):
                raise ValueError("carl.placement=loss replaces the actor's loss, and distillation has one of its own: use placement=reward")
            actor = omega_conf_to_dataclass(self.config.actor_rollout_ref.actor)
            self.actor_rollout_wg.set_loss_fn(partial(carl_ppo_loss, config=actor, alpha=self.carl_alpha, kind=self.carl_kind))

    # -- the second forward pass -------------------------------------------------------

    def _compute_old_log_prob(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """Also computes the log-probabilities without the constraints. It is done here, after
        verl has balanced the batch, since rows that it pads with clone a real row."""
        batch = super()._compute_old_log_prob(batch, metrics=metrics)
        fields = ["prompts", "responses", "response_mask", "old_log_probs", "raw_prompt", "unconstrained_prompt"]
        if self.carl_gate == "valid":
            fields.append("extra_fields")
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=fields)
        if "unconstrained_prompt" not in data.keys():
            raise ValueError("CARL needs the column unconstrained_prompt in the data set")
        masks, padding = _rows(data["response_mask"]), [tag.get("is_padding", False) for tag in batch.tags]
        log_probs = self._unconstrained_log_probs(batch, data, padding)
        gates = [torch.full_like(m, float(gate)) for m, gate in zip(masks, self._gates(data, padding), strict=True)]
        carl_masks = [m * g for m, g in zip(masks, gates, strict=True)]
        # What is written last says which fields the workers will see.
        written = tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=TensorDict(
            {"uncon_log_prob": _nested(log_probs), "carl_mask": _nested(carl_masks)}, batch_size=len(batch)))
        written.extra_info.update(batch.extra_info or {})
        self._carl_metrics(_rows(data["old_log_probs"]), log_probs, masks, carl_masks, metrics)
        return written

    def _gates(self, data: Any, padding: list[bool]) -> list[bool]:
        if self.carl_gate == "none":
            return [not pad for pad in padding]
        told = [((extra or {}).get("reward_extra_info") or {}) for extra in _objects(data["extra_fields"])]
        if any("acc" not in t for t, pad in zip(told, padding) if not pad):
            raise ValueError("carl.gate=valid needs the key acc of the reward: use planproof's reward")
        return [not pad and t.get("acc") == 1 for t, pad in zip(told, padding)]

    def _unconstrained_log_probs(self, batch: KVBatchMeta, data: Any, padding: list[bool]) -> list[Any]:
        prompts, responses, masks = (_rows(data[name]) for name in ("prompts", "responses", "response_mask"))
        raw, without = _objects(data["raw_prompt"]), _objects(data["unconstrained_prompt"])
        first = padding.index(False) if False in padding else None
        if first is not None:
            self._check_template(raw[first], prompts[first])
        heads: dict[str, Any] = {}
        rows: dict[str, list[Any]] = {name: [] for name in ("input_ids", "position_ids", "prompts", "responses", "response_mask", "loss_mask")}
        for i, pad in enumerate(padding):
            if pad:  # has no prompt of its own, and counts nowhere
                head = prompts[i]
            else:
                key = json.dumps(without[i], default=str)
                if key not in heads:
                    heads[key] = torch.tensor(self._prompt_ids(without[i]), dtype=prompts[i].dtype)
                head = heads[key]
            ids = torch.cat([head, responses[i]])
            for name, row in zip(rows, (ids, torch.arange(len(ids)), head, responses[i], masks[i], masks[i])):
                rows[name].append(row)
        keys = [f"{PARTITION}_{key}" for key in batch.keys]
        tags = [{**tag, "prompt_len": len(p), "seq_len": len(s)} for tag, p, s in zip(batch.tags, rows["prompts"], rows["input_ids"], strict=True)]
        meta = tq.kv_batch_put(keys=keys, partition_id=PARTITION, tags=tags,
                               fields=TensorDict({name: _nested(r) for name, r in rows.items()}, batch_size=len(batch)))
        try:
            meta.extra_info.update(calculate_entropy=False, compute_loss=False, temperature=self.config.actor_rollout_ref.rollout.temperature)
            output = self.actor_rollout_wg.compute_log_prob(meta)
            if len(output) != len(batch):
                raise RuntimeError(f"{len(batch)} sequences and {len(output)} log-probabilities")
            got = tq.kv_batch_get(keys=keys, partition_id=PARTITION, select_fields=["log_probs", "response_mask"])
            out = _rows(response_from_nested(got["log_probs"], got["response_mask"]))
        finally:
            tq.kv_clear(keys=keys, partition_id=PARTITION)
        return [torch.zeros_like(lp) if pad else lp for lp, pad in zip(out, padding, strict=True)]

    def _prompt_ids(self, messages: Any) -> list[int]:
        """Tokens of a prompt, made as the agent loops make them."""
        if self._carl_builder is None:
            from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

            model = omega_conf_to_dataclass(self.config.actor_rollout_ref.model)
            self._carl_builder = create_continuous_token_builder(
                self.tokenizer, hf_model_type=getattr(getattr(model, "hf_config", None), "model_type", None),
                chat_template_kwargs=dict(self.config.data.get("apply_chat_template_kwargs") or {}))
        ids = list(self._carl_builder.build_initial_tokens([dict(m) for m in messages]))
        return ids[-self.config.actor_rollout_ref.rollout.prompt_length:]

    def _check_template(self, messages: Any, prompt: Any) -> None:
        """A prompt that is made in another way than the rollout's would make every token diverge."""
        if self._prompt_ids(messages) != prompt.tolist():
            raise ValueError("the rollout's prompt is not what data.apply_chat_template_kwargs makes of raw_prompt (an agent loop with "
                             "tools or a template of its own?): override CarlTrainer._prompt_ids")

    def _carl_metrics(self, old: list[Any], uncon: list[Any], masks: list[Any], carl_masks: list[Any], metrics: dict[str, Any]) -> None:
        counted = [kl_tokens(p, u, self.carl_kind)[m.bool()] for p, u, m in zip(old, uncon, carl_masks, strict=True)]
        values = torch.cat(counted) if counted else torch.zeros(0)
        if values.numel():
            metrics["carl/kl_mean"] = values.mean().item()
            metrics["carl/kl_p95"] = values.float().quantile(0.95).item()
        tokens = sum(int(m.sum()) for m in masks)
        metrics["carl/share_paid"] = values.numel() / max(1, tokens)

    # -- in the reward -----------------------------------------------------------------

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """With placement reward, advantages are of rewards with the term; the scores that are
        logged stay those of the task."""
        if self.carl_placement == "loss":
            return super()._compute_advantage(batch, metrics=metrics)
        self._place_step_rewards(batch, metrics)
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id,
                               select_fields=["rm_scores", "old_log_probs", "uncon_log_prob", "carl_mask"])
        scores = data["rm_scores"]
        columns = [_rows(data[name]) for name in ("rm_scores", "old_log_probs", "uncon_log_prob", "carl_mask")]
        rewards = [add_carl_rewards(r[None], p[None], u[None], m[None], alpha=self.carl_alpha, kind=self.carl_kind)[0] for r, p, u, m in zip(*columns)]
        self._put(batch, rm_scores=_nested(rewards))
        PPOTrainerSync._compute_advantage(self, batch, metrics=metrics)
        if not self.config.algorithm.use_kl_in_reward:
            self._put(batch, token_level_rewards=_nested(rewards))
        return self._put(batch, rm_scores=scores)

    def _put(self, batch: KVBatchMeta, **fields: Any) -> KVBatchMeta:
        written = tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=TensorDict(fields, batch_size=len(batch)))
        written.extra_info.update(batch.extra_info or {})
        return written


for _trainer in (PlanproofTrainer, CarlTrainer):
    if _trainer.MODE not in TRAINER_REGISTRY:
        register_trainer(_trainer.MODE)(_trainer)

__all__ = ["CarlTrainer", "PlanproofTrainer"]
