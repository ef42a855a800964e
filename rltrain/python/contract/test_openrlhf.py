"""The real OpenRLHF: its executor of rollouts scores by our file, and by the oracle as a reward
model. A stand-in plays the inference engine."""

import asyncio
import os
import unittest
from types import SimpleNamespace

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.support import TASK, RealOracle, binary, good_plan

try:
    import torch
    from openrlhf.utils.agent import SingleTurnAgentExecutor
except ImportError as err:
    raise unittest.SkipTest(f"SKIP openrlhf: {err}") from None

import planproof.openrlhf

#: A plan whose block is not closed is none to the strict reader, whether the answer ended here or was cut off.
OPEN = good_plan().removesuffix("</plan>")
PROMPT, END = "<|im_start|>user\nPlan.<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>"


class Tokenizer:
    """One token a character."""

    def __call__(self, text, **kwargs):
        return {"input_ids": torch.tensor([[ord(c) for c in text]])}

    def decode(self, ids, skip_special_tokens):
        assert not skip_special_tokens
        return "".join(map(chr, ids))


class Engine:
    def __init__(self, answer, finish):
        self.answer, self.finish = answer, finish

    async def generate(self, ids, params, **kwargs):
        out = SimpleNamespace(token_ids=[ord(c) for c in self.answer], finish_reason=self.finish, logprobs=None)
        return SimpleNamespace(outputs=[out])


class OpenRLHF(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        cls.oracle = RealOracle()
        cls.addClassCleanup(cls.oracle.close)

    def rollout(self, endpoint, answer, finish="stop", label=TASK):
        params = SimpleNamespace(max_tokens=4096, logprobs=None)
        executor = SingleTurnAgentExecutor(endpoint)
        return asyncio.run(executor.execute(PROMPT, label, params, 16384, Tokenizer(), Engine(answer, finish)))

    def value(self, reward):
        return torch.as_tensor(reward).flatten().tolist()

    def test_both_ways_agree(self):
        os.environ["PLANPROOF_EOS"] = END
        self.addCleanup(os.environ.pop, "PLANPROOF_EOS")
        url = self.oracle.url + "/v1/reward-model?eos=%3C%7Cim_end%7C%3E"
        answers = ((good_plan() + END, 1.0), ("I do not know." + END, 0.0), ("<plan>\n(pick-up a)\n</plan>" + END, 0.0), (OPEN + END, 0.0), (OPEN, 0.0))
        for answer, want in answers:
            ended = answer.endswith(END)
            outs = [self.rollout(way, answer, "stop" if ended else "length") for way in (planproof.openrlhf.__file__, url)]
            for out in outs:
                self.assertEqual(self.value(out["reward"]), [want], answer)
                self.assertEqual(self.value(out["scores"]), [want], answer)
                self.assertEqual(self.value(out["extra_logs"]["plan_valid"]), [want], answer)
            self.assertEqual(outs[0]["truncated"], not ended)

    def test_an_outage_is_no_reward(self):
        os.environ["PLANPROOF_URL"] = "http://127.0.0.1:9"
        planproof.openrlhf.judge.cache_clear()
        self.addCleanup(planproof.openrlhf.judge.cache_clear)
        self.addCleanup(os.environ.pop, "PLANPROOF_URL")
        planproof.openrlhf.judge()  # the file is executed anew by OpenRLHF and has a judge of its own
        from planproof import client
        deadline = client.Client.__init__.__kwdefaults__["deadline"]
        client.Client.__init__.__kwdefaults__["deadline"] = 0.1
        try:
            out = self.rollout(planproof.openrlhf.__file__, good_plan())
        finally:
            client.Client.__init__.__kwdefaults__["deadline"] = deadline
        self.assertIsNone(out["reward"])
        self.assertIsNone(out["scores"])

    def test_a_row_without_a_task_is_no_reward(self):
        self.assertIsNone(self.rollout(planproof.openrlhf.__file__, good_plan(), label="nope:1")["reward"])


if __name__ == "__main__":
    unittest.main()
