"""BoxNet for the reference trainer: texts, symmetries and the judge, without tensors."""

import json
import re
import subprocess
import unittest

from tests.support import binary

from planproof.schema import Item
from planproof.reftrain import boxnet_tasks, data


class Boxnet(unittest.TestCase):
    """BoxNet tasks in tokens there and back, their symmetries, and the judge."""

    TASK = {
        "kind": "instance", "id": "a", "structure": "s", "split": "train", "map": [3, 2],
        "robots": [{"name": "Robot 0", "base": [2.0, 1.0], "arm": [2.25, 1.75]}, {"name": "Robot 1", "base": [1.0, 1.0], "arm": [0.75, 0.25]}],
        "objects": [{"name": "Object 0", "at": [0.25, 0.75], "target": [2.75, 1.25]}], "optimal_steps": 4, "proved": True,
        "plan": [
            {"Robot 0": "[2.25, 1.75] -> [2.75, 0.25], False", "Robot 1": "[0.75, 0.25] -> [0.25, 0.75], False"}, {"Robot 1": "[0.25, 0.75] -> [1.75, 0.75], True"},
            {"Robot 0": "[2.75, 0.25] -> [1.75, 0.75], False", "Robot 1": "[1.75, 0.75] -> [0.25, 0.25], False"}, {"Robot 0": "[1.75, 0.75] -> [2.75, 1.25], True"},
        ],
    }
    PLAN = "go:1,1:0,1 go:2,1:5,0\ntake:1,1:3,1\ngo:1,1:0,0 go:2,1:3,1\ntake:2,1:5,2"

    def traced(self):
        """The task with the thoughts that planproof writes about it, whose own plan may be another one."""
        done = subprocess.run([binary(), "boxnet", "solve", "--json", "-"], input=json.dumps(self.TASK), capture_output=True, text=True, check=True)
        solved = json.dumps({**json.loads(done.stdout), "structure": "s", "split": "train"}) + "\n"
        done = subprocess.run([binary(), "boxnet", "trace", "-"], input=solved, capture_output=True, text=True, check=True)
        return solved, done.stdout

    def test_texts(self):
        (row,) = boxnet_tasks.rows(json.dumps(self.TASK) + "\n")
        self.assertEqual(row.prompt, "map:3,2 arm:1,1:1,0 arm:2,1:4,3 at:a,_:0,1 to:a,_:5,2\n")
        self.assertEqual(row.answer, self.PLAN)
        told = boxnet_tasks.response("so\nplan\n" + row.answer, self.TASK)
        self.assertTrue(told.startswith("<think>\nso\n</think>\n"))
        self.assertEqual(json.loads(told.partition("```json\n")[2].partition("\n```")[0]), self.TASK["plan"])

    def test_thoughts(self):
        solved, traces = self.traced()
        (short,), (whole,) = boxnet_tasks.rows(solved, traces, short=True), boxnet_tasks.rows(solved, traces)
        plan = boxnet_tasks.plan(json.loads(solved))
        told, _, after = short.answer.partition("\nplan\n")
        self.assertEqual(after, plan)
        first, *steps = told.split("\n")
        self.assertEqual(first, "a from by:1,1 reach by:2,1 hand")
        self.assertEqual([" ".join(re.findall(r"(?:go|take):\S+", line)) for line in steps], plan.split("\n"))
        self.assertEqual(re.findall(r"take:\S+ (\S+) a", told), ["on", "goal"])
        self.assertEqual(len(re.findall(r"go:\S+ for a", told)), 2)
        states = [line for line in whole.answer.split("\n") if line.startswith("at:")]
        self.assertEqual((states[0], states[-1], len(states)), ("at:a,_:0,1", "at:a,_:5,2", 4))

    def test_views(self):
        solved, traces = self.traced()
        rows = boxnet_tasks.rows(solved, traces, symmetric=True)
        self.assertEqual(len({row.prompt for row in rows}), 8)
        self.assertEqual({row.prompt.split()[0] for row in rows}, {"map:3,2", "map:2,3"})
        got = boxnet_tasks.Judge(binary=binary()).score([Item(row.oracle_task(), row.answer) for row in rows])
        self.assertEqual([(x.raw["verdict"], x.raw["score"]) for x in got], [("valid", 1.1)] * 8)
        for row in rows:  # each text is what its task gives
            task = json.loads(row.problem_text)
            self.assertEqual(row.prompt, boxnet_tasks.prompt(task))
            for at in [r["base"] for r in task["robots"]] + [o[member] for o in task["objects"] for member in ("at", "target")]:
                self.assertTrue(0 < at[0] < task["map"][0] and 0 < at[1] < task["map"][1], (at, task["map"]))
            for line in row.answer.split("\n"):
                self.assertEqual(boxnet_tasks.in_order(line), line)
        self.assertEqual(boxnet_tasks.in_order("take:2,1:0,0 on b wait by:2,1 for by:1,1 go:1,2:0,0 room"), "go:1,2:0,0 room take:2,1:0,0 on b wait by:2,1 for by:1,1")
        self.assertEqual(boxnet_tasks.in_order("a from by:2,1 by:1,2 reach by:1,1 hand"), "a from by:1,2 by:2,1 reach by:1,1 hand")

    def test_what_is_no_plan_stays(self):
        for text in ("", "plan", "plan\n", "go:1,1", "plan\ngo:1,1:0,1 ", "plan\ngo:1,1:0", "plan\nrun:1,1:0,1", "go:1,1:0,1\n", "go:1,1:a,b", "go:1,1:1.1.1,0"):
            with self.subTest(text):
                self.assertEqual(boxnet_tasks.response(text, self.TASK), text)

    def test_judge(self):
        (row,) = boxnet_tasks.rows(json.dumps(self.TASK) + "\n")
        slow = "go:1,1:0,0\n" + self.PLAN
        texts = [self.PLAN, slow, "go:1,1:0,1", "no plan", "go:1,1:0,1 go:1,1:0,0", "go:1,1:5,0", "go:0,0:0,0", "go:1,1:0,1\ntake:1,1:3,1 go:2,1:3,1", "take:1,1:0,0"]
        items = [Item(row.oracle_task(), text) for text in texts]
        got = [x.raw for x in boxnet_tasks.Judge(binary=binary()).score(items)]
        self.assertEqual([x["verdict"] for x in got], ["valid", "valid", "invalid", "parse", *["invalid"] * 5])
        self.assertEqual([x["reason"] for x in got][2:], ["object not at its target", "unreadable", "robot moves twice", "out of reach", "unknown robot",
                                                          "same end position", "no object to carry"])
        self.assertEqual([round(x["score"], 6) for x in got][:4], [1.1, 1.0, 0.1, 0.0])
        self.assertEqual([x["optimality_gap"] for x in got][:4], [0, 1, None, None])
        flat = [x.raw["score"] for x in boxnet_tasks.Judge(efficiency=False, binary=binary()).score(items)]
        self.assertEqual([round(x, 6) for x in flat][:4], [1.1, 1.1, 0.1, 0.0])
        with self.assertRaises(data.DataError):
            boxnet_tasks.Judge(binary=binary()).score([Item({"domain": "", "problem": json.dumps({**self.TASK, "map": [0, 0]})}, self.PLAN)])


if __name__ == "__main__":
    unittest.main()
