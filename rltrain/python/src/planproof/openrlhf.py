"""A reward function for OpenRLHF, loaded by its path::

    --reward.remote_url "$(python -c 'import planproof.openrlhf as m; print(m.__file__)')"
    --data.input_key prompt --data.label_key task --data.apply_chat_template

with rows of ``planproof export --format trl-grpo --inline-tasks``. Settings are the package's
variables (PLANPROOF_URL, PLANPROOF_SPEC, ...). OpenRLHF does not say whether an answer was cut off:
set PLANPROOF_EOS to the text of the token that ends an answer, such as "<|im_end|>".

When the oracle is unavailable the function raises; OpenRLHF logs that and leaves the sample
without a reward, on which the step fails. Without Python on the reward's side the oracle itself is
a reward model: ``--reward.remote_url http://127.0.0.1:8700/v1/reward-model``.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence

# OpenRLHF runs this file by its path, outside the package.
from planproof.rewards import Judge, after_prompt, ended, metrics


@functools.cache
def judge() -> Judge:
    """The judge of this process."""
    return Judge()


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **kwargs: Any) -> dict[str, Any]:
    """Scores answers. queries: prompts with their answers, with special tokens. labels: the tasks."""
    import torch

    answers = [ended(after_prompt(query, prompt)) for query, prompt in zip(queries, prompts, strict=True)]
    results = judge()(labels, [text for text, _ in answers], [finish for _, finish in answers])
    rewards = torch.tensor([result.score for result in results], dtype=torch.float)
    logs = [metrics(result) for result in results]
    return {
        "rewards": rewards, "scores": rewards,
        "extra_logs": {f"plan_{name}": torch.tensor([log[name] for log in logs]) for name in logs[0]} if logs else {},
    }
