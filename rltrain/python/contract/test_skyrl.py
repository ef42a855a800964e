"""The real skyrl-gym: environments made as SkyRL's generator makes and drives them."""

import json
import os
import unittest

from tests.support import TASK, binary, good_plan

try:
    import skyrl_gym
except ImportError:
    raise unittest.SkipTest("SKIP skyrl: skyrl-gym is not installed") from None

import planproof.skyrl
from planproof import OracleUnavailable

ROWS = ({"reward_spec": {"method": "rule", "ground_truth": TASK}}, {"task": TASK},
        {"reward_model": {"style": "rule", "ground_truth": json.dumps({"task": TASK, "gold": {"steps": 6}})}})
PROMPT = [{"role": "system", "content": "Plan."}, {"role": "user", "content": "Give the plan."}]


class SkyRL(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        planproof.skyrl.register()
        planproof.skyrl.register()  # twice is once

    def test_whole_plan(self):
        for row in ROWS:
            for answer, reward in ((good_plan(), 1.0), ("nothing", 0.0)):
                env = skyrl_gym.make("planproof", env_config={"spec": "valid"}, extras=row)
                prompt, _ = env.init(PROMPT)
                self.assertEqual(prompt, PROMPT)
                out = env.step(answer)
                self.assertEqual((out["reward"], out["done"], out["observations"]), (reward, True, []))
                self.assertEqual(env.get_metrics()["valid"], reward)

    def test_step_by_step(self):
        env = skyrl_gym.make("planproof-step", env_config={"max_steps": 20}, extras=ROWS[0])
        prompt, _ = env.init(PROMPT)
        self.assertEqual(prompt[0], PROMPT[0])
        self.assertIn("one step at a time", prompt[1]["content"])
        for step in good_plan().splitlines()[1:-1]:
            wrong = env.step("(put-down a)")
            self.assertIn("cannot be executed", wrong["observations"][0]["content"])
            self.assertEqual((wrong["reward"], wrong["done"]), (0.0, False))
            out = env.step(f"I think.\n<action>{step}</action>")
        self.assertEqual((out["reward"], out["done"], out["observations"]), (1.0, True, []))
        self.assertEqual(env.get_metrics(), {"steps": 12, "executed": 6})

    def test_outage_raises(self):
        env = skyrl_gym.make("planproof", env_config={"url": "http://127.0.0.1:9", "deadline": 0.1}, extras=ROWS[0])
        with self.assertRaises(OracleUnavailable):
            env.step(good_plan())


if __name__ == "__main__":
    unittest.main()
