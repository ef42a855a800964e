"""OpenEnv's real client and validators against the Go oracle."""

import dataclasses
import json
import os
import subprocess
import tempfile
import unittest

from tests.support import PACKAGE, TASK, RealOracle, binary, good_plan

try:
    from openenv.cli._validation import validate_running_environment
    from openenv.core import GenericEnvClient
    from openenv.validation import Level, run_validation
except ImportError:
    raise unittest.SkipTest("SKIP openenv: not installed") from None

from planproof.openenv import BoxnetReplanEnv, Observation, PlanAdaptEnv, PlanOnceEnv, PlanStepEnv, State


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

    def test_plan_adapt(self):
        task, profile = "blocksworld:4-17", {"seed": 1, "rounds": 2}
        out = subprocess.run([binary(), "episode", "profile", task, "--seed", "1", "--rounds", "2", "--json"], capture_output=True, check=True).stdout
        with PlanAdaptEnv(base_url=self.oracle.url).sync() as env:
            env.reset(task=task, profile=profile)
            told = env.step(good_plan(task))
            self.assertEqual((told.reward, told.done, bool(told.observation.disclosed)), (0, False, True))
            end = env.step("<plan>\n" + "\n".join(json.loads(out)["witness"]) + "\n</plan>")
            self.assertEqual((end.reward, end.done, end.observation.end), (1, True, "passed"))

    def test_boxnet_replan(self):
        out = subprocess.run([binary(), "boxnet", "generate", "--dimensions", "3", "--width", "3", "--objects", "2", "--count", "1"], capture_output=True, check=True).stdout
        row = json.loads(out)
        with BoxnetReplanEnv(base_url=self.oracle.url).sync() as env:
            start = env.reset(task=row).observation
            self.assertIn("one step at a time", start.prompt)
            for step in row["plan"]:
                result = env.step("<think>So it goes on.</think>\n```json\n" + json.dumps(step) + "\n```")
            self.assertEqual((result.reward, result.done, result.observation.executed), (1.1, True, row["optimal_steps"]))
            env.reset(task=row)
            self.assertEqual(env.step("no").done, True)

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

    def test_validator(self):
        """`openenv validate --url`: OpenAPI, health, metadata, schemas, MCP, mode."""
        for prefix in ("", "/plan_once", "/plan_step", "/plan_adapt", "/boxnet_replan"):
            report = validate_running_environment(self.oracle.url + prefix)
            self.assertTrue(report["passed"], report)
            self.assertEqual((report["standard_profile"], report["mode"], report["summary"]["failed_criteria"]), ("openenv-http/1.x", "simulation", []))

    def test_validator_of_packages(self):
        """`openenv validate FOLDER --level static`, on our openenv.yaml."""
        report = run_validation(PACKAGE / "openenv", max_level=Level.STATIC, skip_build=True)
        self.assertEqual(report.verdict.value, "pass", report)

    def test_messages_are_of_the_schema(self):
        import jsonschema
        import requests
        for env in ("plan_once", "plan_step", "plan_adapt"):
            base = f"{self.oracle.url}/{env}"
            schema = requests.get(base + "/schema").json()
            action = {"action": "jump"} if env == "plan_step" else {"plan": good_plan()}
            replies = [requests.post(base + "/reset", json={"task": TASK}).json(), requests.post(base + "/step", json={"action": {"task": TASK, **action}}).json()]
            for reply in replies:
                jsonschema.validate(reply["observation"], schema["observation"])
            self.assertEqual({f.name for f in dataclasses.fields(Observation)}, set(schema["observation"]["properties"]))
            self.assertEqual({f.name for f in dataclasses.fields(State)}, set(schema["state"]["properties"]))

    def test_mcp(self):
        import requests

        def ask(method, params=None, **more):
            return requests.post(self.oracle.url + "/mcp", json={"jsonrpc": "2.0", "id": 7, "method": method, **({"params": params} if params else {}), **more}).json()

        self.assertEqual(ask("initialize")["result"]["serverInfo"]["name"], "planproof")
        tools = [tool["name"] for tool in ask("tools/list")["result"]["tools"]]
        plan = good_plan().splitlines()[1:-1]
        told = {"validate_plan": {"task": TASK, "plan": plan}, "next_steps": {"task": TASK, "prefix": plan[:1]}}
        self.assertEqual(tools, list(told))
        results = {name: ask("tools/call", {"name": name, "arguments": arguments})["result"] for name, arguments in told.items()}
        self.assertTrue(results["validate_plan"]["structuredContent"]["verdict"]["valid"])
        self.assertEqual(results["next_steps"]["structuredContent"]["mask"]["actions"], ["(put-down b)", "(stack b c)"])
        self.assertTrue(ask("tools/call", {"name": "validate_plan", "arguments": {"task": "nope:1", "plan": []}})["result"]["isError"])
        for wrong, code in ((ask("resources/list"), -32601), (ask("tools/call", {"name": "x", "arguments": {}}), -32602), (ask("ping", jsonrpc="1"), -32600)):
            self.assertEqual(wrong["error"]["code"], code)

    def test_generic_client(self):
        with GenericEnvClient(base_url=self.oracle.url + "/plan_once").sync() as env:
            env.reset(task=TASK)
            self.assertEqual(env.step({"plan": good_plan()}).reward, 1)


if __name__ == "__main__":
    unittest.main()
