"""Rule 11 against reward hacking: what is known of a task never reaches what a model sees. What
it sees must not change when the gold plan and cost do, whatever the way it is shown."""

import json
import os
import subprocess
import tempfile
import unittest
import urllib.request

from tests.support import RealOracle, binary

from planproof import Client, trl
from planproof.rows import read_rows


def texts(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in texts(v)]
    return [t for v in value for t in texts(v)] if isinstance(value, list) else []


class Rule11(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = holder.name
        data = os.path.join(cls.folder, "data")
        subprocess.run([binary(), "export", "blocksworld:4-287", "blocksworld:4-17", "blocksworld:4-100", "--plan-tags", "--split", "100,0,0,0",
                        *[a for f in ("jsonl", "trl-grpo", "verifiers", "openenv") for a in ("--format", f)], "-o", data], check=True, capture_output=True)
        cls.files = [os.path.join(path, name) for path, _, names in os.walk(data) for name in names if name.endswith(".jsonl")]
        with open(os.path.join(data, "train.jsonl")) as f:
            cls.rows = [json.loads(line) for line in f]

    def spoilt(self):
        """The rows with another gold plan and cost."""
        path = os.path.join(self.folder, "spoilt.jsonl")
        with open(path, "w") as f:
            for row in self.rows:
                f.write(json.dumps({**row, "gold": {"plan": ["(wait-for-godot)"] * 41, "steps": 41, "cost": "41.5", "optimal": False}}) + "\n")
        return path

    def kept(self):
        path = os.path.join(self.folder, "kept.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in self.rows)
        return path

    def shown(self, path):
        """All that a model is shown of the rows of a file, by every adapter."""
        out = [(row.system, row.prompt) for row in read_rows(path)]
        oracle = RealOracle("--tasks", path)
        try:
            with Client(oracle.url) as client:
                for row in self.rows:
                    start = client.reset(row["task"])
                    step = client.step(row["task"], [], start.observation["actions"][0])
                    out += texts([start.value, step.value])
                    for env in ("plan_once", "plan_step"):
                        body = json.dumps({"task": row["task"]}).encode()
                        request = urllib.request.Request(f"{oracle.url}/{env}/reset", body, {"Content-Type": "application/json"})
                        with urllib.request.urlopen(request, timeout=30) as reply:
                            out += texts(json.load(reply))
                    tools = type("Env", (trl.PlanEnv,), {"settings": {"url": oracle.url}})()
                    out += [str(tools.reset(**row)), tools.check_plan(start.observation["actions"][0]), tools.submit_plan("(x)")]
        finally:
            oracle.close()
        return out

    def test_what_a_model_sees_does_not_change_with_the_gold(self):
        shown = self.shown(self.kept())
        self.assertGreater(len(shown), 30)
        self.assertEqual(shown, self.shown(self.spoilt()))

    def test_columns_that_are_shown(self):
        """In the exporters' files: the columns that trainers show have no gold plan."""
        checked = 0
        for path in self.files:
            with open(path) as f:
                for line in f:
                    row = json.loads(line)
                    columns = [row[c] for c in ("prompt", "unconstrained_prompt", "question", "system", "system_prompt", "messages") if row.get(c)]
                    self.assertTrue(columns, path)
                    for gold in self.rows:
                        for text in texts(columns):
                            checked += 1
                            self.assertNotIn("\n".join(gold["gold"]["plan"][:3]), text, path)
                            self.assertNotIn(gold["gold"]["plan"][-1] + "\n</plan>", text, path)
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    unittest.main()
