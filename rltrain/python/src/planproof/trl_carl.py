"""CARL for TRL's GRPOTrainer: the constraint-aware term as a term of the loss.

A row has, beside ``prompt``, the same prompt without its constraints in the column
``unconstrained_prompt``::

    from planproof.trl_carl import CarlGRPOTrainer
    CarlGRPOTrainer(model, reward_funcs=[plan_valid], args=config, train_dataset=rows, carl_alpha=0.001)

Written from the source of TRL 1.10.
"""

from __future__ import annotations

from typing import Any

from .carl import carl_term


def make_trainer(base: type) -> type:
    """CarlGRPOTrainer, as a subclass of TRL's GRPOTrainer."""

    class CarlGRPOTrainer(base):  # type: ignore[misc]
        """GRPOTrainer whose loss has ``- carl_alpha * R_CA``."""

        def __init__(self, *args: Any, carl_alpha: float = 0.001, carl_kind: str = "low_var_kl", **kwargs: Any):
            config = kwargs.get("args") or (args[2] if len(args) > 2 else None)
            if getattr(config, "use_liger_kernel", False) or getattr(config, "use_liger_loss", False):
                raise ValueError("the Liger loss never calls _compute_loss: CARL would be silently left out")
            self.carl_alpha, self.carl_kind = carl_alpha, carl_kind
            self._carl_logps: Any = None
            super().__init__(*args, **kwargs)

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            import torch

            out = super()._generate_and_score_completions(inputs)
            if any("unconstrained_prompt" not in row for row in inputs):
                raise ValueError("CARL needs the column unconstrained_prompt")
            prompts = self._tokenize_prompts([row["unconstrained_prompt"] for row in inputs])[0]
            device, pad = out["completion_ids"].device, self._carl_pad()
            width = max(map(len, prompts))
            ids = torch.tensor([[pad] * (width - len(p)) + list(p) for p in prompts], device=device)
            mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=device)
            completion, completion_mask = out["completion_ids"], out["completion_mask"]
            with torch.no_grad():
                logps = self._get_per_token_logps_and_entropies(
                    self.model, torch.cat([ids, completion], 1), torch.cat([mask, completion_mask], 1),
                    completion.size(1), batch_size=self.args.per_device_train_batch_size)[0]
            out["uncon_logps"] = logps.detach()
            return out

        def _carl_pad(self) -> int:
            for owner in (self, getattr(self, "processing_class", None)):
                for name in ("pad_token_id", "_pad_token_id"):
                    if getattr(owner, name, None) is not None:
                        return int(getattr(owner, name))
            return 0

        def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> Any:
            import torch

            result = super()._get_per_token_logps_and_entropies(*args, **kwargs)
            if torch.is_grad_enabled():
                self._carl_logps = result[0]  # of the loss that is being computed: no third forward pass
            return result

        def _compute_loss(self, model: Any, inputs: Any) -> Any:
            self._carl_logps = None
            loss = super()._compute_loss(model, inputs)
            logps, self._carl_logps = self._carl_logps, None
            if logps is None:
                if not model.training:
                    return loss
                raise RuntimeError("this version of TRL computes no log-probabilities where CARL looks for them")
            mask = inputs["completion_mask"]
            if inputs.get("tool_mask") is not None:
                mask = mask * inputs["tool_mask"]
            term = carl_term(logps, inputs["uncon_logps"], mask, kind=self.carl_kind)
            if model.training:
                term = term / getattr(self, "current_gradient_accumulation_steps", 1)
            self._carl_log(model, term)
            return loss - self.carl_alpha * term

        def _carl_log(self, model: Any, term: Any) -> None:
            metrics = getattr(self, "_metrics", None)
            if metrics is not None:
                metrics["train" if model.training else "eval"]["carl/kl_mean"].append(term.detach().item())

    return CarlGRPOTrainer


def __getattr__(name: str) -> Any:
    if name == "CarlGRPOTrainer":
        from trl import GRPOTrainer

        globals()[name] = make_trainer(GRPOTrainer)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["CarlGRPOTrainer", "make_trainer"]
