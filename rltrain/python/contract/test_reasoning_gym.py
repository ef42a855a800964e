"""The real reasoning-gym: registration, purity, scoring, composites."""

import json
import os
import unittest

from tests.support import binary

try:
    import reasoning_gym
except ImportError:
    raise unittest.SkipTest("SKIP reasoning-gym: not installed") from None

import planproof.reasoning_gym as adapter


class ReasoningGym(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()

    def make(self, **kw):
        return reasoning_gym.create_dataset("pddl_plan", **{"seed": 7, "size": 6, **kw})

    def test_entries(self):
        self.assertTrue(adapter.REGISTERED)
        self.assertTrue(adapter.register())  # again does nothing
        data = self.make()
        entries = list(data)
        self.assertEqual(len(entries), 6)
        self.assertEqual(entries[3], self.make()[3])  # a function of seed and index
        self.assertEqual({e["metadata"]["source_dataset"] for e in entries}, {"pddl_plan"})
        self.assertEqual([e["metadata"]["source_index"] for e in entries], list(range(6)))
        self.assertGreater(len({e["metadata"]["task"] for e in entries}), 3)
        json.dumps(entries)
        with self.assertRaises(IndexError):
            data[6]

    def test_scores(self):
        data = self.make(size=3)
        for entry in data:
            gold = entry["answer"]
            self.assertNotIn(gold, entry["question"])
            self.assertEqual(data.score_answer(gold, entry), 1.0)
            self.assertEqual(data.score_answer(f"I think\n<plan>\n{gold}\n</plan>", entry), 1.0)
            for bad in (None, "", "nothing", "\n".join(gold.splitlines()[:-1]), gold + "\n(fly a)"):
                self.assertEqual(data.score_answer(bad, entry), 0.0)
            detour = gold.splitlines()  # valid, and not the gold text
            first = detour[0].strip("()").split()
            if first[0] == "pick-up":
                detour = [f"(pick-up {first[1]})", f"(put-down {first[1]})", *detour]
                self.assertEqual(data.score_answer("\n".join(detour), entry), 1.0)

    def test_configuration(self):
        for bad in ({"min_blocks": 2}, {"max_blocks": 9}, {"min_blocks": 4, "max_blocks": 3}, {"style": "x"}, {"size": 0}):
            with self.assertRaises(AssertionError):
                self.make(**bad)

    def test_composite(self):
        from reasoning_gym.composite import DatasetSpec

        data = reasoning_gym.create_dataset("composite", seed=1, size=4, datasets=[
            DatasetSpec(name="pddl_plan", weight=1, config={"max_blocks": 3})])
        entry = data[0]
        self.assertEqual(data.score_answer(entry["answer"], entry), 1.0)


if __name__ == "__main__":
    unittest.main()
