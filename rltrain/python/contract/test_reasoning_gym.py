"""The real reasoning-gym: registration, purity, scoring, composites."""

import json
import os
import subprocess
import unittest
from unittest import mock

from tests.support import binary

try:
    import reasoning_gym
    from reasoning_gym.factory import create_curriculum
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
        """In every domain, level and style: the gold answers the question as it asks, and a part of it does not."""
        for style in ("nl", "pddl"):
            data = self.make(size=60, domains=list(adapter.DOMAINS), max_level=4, style=style)
            seen = set()
            for entry in data:
                gold = entry["answer"]
                seen.add((entry["metadata"]["domain"], entry["metadata"]["level"]))
                self.assertTrue(gold.startswith("<plan>\n") and gold.endswith("\n</plan>"), gold)
                self.assertEqual("(" in gold, style == "pddl", gold)  # in words where the question asks for words
                self.assertNotIn(gold, entry["question"])
                self.assertEqual(data.score_answer(gold, entry), 1.0, gold)
                steps = gold.splitlines()[1:-1]
                self.assertEqual(len(steps), entry["metadata"]["optimal_steps"])
                self.assertEqual(data.score_answer("\n".join(steps), entry), 1.0)  # the block may be left out
                for bad in (None, "", "nothing", "\n".join(steps[:-1]), "\n".join([*steps, "(fly a)"])):
                    self.assertEqual(data.score_answer(bad, entry), 0.0, bad)
            self.assertEqual({domain for domain, _ in seen}, set(adapter.DOMAINS))
            self.assertGreater(len(seen), 12)

    def test_another_plan_is_as_good(self):
        entry = self.make(size=1, domains=["blocksworld"], max_level=1, style="pddl")[0]
        first, *rest = entry["answer"].splitlines()[1:-1]
        name, block, *under = first.strip("()").split()
        back = f"(put-down {block})" if name == "pick-up" else f"(stack {block} {under[0]})"
        self.assertEqual(self.make(size=1).score_answer("\n".join([first, back, first, *rest]), entry), 1.0)

    def test_one_process_for_many_items(self):
        adapter._rows.cache_clear()
        with mock.patch.object(adapter.subprocess, "run", wraps=subprocess.run) as run:
            self.assertEqual(len(list(self.make(size=150))), 150)
        self.assertEqual(run.call_count, 3)

    def test_curriculum(self):
        curriculum = create_curriculum("pddl_plan")
        levels = []
        while True:
            config = curriculum.generate_configuration({"seed": 1, "size": 20, "domains": ["gripper"]})
            levels.append((config.min_level, config.max_level))
            config.validate()
            if not curriculum.increment_attr_level("level"):
                break
        self.assertEqual(levels, [(1, 1), (1, 2), (1, 3), (1, 4)])
        steps = [sum(e["metadata"]["optimal_steps"] for e in self.make(size=20, min_level=level, max_level=level)) for level in adapter.LEVELS]
        self.assertEqual(steps, sorted(set(steps)))

    def test_configuration(self):
        for bad in ({"domains": []}, {"domains": ["chess"]}, {"min_level": 0}, {"max_level": 9}, {"min_level": 3, "max_level": 2}, {"style": "x"}, {"size": 0}):
            with self.assertRaises(AssertionError):
                self.make(**bad)

    def test_composite(self):
        from reasoning_gym.composite import DatasetSpec

        data = reasoning_gym.create_dataset("composite", seed=1, size=4, datasets=[
            DatasetSpec(name="pddl_plan", weight=1, config={"max_level": 1})])
        entry = data[0]
        self.assertEqual(data.score_answer(entry["answer"], entry), 1.0)


if __name__ == "__main__":
    unittest.main()
