"""The real rLLM, from its source (PLANPROOF_SOURCES): our evaluator by its import path, on episodes."""

import os
import unittest
from pathlib import Path

from tests.support import TASK, binary, good_plan

try:
    from rllm.eval.evaluator_loader import load_evaluator
    from rllm.rewards.reward_types import RewardOutput
    from rllm.types import Episode, Step, Task, Trajectory
    from rllm.workflows.workflow import TerminationReason
except ImportError as err:
    raise unittest.SkipTest(f"SKIP rllm: {err}") from None

from planproof.rllm import reward_function


class RLLM(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()

    def test_evaluator(self):
        evaluator = load_evaluator("planproof.rllm:plan_evaluator")
        task = Task(id="0", instruction="Plan.", metadata={"task": TASK}, dataset_dir=Path("."))
        for answer, reward in ((good_plan(), 1.0), ("nothing", 0.0)):
            for episode in (Episode(artifacts={"answer": answer}), Episode(trajectories=[Trajectory(output=answer)]),
                            Episode(trajectories=[Trajectory(steps=[Step(model_response="first"), Step(model_response=answer)])])):
                out = evaluator.evaluate(task, episode)
                self.assertEqual((out.reward, out.is_correct), (reward, reward == 1.0))
                self.assertEqual({s.name: s.value for s in out.signals}["valid"], reward)

    def test_cut_off(self):
        evaluator = load_evaluator("planproof.rllm:plan_evaluator")
        for reason, reward in ((None, 1.0), (TerminationReason.ENV_DONE, 1.0), (TerminationReason.MAX_RESPONSE_LENGTH_EXCEEDED, 0.0)):
            episode = Episode(artifacts={"answer": good_plan().removesuffix("</plan>")}, termination_reason=reason)
            self.assertEqual(evaluator.evaluate({"task": TASK, "reader": "natural"}, episode).reward, reward, reason)

    def test_reward_function(self):
        out = reward_function({"ground_truth": TASK}, good_plan())
        self.assertIsInstance(out, RewardOutput)
        self.assertEqual((out.reward, out.is_correct), (1.0, True))


if __name__ == "__main__":
    unittest.main()
