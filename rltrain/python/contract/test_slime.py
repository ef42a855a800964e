"""The real slime, from its source (it is on no package index: PLANPROOF_SOURCES has the checkout):
its hub of rewards calls our function, and the oracle as a remote reward model."""

import asyncio
import json
import os
import unittest
from argparse import Namespace

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.support import TASK, RealOracle, binary, good_plan

try:
    from slime.rollout import rm_hub
    from slime.utils.types import Sample
except ImportError as err:
    raise unittest.SkipTest(f"SKIP slime: {err}") from None

#: A plan whose block is not closed: to the natural reader all of it if the answer ended here, nothing if it was cut off.
OPEN = good_plan().removesuffix("</plan>")
NATURAL = json.dumps({"task": TASK, "reader": "natural"})
ANSWERS = ((TASK, good_plan(), "COMPLETED", 1.0), (TASK, "nothing", "COMPLETED", 0.0), (TASK, OPEN, "COMPLETED", 0.0),
           (NATURAL, OPEN, "COMPLETED", 1.0), (NATURAL, OPEN, "TRUNCATED", 0.0))


def samples():
    return [Sample(prompt="Plan.", response=answer, label=label, status=Sample.Status[status]) for label, answer, status, _ in ANSWERS]


class Slime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()

    def test_custom_rm_path(self):
        args = Namespace(custom_rm_path="planproof.slime.reward", rm_type=None)

        async def score():
            one = [await rm_hub.async_rm(args, sample) for sample in samples()]
            return one, await rm_hub.batched_async_rm(args, samples())

        one, group = asyncio.run(score())
        self.assertEqual(one, [reward for *_, reward in ANSWERS])
        self.assertEqual(group, one)

    def test_remote_rm(self):
        oracle = RealOracle()
        self.addCleanup(oracle.close)
        args = Namespace(custom_rm_path=None, rm_type="remote_rm", rm_url=oracle.url + "/v1/reward-model")

        async def score():
            try:
                return [await rm_hub.async_rm(args, sample) for sample in samples()[:2]]
            finally:
                await rm_hub._get_shared_session().close()

        self.assertEqual(asyncio.run(score()), [1, 0])


if __name__ == "__main__":
    unittest.main()
