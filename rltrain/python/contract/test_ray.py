"""Ray Data on a local cluster: scoring with map_batches."""

import json
import os
import tempfile
import unittest

from tests.support import PACKAGE, TASK, binary, good_plan

try:
    import ray
    import ray.data
except ImportError:
    raise unittest.SkipTest("SKIP ray: not installed") from None

from planproof.ray import GroundTruth, ScoreBatch


class RayData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
                 runtime_env={"env_vars": {"PYTHONPATH": f"{PACKAGE}/src:{PACKAGE}"}})
        cls.addClassCleanup(ray.shutdown)

    def test_ground_truth(self):
        rows = [{"row": i, "task": f"blocksworld:4-{1 + i % 40}"} for i in range(120)] + [{"row": 120, "task": "nosuch:1"}]
        found = ray.data.from_items(rows).map_batches(GroundTruth, fn_constructor_kwargs={"binary": binary()}, concurrency=1, batch_size=64)
        found = sorted(found.take_all(), key=lambda r: r["row"])
        self.assertEqual(len(found), 121)
        self.assertEqual({r["truth_status"] for r in found[:120]}, {"solved-optimally"})
        self.assertEqual(found[120]["truth_status"], "error")
        scored = ScoreBatch(binary=binary())({"task": [r["task"] for r in found[:120]],
                                              "completion": ["<plan>\n" + "\n".join(json.loads(r["truth_plan"])) + "\n</plan>" for r in found[:120]]})
        self.assertEqual(set(scored["score"]), {1.0})
        self.assertEqual([r["truth_cost"] for r in found[:120]], [str(n) for n in scored["plan_len"]])

    def test_map_batches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rollouts.jsonl")
            with open(path, "w") as f:
                for i in range(200):
                    f.write(json.dumps({"row": i, "task": TASK, "completion": good_plan() if i % 2 else "nothing"}) + "\n")
            scored = ray.data.read_json(path).map_batches(
                ScoreBatch, fn_constructor_kwargs={"spec": "process", "binary": binary()}, concurrency=1, batch_size=32)
            rows = sorted(scored.take_all(), key=lambda r: r["row"])
        self.assertEqual([r["valid"] for r in rows], [i % 2 == 1 for i in range(200)])
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        self.assertEqual({r["score"] for r in rows if not r["valid"]}, {0.0})


if __name__ == "__main__":
    unittest.main()
