"""The group maths against the golden file that the Go package wrote, bit by bit."""

import collections
import json
import struct
import unittest

from tests.support import CHECKOUT

from planproof import groups

GOLDEN = CHECKOUT / "rltrain/groups/testdata/groups.golden.json"


def numbers(value):
    """Numbers are strings, so that no reader rounds them."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return [numbers(v) for v in value] if isinstance(value, list) else value


def bits(values):
    return [struct.pack("<d", v).hex() if isinstance(v, float) else v for v in values]


def run(function, given):
    opts = {k: given[k] for k in ("leave_one_out", "no_std", "sample") if k in given}
    if "epsilon" in given:
        opts["epsilon"] = given["epsilon"][0]
    if function == "advantages":
        return {"advantages": groups.advantages(given["rewards"], given["known"], **opts),
                "degenerate": groups.degenerate(given["rewards"], given["known"])}
    if function == "constraint_advantages":
        return {"advantages": groups.constraint_advantages(
            given["rewards"], given["ca"], given["alpha"][0], given["placement"], given["known"], **opts)}
    if function == "estimate":
        tokens = groups.estimate(given["estimator"], given["policy"], given["unconstrained"])
        return {"tokens": tokens, "mean": [groups.mean_tokens(tokens, given["mask"])]}
    if function == "objective":
        return {"tokens": groups.objective_tokens(
            given["policy"], given["old"], given["advantage"][0], reference=given["reference"],
            unconstrained=given["unconstrained"], clip_low=given["clip_low"][0], clip_high=given["clip_high"][0],
            alpha=given["alpha"][0], beta=given["beta"][0], estimator=given["estimator"])}
    if function == "ppo":
        rewards = groups.token_rewards(
            given["old"], given["reward"][0], reference=given["reference"], unconstrained=given["unconstrained"],
            mask=given["mask"], alpha=given["alpha"][0], beta=given["beta"][0], estimator=given["estimator"])
        adv, returns = groups.gae(rewards, given["values"], given["mask"], gamma=given["gamma"][0], lam=given["lambda"][0])
        return {"rewards": rewards, "advantages": adv, "returns": returns}
    if function == "aggregate":
        return {"value": [groups.aggregate(given["aggregation"], given["values"], given["masks"])]}
    if function == "filter_lowest":
        return {"values": groups.filter_lowest(given["values"], given["fraction"][0])[0]}
    if function == "exp":
        return {"exp": [groups.exp_fixed(x) for x in given["x"]], "k3": [groups.k3(x) for x in given["x"]]}
    if function == "pairs":
        samples = [groups.Sampled(s["prompt"], s["text"], s["valid"], s["unconstrained"], float(s["kl"][0])) for s in given["samples"]]
        return {"pairs": [list(p) for p in groups.pairs(
            samples, given["rule"], count=given["count"], per_prompt=given["per_prompt"], seed=given["seed"],
            drop_lowest=given["drop_lowest"][0], keep_valid=given["keep_valid"])]}
    raise AssertionError(f"the golden file calls {function!r}, which is not here")


@unittest.skipUnless(GOLDEN.exists(), "the golden file of the group maths is missing")
class Golden(unittest.TestCase):
    def test_same_bits(self):
        counts = collections.Counter()
        for n, case in enumerate(json.loads(GOLDEN.read_text())):
            given = {k: v if k == "samples" else numbers(v) for k, v in case["in"].items()}
            got = run(case["function"], given)
            for name, want in case["out"].items():
                want = numbers(want)
                with self.subTest(case=n, function=case["function"], out=name):
                    if isinstance(want, list):
                        self.assertEqual(bits(got[name]), bits(want))
                    else:
                        self.assertEqual(got[name], want)
            counts[case["function"]] += 1
        self.assertEqual(len(counts), 9, counts)


class Rules(unittest.TestCase):
    def test_missing_rewards(self):
        self.assertEqual(groups.advantages([1, None, 0]), [1, 0, -1])
        self.assertEqual(groups.advantages([1, None, 1]), [0, 0, 0])
        self.assertTrue(groups.degenerate([None, 3]))

    def test_a_tied_group_is_never_blown_up(self):
        out = groups.constraint_advantages([1, 1, 1], [0.5, 0.1, 0.2], 0.001, "after")
        self.assertLess(max(map(abs, out)), 0.001)
        with self.assertRaises(ValueError):
            groups.constraint_advantages([1, 1, 1], [0.5, 0.1, 0.2], 0.001, "reward")
        out = groups.constraint_advantages([1, 1, 1], [0.5, 0.1, 0.2], 0.001, "reward", no_std=True)
        self.assertLess(max(map(abs, out)), 0.001)

    def test_bad_arguments(self):
        for call in (
            lambda: groups.estimate("kl", [0.0], [0.0]), lambda: groups.estimate("kl", [], []),
            lambda: groups.estimate("dif", [0.0], []), lambda: groups.estimate("abs", [float("-inf")], [0.0]),
            lambda: groups.aggregate("sum", []), lambda: groups.gate_open("x", True, True),
            lambda: groups.pairs([], "kto"), lambda: groups.pairs([], "dpo", drop_lowest=2),
            lambda: groups.constraint_advantages([1, 0], [1], 1, "after"),
            lambda: groups.constraint_advantages([1, 0], [1, 1], 1, "before"),
            lambda: groups.advantages([1, 0], [True]),
        ):
            with self.assertRaises(ValueError):
                call()

    def test_gates(self):
        rows = [(g, v, p, groups.gate_open(g, v, p)) for g in groups.GATES for v in (True, False) for p in (True, False)]
        self.assertEqual([r[:3] for r in rows if not r[3]],
                         [("valid", False, True), ("valid", False, False), ("parsed", False, False)])


if __name__ == "__main__":
    unittest.main()
