"""Plans of BoxNet3D in the real MuJoCo."""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

from tests.support import binary

try:
    import mujoco  # noqa: F401
except ImportError:
    raise unittest.SkipTest("SKIP mujoco: not installed") from None

from planproof.boxnet3d import main, replay


def rows(*flags):
    out = subprocess.run([binary(), "boxnet", "generate", "--dimensions", "3", *flags], capture_output=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


class Physics(unittest.TestCase):
    def test_one_arm(self):
        """An arm alone touches nothing, and its tip is where the plan says."""
        for row in rows("--width", "2", "--objects", "1..3", "--count", "2"):
            result = replay(row)
            self.assertEqual((result.goal, result.steps, result.contacts), (True, row["optimal_steps"], []))
            self.assertLess(result.error, 1e-6)

    def test_contacts(self):
        """A pillar in the way and a cube that another arm pushes away are contacts."""
        row = rows("--width", "2", "--objects", "1", "--count", "1")[0]
        (x, y), (u, v) = row["objects"][0]["at"], row["objects"][0]["target"]
        pillar = {"name": "pillar", "at": [(x + u) / 2 if x == u else x, y], "radius": 0.05, "height": 0.5}
        touched = replay({**row, "obstacles": [pillar]})
        self.assertIn(("Robot 0", "pillar"), {(c.first, c.second) for c in touched.contacts})
        other = {"name": "Object 9", "at": [u, v], "target": [u, v]}
        self.assertIn("Object 9", {name for c in replay({**row, "objects": [*row["objects"], other]}).contacts for name in (c.first, c.second)})

    def test_many_arms(self):
        """Nine arms: every object comes to its target; RRT-connect leaves no more contacts than arcs in this set."""
        counts = {"arc": 0, "rrt": 0}
        for row in rows("--width", "4", "--square", "--objects", "3", "--count", "2"):
            for paths in counts:
                result = replay(row, paths=paths)
                self.assertTrue(result.goal)
                self.assertEqual(result, replay(row, paths=paths))  # the same every time
                counts[paths] += len(result.contacts)
        print(counts)

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.jsonl")
            row = rows("--width", "2", "--objects", "1", "--count", "1")[0]
            for plan, code, words in ((row["plan"], 0, "0 contacts, all objects are at their targets"), ([], 1, "some objects are not")):
                with open(path, "w") as file:
                    file.write(json.dumps({**row, "plan": plan}) + "\n")
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    self.assertEqual(main([path]), code)
                self.assertIn(words, out.getvalue())

    def test_bad_input(self):
        row = rows("--width", "2", "--objects", "1", "--count", "1")[0]
        for bad in ({**row, "dimensions": 2}, {**row, "plan": [{"Robot 0": "Move [9.0, 9.0], False"}]}, {**row, "plan": [{"Robot 0": "Move [1.1, 0.6], True"}]},
                    {**row, "plan": [{"Robot 7": "Move [0.55, 0.55], False"}]}):
            with self.assertRaises(ValueError):
                replay(bad)


if __name__ == "__main__":
    unittest.main()
