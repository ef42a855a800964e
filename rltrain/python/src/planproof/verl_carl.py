"""CARL for verl: the pieces that a trainer override needs.

verl's loss functions see no second prompt, so the log-probabilities without constraints
(``uncon_log_prob``, of the shape of ``log_prob``) are a field of the batch that the override
of ``_compute_old_log_prob`` writes. Then either

* the loss has the term: ``worker.set_loss_fn(partial(carl_ppo_loss, base=ppo_loss, ...))``, or
* the rewards have it, token by token: ``add_carl_rewards`` in ``_compute_advantage``, before a
  group is compared only if it is not divided by its standard deviation.

Tested with tensors; not run inside verl's trainer, which needs a GPU and an engine.
"""

from __future__ import annotations

from typing import Any, Callable

from .carl import carl_term, kl_tokens


def carl_ppo_loss(
    config: Any, model_output: Any, data: Any, dp_group: Any = None, *,
    base: Callable[..., tuple[Any, dict[str, Any]]], log_prob: Callable[[Any, Any], Any] = lambda out, data: out["log_probs"],
    alpha: float = 0.001, kind: str = "low_var_kl", reduction: str = "seq-mean-token-mean",
) -> tuple[Any, dict[str, Any]]:
    """verl's ppo_loss (``base``) less alpha * R_CA. ``log_prob`` brings the model's
    log-probabilities to the shape of the response mask (verl: no_padding_2_padding)."""
    loss, metrics = base(config, model_output, data, dp_group)
    term = carl_term(log_prob(model_output, data), data["uncon_log_prob"],
                     data["response_mask"], kind=kind, reduction=reduction)
    return loss - alpha * term, {**metrics, "actor/carl_kl": term.detach().item()}


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


__all__ = ["add_carl_rewards", "carl_ppo_loss"]
