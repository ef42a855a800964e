"""The real NeMo-RL, from its source (PLANPROOF_SOURCES): our environment by its registry, as a Ray actor."""

import os
import unittest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

from tests.support import PACKAGE, TASK, binary, good_plan

os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])

try:
    import ray
    import torch
    from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
    from nemo_rl.environments.utils import create_env, register_env
except ImportError as err:
    raise unittest.SkipTest(f"SKIP nemo_rl: {err}") from None

from planproof import OracleUnavailable
from planproof.nemo_rl import make_environment

LOGS = [[{"role": "user", "content": "Plan.", "token_ids": torch.tensor([1])}, {"role": "assistant", "content": answer, "token_ids": torch.tensor([2])}]
        for answer in (good_plan(), "nothing")]
ROWS = [{"ground_truth": TASK}, {"task": TASK}]


class NemoRL(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()

    def check(self, out):
        self.assertEqual(out.rewards.tolist(), [1.0, 0.0])
        self.assertEqual(out.terminateds.tolist(), [True, True])
        self.assertEqual([o["role"] for o in out.observations], ["environment"] * 2)
        self.assertEqual([(row.get("ground_truth"), row["planproof"]["valid"]) for row in out.metadata], [(TASK, 1.0), (None, 0.0)])
        self.assertEqual(len(out.next_stop_strings), 2)

    def test_in_this_process(self):
        made = make_environment(EnvironmentInterface, EnvironmentReturn)
        env = made({"spec": "valid"})  # abstract methods are all there
        self.check(env.step(LOGS, ROWS))
        batch = {"rewards": torch.tensor([1.0, 0.0])}
        self.assertEqual(env.global_post_process_and_metrics(batch)[1], {"reward": 0.5, "fraction_valid": 0.5})
        with self.assertRaises(OracleUnavailable):
            made({"url": "http://127.0.0.1:9", "deadline": 0.1}).step(LOGS, ROWS)

    def test_by_its_registry_as_an_actor(self):
        register_env("planproof", "planproof.nemo_rl.PlanEnvironment")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        try:
            env = create_env("planproof", {"spec": "valid"})
            self.check(ray.get(env.step.remote(LOGS, ROWS)))
        finally:
            ray.shutdown()


if __name__ == "__main__":
    unittest.main()
