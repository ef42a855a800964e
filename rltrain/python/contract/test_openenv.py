"""OpenEnv's real client against the Go oracle."""

import json
import os
import subprocess
import tempfile
import unittest

from tests.support import TASK, RealOracle, binary, good_plan

try:
    from openenv.core import GenericEnvClient
except ImportError:
    raise unittest.SkipTest("SKIP openenv: not installed") from None

from planproof.openenv import PlanOnceEnv, PlanStepEnv


class OpenEnv(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.oracle = RealOracle()

    @classmethod
    def tearDownClass(cls):
        cls.oracle.close()

    def test_plan_once(self):
        with PlanOnceEnv(base_url=self.oracle.url).sync() as env:
            for answer, reward in ((good_plan(), 1), ("nothing", 0)):
                start = env.reset(task=TASK, episode_id="e")
                self.assertIn("blocks", start.observation.prompt)
                self.assertIsNone(start.reward)
                result = env.step(answer)
                self.assertEqual((result.reward, result.done), (reward, True))
            self.assertEqual(env.state().episode_id, "e")
            with self.assertRaisesRegex(RuntimeError, "SESSION_ERROR"):
                env.step(good_plan())
            with self.assertRaisesRegex(RuntimeError, "VALIDATION_ERROR"):
                env.reset(task="nope:1")
            env.reset(task=TASK)  # the session goes on
            self.assertEqual(env.step(good_plan()).reward, 1)

    def test_plan_step(self):
        steps = good_plan().splitlines()[1:-1]
        with PlanStepEnv(base_url=self.oracle.url).sync() as env:
            seen = env.reset(task=TASK).observation
            for step in steps:
                self.assertIn(step, seen.actions)
                result = env.step(step)
                seen = result.observation
            self.assertEqual((result.reward, result.done, seen.executed), (1, True, len(steps)))

    def test_exported_task_set(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            subprocess.run([binary(), "export", "blocksworld", "blocks=3", "--count", "4", "--split", "100,0,0,0", "--format", "openenv",
                            "--system", "Plan.", "-o", data], check=True, capture_output=True)
            path = os.path.join(data, "openenv", "train.jsonl")
            with open(path) as lines:
                rows = [json.loads(line) for line in lines]
            oracle = RealOracle("--tasks", path)
            try:
                with PlanOnceEnv(base_url=oracle.url).sync() as once, PlanStepEnv(base_url=oracle.url).sync() as steps:
                    for row in rows:  # without a name they come in the order of the file
                        seen = once.reset().observation
                        self.assertEqual((seen.prompt, seen.system), (row["prompt"]["text"], "Plan."))
                        self.assertEqual(once.step("<plan>\n" + "\n".join(row["gold"]["plan"]) + "\n</plan>").reward, 1)
                        steps.reset(task=row["id"])
                        for step in row["gold"]["plan"]:
                            end = steps.step(step)
                        self.assertEqual((end.reward, end.done), (1, True))
            finally:
                oracle.close()

    def test_generic_client(self):
        with GenericEnvClient(base_url=self.oracle.url + "/plan_once").sync() as env:
            env.reset(task=TASK)
            self.assertEqual(env.step({"plan": good_plan()}).reward, 1)


if __name__ == "__main__":
    unittest.main()
