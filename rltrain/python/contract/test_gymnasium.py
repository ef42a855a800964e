"""The real gymnasium: its own checker, and whole episodes."""

import os
import unittest

from tests.support import TASK, binary, good_plan

try:
    import gymnasium
    from gymnasium.utils.env_checker import check_env
except ImportError:
    raise unittest.SkipTest("SKIP gymnasium: not installed") from None

from planproof import OracleUnavailable
import planproof.gymnasium  # noqa: F401 - registers

ENV = "planproof/PlanStep-v0"


class Gymnasium(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()

    def test_checker(self):
        check_env(gymnasium.make(ENV, task=TASK).unwrapped, skip_render_check=True)

    def test_episode(self):
        env = gymnasium.make(ENV, task=TASK)
        text, info = env.reset(seed=1)
        self.assertIn("one step at a time", text)
        steps = good_plan().splitlines()[1:-1]
        for number, step in enumerate(steps, 1):
            self.assertIn(step, info["actions"])
            text, reward, terminated, truncated, info = env.step(step)
            self.assertEqual((reward, terminated, truncated), (float(number == len(steps)), number == len(steps), False))
        self.assertEqual(info["plan"], steps)

    def test_steps_used_up_is_truncation(self):
        env = gymnasium.make(ENV, task=TASK, max_steps=2)
        env.reset()
        self.assertEqual(env.step("(put-down a)")[1:4], (0.0, False, False))
        self.assertEqual(env.step("(put-down a)")[1:4], (0.0, False, True))

    def test_the_seed_chooses_the_task(self):
        env = gymnasium.make(ENV, tasks=[f"blocksworld:3-{i}" for i in range(1, 50)])
        tasks = [env.reset(seed=seed)[1]["task"] for seed in (1, 2, 3, 1, 2, 3)]
        self.assertEqual(tasks[:3], tasks[3:])
        self.assertGreater(len(set(tasks)), 1)
        self.assertEqual(env.reset(options={"task": TASK})[1]["task"], TASK)

    def test_outage_raises(self):
        with self.assertRaises(OracleUnavailable):
            gymnasium.make(ENV, task=TASK, url="http://127.0.0.1:9", deadline=0.1).reset()


if __name__ == "__main__":
    unittest.main()
