"""The real verifiers: task set, rewards, validation, errors."""

import asyncio
import glob
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

from tests.support import PACKAGE, TASK, binary, good_plan

try:
    import verifiers.v1 as vf
except ImportError:
    raise unittest.SkipTest("SKIP verifiers: not installed") from None

import planproof.verifiers
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

    def test_commands_of_the_docs(self):
        """vf-eval and vf-validate, as planproof.verifiers shows them, with a model server that answers
        every task by one plan."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OneAnswer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        bin_, out = os.path.dirname(sys.executable), os.path.join(self.folder.name, "out")
        env = {**os.environ, "API_KEY": "x", "PYTHONPATH": str(PACKAGE / "src"), "HOME": self.folder.name}

        def run(command, *args):
            done = subprocess.run([os.path.join(bin_, command), "planproof-env", "--env.taskset.tasks" if command == "vf-eval" else "--taskset.tasks", self.path,
                                   "-o", out + command, *args], env=env, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        run("vf-eval", "-m", "any", "--client.base-url", f"http://127.0.0.1:{server.server_address[1]}/v1", "--client.api-key-var", "API_KEY",
            "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push")
        [path] = glob.glob(out + "vf-eval/*/traces.jsonl")
        with open(path) as lines:
            text = lines.read()
        rewards = {json.loads(line)["task"]["data"]["id"]: _rewards(json.loads(line)) for line in text.splitlines()}
        self.assertEqual(rewards, {TASK: [1.0], "blocksworld:3-7": [0.0]}, text[-3000:])
        self.assertIn("2", run("vf-validate", "--runtime.type", "subprocess"))
        self.assertIn("planproof-env --env.taskset.tasks", planproof.verifiers.__doc__)

        # prime-rl's configuration has the same block, below orchestrator.train.source (README.md).
        config = os.path.join(self.folder.name, "prime-rl.toml")
        shown = (PACKAGE / "README.md").read_text().split("```toml\n")[1].split("```")[0]
        with open(config, "w") as file:
            file.write(shown.replace("[orchestrator.train.source.", "[").replace('"data/verifiers/train.jsonl"', json.dumps(self.path)))
        done = subprocess.run([os.path.join(bin_, "vf-eval"), "@", config, "-m", "any", "--no-push", "--dry-run", "-o", out + "toml"], env=env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [resolved] = glob.glob(out + "toml/*/configs/resolved/eval.json")
        with open(resolved) as file:
            taskset = json.load(file)["env"]["taskset"]
        self.assertEqual((taskset["id"], taskset["tasks"]), ("planproof-env", self.path))


def _rewards(value):
    """The values of plan_reward anywhere in an episode's record."""
    if isinstance(value, dict):
        told = value.get("plan_reward")
        here = [told["score"] if "score" in told else told] if isinstance(told, dict) else []
        return here + [r for v in value.values() for r in _rewards(v)]
    return [r for v in value for r in _rewards(v)] if isinstance(value, list) else []


class OneAnswer(http.server.BaseHTTPRequestHandler):
    """A model server whose model says one thing, in a stream."""

    def log_message(self, *args):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "any"}
        for choices, usage in (([{"index": 0, "delta": {"role": "assistant", "content": good_plan()}, "finish_reason": None}], None),
                               ([{"index": 0, "delta": {}, "finish_reason": "stop"}], None), ([], {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})):
            self.wfile.write(f"data: {json.dumps({**head, 'choices': choices, 'usage': usage})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


if __name__ == "__main__":
    unittest.main()
