"""An agent loop for verl 0.9: one step of the plan in each turn (``plan_step``, docs/ORACLE.md).

Rows name it (``planproof export --format verl --agent-name planproof_step``), and verl finds it by
``actor_rollout_ref.rollout.agent.agent_loop_config_path``, a file with::

    - name: planproof_step
      _target_: planproof.verl_step.PlanStepLoop
      max_steps: 50                       # and url, spec, ... as planproof.Client has them

The reward is the episode's, so no reward function is called. When the oracle is unavailable the
rollout raises, and verl drops the group.
"""

from __future__ import annotations

import asyncio
from typing import Any, Mapping
from uuid import uuid4

from ._adapt import plain, read_task
from .rewards import task_of
from .turns import Conversation

_SETTINGS = ("url", "spec", "reader", "tasks", "binary", "token", "cafile", "deadline", "pool", "max_steps")


def make_loop(base: type, output: type, metrics: type) -> type:
    """The loop, as a subclass of verl's AgentLoopBase; output and metrics are AgentLoopOutput and
    AgentLoopMetrics."""

    class PlanStepLoop(base):  # type: ignore[misc]
        """A conversation with the environment; only the model's tokens are trained on."""

        def __init__(self, *args: Any, **kwargs: Any):
            self.settings = {name: plain(kwargs.pop(name)) for name in _SETTINGS if name in kwargs}
            super().__init__(*args, **kwargs)

        async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> Any:
            def talk(call: Any, *args: Any) -> Any:
                return asyncio.get_running_loop().run_in_executor(None, call, *args)

            row: Mapping[str, Any] = kwargs
            limit = self.rollout_config.response_length
            conversation = await talk(lambda: Conversation(read_task(task_of(dict(row))), **self.settings))
            messages = [m for m in row["raw_prompt"] if m["role"] == "system"] + [{"role": "user", "content": conversation.prompt}]
            ids = await self.ct_build_initial_tokens(messages)
            mask: list[int] = []
            probs: list[float] | None = None
            extra: dict[str, Any] = {}
            scores: list[float] = []
            turns, request = 1, uuid4().hex
            while not conversation.done and len(mask) < limit:
                reply = await self.server_manager.generate(request_id=request, prompt_ids=ids, sampling_params=sampling_params)
                told = list(reply.log_probs) if reply.log_probs else None
                probs = [] if told is not None and not mask else probs
                extra = {**reply.extra_fields, **{k: v for k, v in extra.items() if k == "min_global_steps"}}
                merged, mask, probs = await self.ct_merge_assistant_token(ids, list(reply.token_ids), mask, probs, assistant_logprobs=told)
                ids, turns = merged.token_ids, turns + 1
                if len(mask) >= limit:
                    break  # the answer may be cut off: no step is taken
                answer = self.tokenizer.decode(reply.token_ids, skip_special_tokens=True)
                said = await talk(conversation.take, answer)
                scores.append(conversation.reward)
                if conversation.done:
                    break
                before, messages = [*messages, {"role": "assistant", "content": answer}], [
                    *messages, {"role": "assistant", "content": answer}, {"role": "user", "content": said}]
                merged, mask, probs = await self.ct_merge_context_msg(before, messages, ids, mask, probs)
                ids, turns = merged.token_ids, turns + 1
            return output(
                prompt_ids=ids[: len(ids) - len(mask)], response_ids=ids[len(ids) - len(mask):][:limit], response_mask=mask[:limit],
                response_logprobs=probs[:limit] if probs else None, reward_score=conversation.reward, num_turns=turns, metrics=metrics(),
                extra_fields={**extra, "turn_scores": scores, "tool_rewards": []},
            )

    PlanStepLoop.__qualname__ = "PlanStepLoop"
    return PlanStepLoop


def __getattr__(name: str) -> Any:
    if name == "PlanStepLoop":
        from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

        globals()[name] = made = make_loop(AgentLoopBase, AgentLoopOutput, AgentLoopMetrics)
        made.__module__ = __name__
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["PlanStepLoop", "make_loop"]
