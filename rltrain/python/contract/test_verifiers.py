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

    def test_exported_task_set(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            subprocess.run([binary(), "export", "blocksworld", "blocks=3", "--count", "4", "--split", "100,0,0,0", "--format", "verifiers",
                            "--system", "think", "-o", data], check=True, capture_output=True)
            path = os.path.join(data, "verifiers", "train.jsonl")
            tasks = list(vf.load_taskset(adapter.PlanTasksetConfig(id="planproof-env", tasks=path)))
            with open(path) as lines:
                rows = [json.loads(line) for line in lines]
        self.assertGreater(len(tasks), 1)
        for task, row in zip(tasks, rows, strict=True):
            self.assertEqual((task.data.id, task.data.prompt, task.data.system_prompt), (row["id"], row["prompt"]["text"], row["prompt"]["system"]))
            shown = json.dumps(task.data.model_dump(mode="json"))
            self.assertFalse([step for step in row["gold"]["plan"] if step in shown], shown)
            self.assertIs(asyncio.run(task.validate(None)), True)
            trace = self.trace(task, "<plan>\n" + "\n".join(row["gold"]["plan"]) + "\n</plan>")
            asyncio.run(task.score(trace))
            self.assertEqual(trace.rewards["plan_reward"].value, 1.0)

    def test_outage_is_an_error_and_no_reward(self):
        config = self.config.model_copy(update={"task": adapter.PlanTaskConfig(url="http://127.0.0.1:9", deadline=0.3)})
        task = list(vf.load_taskset(config))[0]
        trace = self.trace(task, good_plan())
        with self.assertRaises(vf.TaskError):
            asyncio.run(task.score(trace))
        self.assertIsNone(trace.rewards["plan_reward"])


if __name__ == "__main__":
    unittest.main()
