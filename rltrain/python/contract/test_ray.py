"""Ray on a local cluster: scoring with map_batches, and a store that is filled while a machine dies."""

import glob
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest

from tests.support import PACKAGE, TASK, binary, good_plan

try:
    import ray
    import ray.data
    from ray.cluster_utils import Cluster
except ImportError:
    raise unittest.SkipTest("SKIP ray: not installed") from None

from planproof import ray_fill
from planproof.errors import PlanproofError
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


class Fill(unittest.TestCase):
    """A cluster of two machines of one processor each."""

    def setUp(self):
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.addCleanup(self.cluster.shutdown)
        self.machines = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="ERROR",
                 runtime_env={"env_vars": {"PYTHONPATH": f"{PACKAGE}/src:{PACKAGE}"}})
        self.addCleanup(ray.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_tool(self, *argv):
        return subprocess.run([binary(), "truth", *argv], capture_output=True, check=True).stdout

    def test_a_machine_dies(self):
        tasks, store, alone = (os.path.join(self.folder, name) for name in ("tasks.jsonl", "truth.db", "alone.db"))
        with open(tasks, "w") as f:
            f.writelines(json.dumps({"task": f"blocksworld:4-{1 + i}"}) + "\n" for i in range(40))
        slow = os.path.join(self.folder, "slow")  # says when it begins a shard, and takes its time
        with open(slow, "w") as f:
            f.write(f'#!/bin/sh\nif [ "$2" = fill ]; then touch {self.folder}/begun-$$; sleep 4; fi\nexec {binary()} "$@"\n')
        os.chmod(slow, 0o755)
        filled = []
        filler = threading.Thread(target=lambda: filled.append(ray_fill.fill([tasks], store, shards=4, schedules=["", "put-down=20,*=1"], binary=slow)))
        filler.start()
        deadline = time.monotonic() + 120
        while len(glob.glob(f"{self.folder}/begun-*")) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.cluster.remove_node(self.machines[0], allow_graceful=False)
        filler.join(240)
        self.assertEqual(filled[0].by_status, {"solved-optimally": 80})
        self.assertTrue(filled[0].complete)
        self.assertGreater(len(glob.glob(f"{self.folder}/begun-*")), 4, "no shard was begun again, so nothing died at work")
        self.run_tool("fill", tasks, "--store", alone, "--schedule", "", "--schedule", "put-down=20,*=1")
        self.assertEqual(self.run_tool("export", "--store", store), self.run_tool("export", "--store", alone))
        again = ray_fill.fill([tasks], store, shards=4, schedules=["", "put-down=20,*=1"], binary=binary())
        self.assertEqual((again.rows, again.known), (0, 80))

        with open(tasks, "w") as f:
            f.write('{"task": "blocksworld:4-90"}\n{"task": "nosuch:1"}\n')
        partly = ray_fill.fill([tasks], store, binary=binary())
        self.assertEqual((partly.rows, partly.errors, partly.complete), (1, 1, False))
        with self.assertRaises(PlanproofError):
            ray_fill.fill([os.path.join(self.folder, "absent")], store, binary=binary())


if __name__ == "__main__":
    unittest.main()
