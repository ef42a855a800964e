"""The real verifiers: task set, rewards, validation, errors."""

import asyncio
import json
import os
import subprocess
import tempfile
import unittest

from tests.support import TASK, binary, good_plan

try:
    import verifiers.v1 as vf
except ImportError:
    raise unittest.SkipTest("SKIP verifiers: not installed") from None

from planproof import _verifiers_v1 as adapter


class Verifiers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "tasks.jsonl")
        with open(cls.path, "w") as f:
            for task in (TASK, "blocksworld:3-7"):
                f.write(subprocess.run([binary(), "prompt", task, "--plan-tags", "--system", "think", "--json"],
                                       check=True, capture_output=True, text=True).stdout)
        cls.config = adapter.PlanTasksetConfig(id="planproof-env", tasks=cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        adapter._breaker.reset()

    def trace(self, task, text):
        trace = vf.Trace(task=vf.TraceTask(type="PlanTask", data=task.data), agent=vf.AgentInfo.model_construct())
        trace.root_reply = text
        return trace

    def test_loaded_by_id(self):
        taskset = vf.load_taskset(self.config)
        self.assertIsInstance(taskset, adapter.PlanTaskset)
        tasks = list(taskset)
        self.assertEqual([t.data.id for t in tasks], [TASK, "blocksworld:3-7"])
        self.assertIn("[STATEMENT]", tasks[0].data.prompt)
        self.assertIn("<think>", tasks[0].data.system_prompt)
        self.assertNotIn("gold", json.dumps(tasks[0].data.model_dump(mode="json")))

    def test_scores_and_validates(self):
        task = list(vf.load_taskset(self.config))[0]
        self.assertIs(asyncio.run(task.validate(None)), True)
        for text, want in ((good_plan(), 1.0), ("nothing", 0.0)):
            trace = self.trace(task, text)
            asyncio.run(task.score(trace))
            self.assertEqual((trace.rewards["plan_reward"].value, trace.rewards["plan_reward"].weight), (want, 1.0))
            self.assertEqual(trace.metrics["plan_is_valid"], want)
            self.assertTrue(trace.info["planproof"]["verdict"])

    def test_outage_is_an_error_and_no_reward(self):
        config = self.config.model_copy(update={"task": adapter.PlanTaskConfig(url="http://127.0.0.1:9", deadline=0.3)})
        task = list(vf.load_taskset(config))[0]
        trace = self.trace(task, good_plan())
        with self.assertRaises(vf.TaskError):
            asyncio.run(task.score(trace))
        self.assertIsNone(trace.rewards["plan_reward"])


if __name__ == "__main__":
    unittest.main()
