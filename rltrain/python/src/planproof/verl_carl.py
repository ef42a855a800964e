"""CARL for verl: the loss and the token rewards that the trainer of planproof.verl_trainer uses.

verl's loss functions see no second prompt, so the log-probabilities without the constraints are
a field of the batch, ``uncon_log_prob``, of the shape of ``old_log_probs``; ``carl_mask``, of the same
shape, is 1 where the term counts. verl is imported by the first call of carl_ppo_loss.
"""

from __future__ import annotations

from typing import Any

from .carl import kl_tokens

#: Advantage estimators of verl that do not divide by the deviation of one group. GRPO's is
#: among them when ``algorithm.norm_adv_by_std_in_grpo`` is false.
UNDIVIDED = ("gae", "rloo", "rloo_vectorized", "remax", "reinforce_plus_plus", "reinforce_plus_plus_baseline", "opo")


def carl_ppo_loss(
    config: Any, model_output: Any, data: Any, dp_group: Any = None, *, alpha: float = 0.001, kind: str = "low_var_kl",
) -> tuple[Any, dict[str, Any]]:
    """verl's ppo_loss less alpha * R_CA, for ``worker.set_loss_fn(partial(carl_ppo_loss, config=...))``.

    R_CA is summed up as verl's other terms are (``loss_agg_mode``, over the global batch), so that it
    does not depend on micro batches. The gradient flows through the model's
    log-probabilities, those without the constraints are constants.
    """
    from verl.trainer.ppo.core_algos import agg_loss
    from verl.utils.metric import Metric
    from verl.workers.utils.losses import ppo_loss
    from verl.workers.utils.padding import no_padding_2_padding

    loss, metrics = ppo_loss(config, model_output, data, dp_group)  # fills global_batch_info
    log_prob = no_padding_2_padding(model_output["log_probs"], data)
    fields = data.select("uncon_log_prob", "carl_mask", "response_mask").to_padded_tensor()
    mask = fields["response_mask"].to(bool)
    # A masked token may hold anything, NaN too, and must not reach the gradient.
    values = kl_tokens(log_prob, fields["uncon_log_prob"], kind).masked_fill(~(mask & fields["carl_mask"].to(bool)), 0.0)
    term = agg_loss(loss_mat=values, loss_mask=mask, loss_agg_mode=config.loss_agg_mode, **config.global_batch_info)
    metrics["carl_term"] = Metric(value=term, aggregation=metrics["actor/pg_loss"].aggregation)
    return loss - alpha * term, metrics


def add_carl_rewards(
    token_rewards: Any, old_log_prob: Any, uncon_log_prob: Any, mask: Any, *, alpha: float = 0.001,
    kind: str = "low_var_kl", divides_by_std: bool = False,
) -> Any:
    """Token rewards (batch, length) plus alpha times each token's divergence: the mirror of
    verl's apply_kl_penalty. For PPO with GAE, or groups that are not divided by their
    standard deviation (``algorithm.norm_adv_by_std_in_grpo=False``)."""
    if divides_by_std:
        raise ValueError("a group of equal rewards, divided by its standard deviation, would blow the "
                         "constraint-aware term up: use the loss, or norm_adv_by_std_in_grpo=False")
    values = kl_tokens(old_log_prob, uncon_log_prob, kind).masked_fill(mask == 0, 0.0)
    return token_rewards + alpha * values


def divides_by_std(estimator: str, norm_by_std: bool) -> bool:
    """Whether an advantage estimator of verl divides a group by its deviation."""
    return not (estimator in UNDIVIDED or estimator == "grpo" and not norm_by_std)


__all__ = ["UNDIVIDED", "add_carl_rewards", "carl_ppo_loss", "divides_by_std"]
