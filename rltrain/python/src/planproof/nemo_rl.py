"""An environment for NeMo-RL, which is imported only when PlanEnvironment is asked for::

    from nemo_rl.environments.utils import register_env

    register_env("planproof", "planproof.nemo_rl.PlanEnvironment")

and in the configuration ``env: {planproof: {spec: valid, url: http://127.0.0.1:8700}}``. The metadata of
a row names its task (``ground_truth``, or as exported). One answer is one episode. When the oracle
is unavailable the step raises: never a reward of 0.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .rewards import Judge, metrics

_SETTINGS = ("spec", "reader", "url", "tasks", "binary", "token", "cafile", "deadline", "pool")


def make_environment(base: type, returned: type) -> type:
    """The environment, as a subclass of NeMo-RL's EnvironmentInterface; returned is EnvironmentReturn."""

    class PlanEnvironment(base):  # type: ignore[misc]
        """Judges the last answer of each conversation."""

        def __init__(self, cfg: Mapping[str, Any] | None = None):
            self.cfg = dict(cfg or {})
            self._judge = Judge(**{name: self.cfg[name] for name in _SETTINGS if self.cfg.get(name) is not None})

        def step(self, message_log_batch: Sequence[Any], metadata: Sequence[Mapping[str, Any]]) -> Any:
            answers = [[{"role": m["role"], "content": m["content"]} for m in log] for log in message_log_batch]
            results = self._judge(metadata, answers)
            import torch

            return returned(
                observations=[{"role": "environment", "content": result.message or "The plan is valid."} for result in results],
                metadata=[{**row, "planproof": metrics(result)} for row, result in zip(metadata, results)],
                next_stop_strings=[None] * len(results),
                rewards=torch.tensor([result.score for result in results], dtype=torch.float32),
                terminateds=torch.ones(len(results), dtype=torch.bool),
                answers=None,
            )

        def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
            rewards = batch["rewards"]
            return batch, {"reward": float(rewards.float().mean()), "fraction_valid": float((rewards > 0).float().mean())}

        def shutdown(self) -> None:
            """Nothing is held beyond this process."""

    PlanEnvironment.__qualname__ = "PlanEnvironment"
    return PlanEnvironment


def __getattr__(name: str) -> Any:
    if name == "PlanEnvironment":  # an actor class, as NeMo-RL's registry expects
        import ray
        from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
        from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
        from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn

        ACTOR_ENVIRONMENT_REGISTRY.setdefault(f"{__name__}.{name}", PY_EXECUTABLES.SYSTEM)
        made = ray.remote(max_restarts=-1, max_task_retries=-1)(make_environment(EnvironmentInterface, EnvironmentReturn))
        globals()[name] = made
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["PlanEnvironment", "make_environment"]
