"""planproof_step, our agent loop, with the real verl's base class and tokenization; a stand-in plays
the inference server."""

import asyncio
import os
import unittest

from contract.verl_support import VerlCase, config_of
from tests.support import TASK, good_plan

from transformers import LlamaConfig
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from planproof import OracleUnavailable
from planproof.verl_step import PlanStepLoop


class Server:
    """Plays the inference server: the answers of a script, in turn."""

    def __init__(self, case, answers):
        self.answers, self.prompts, self.case = list(answers), [], case

    async def generate(self, request_id, *, prompt_ids, sampling_params, **kwargs):
        self.prompts.append(list(prompt_ids))
        ids = self.case.ids(self.answers.pop(0))
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields={"global_steps": 1})


class StepLoop(VerlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        LlamaConfig(vocab_size=len(cls.tokenizer)).save_pretrained(cls.folder)

    def run_loop(self, answers, length=8192, **settings):
        config = config_of(self.folder, "actor_rollout_ref.rollout.prompt_length=8192", f"actor_rollout_ref.rollout.response_length={length}")
        server = Server(self, answers)

        async def run():
            loop = PlanStepLoop(trainer_config=DictConfigWrap(config), server_manager=server, tokenizer=self.tokenizer, processor=None,
                                dataset_cls=RLHFDataset, data_config=DictConfigWrap(config.data), **settings)
            return await loop.run({}, raw_prompt=[{"role": "user", "content": "Plan."}], reward_model={"style": "rule", "ground_truth": TASK})

        return asyncio.run(run()), server

    def trained(self, out):
        """What the model said, as the mask tells it."""
        return self.tokenizer.decode([i for i, m in zip(out.response_ids, out.response_mask) if m], skip_special_tokens=True)

    def test_episode(self):
        steps = good_plan().splitlines()[1:-1]
        out, server = self.run_loop(["(put-down a)", *steps], spec="valid")
        self.assertIsInstance(out, AgentLoopOutput)
        self.assertEqual((out.reward_score, out.extra_fields["turn_scores"]), (1.0, [0.0] * 6 + [1.0]))
        self.assertEqual(self.trained(out), "(put-down a)" + "".join(steps))
        self.assertEqual(len(out.response_ids), len(out.response_mask))
        self.assertEqual(len(out.response_ids), len(out.response_logprobs))
        self.assertEqual({p for p, m in zip(out.response_logprobs, out.response_mask) if m}, {-0.5})
        self.assertIn("one step at a time", self.tokenizer.decode(out.prompt_ids))
        self.assertIn("cannot be executed", self.tokenizer.decode(server.prompts[1][len(server.prompts[0]):]))
        for before, after in zip(server.prompts, server.prompts[1:]):  # a conversation only grows
            self.assertEqual(after[: len(before)], before)

    def test_the_length_ends_it(self):
        out, _ = self.run_loop(["(unstack b c)"] * 50, length=300)
        self.assertEqual((len(out.response_ids), len(out.response_mask), out.reward_score), (300, 300, 0.0))

    def test_steps_end_it(self):
        out, server = self.run_loop(["(put-down a)"] * 3, max_steps=3)
        self.assertEqual((out.reward_score, server.answers), (0.0, []))

    def test_outage_raises(self):
        with self.assertRaises(OracleUnavailable):
            self.run_loop(["x"], url="http://127.0.0.1:9", deadline=0.1)


if __name__ == "__main__":
    unittest.main()
