"""The parts of the reference trainer that need no tensors: rows, batches, statistics, curves,
and an evaluation against the real oracle."""

import dataclasses
import io
import itertools
import json
import math
import random
import shutil
import sys
import tempfile
import time
import unittest
import xml.dom.minidom
from pathlib import Path

from tests.support import binary

from planproof import Client, groups, schema
from planproof.errors import PlanproofError
from planproof.rows import read_rows, task_hash
from planproof.reftrain import curves, data, evaluate, frontier, jobs, pairs, progress, report, stats

DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (at ?x) (link ?x ?y) (forbidden-go ?x ?y))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (link ?x ?y) (not (forbidden-go ?x ?y)))
  :effect (and (at ?y) (not (at ?x)))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects a b c)
 (:init (at a) (link a b) (link b c) (link a c) (link b a) (link c b) (forbidden-go a c)) (:goal (at c)))"""


def row(i, **changes):
    out = {
        "id": f"r{i}", "task": "", "structure": f"sha256:s{i // 2}", "split": "train", "family": "d",
        "domain_text": DOMAIN.replace(":strips", ":strips :negative-preconditions"), "problem_text": PROBLEM, "prompt": f"prompt {i}",
        "prompt_unconstrained": f"free {i}", "answer": "[PLAN]\n(go a b)\n(go b c)\n[PLAN END]",
        "gold": {"plan": ["(go a b)", "(go b c)"], "steps": 2, "cost": "2", "optimal": True},
        "difficulty": i, "bin": f"{i // 3}", "constraints": ["(forbidden-go a c)"],
    }
    out.update(changes)
    out["task"] = out["task"] or task_hash(out["domain_text"], out["problem_text"])
    return out


def write(rows):
    folder = tempfile.mkdtemp()
    path = Path(folder) / "rows.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


class Reading(unittest.TestCase):
    def test_rows_and_splits(self):
        path = write([row(0), row(1, split="test-clean"), "", row(2, split="test-contaminated", prompt="line\u2028separator")])
        rows = data.read(path)
        self.assertEqual([r.id for r in rows], ["r0", "r1", "r2"])
        self.assertEqual(rows[0].constraints, ("(forbidden-go a c)",))
        self.assertEqual(rows[2].prompt, "line\u2028separator")
        self.assertEqual([r.id for r in data.read(path, split="test")], ["r1", "r2"])
        self.assertEqual([r.id for r in data.read(path, split="test-clean")], ["r1"])
        self.assertEqual(rows[0].oracle_task(True), task_hash(rows[0].domain_text, rows[0].problem_text))
        self.assertEqual(set(rows[0].oracle_task()), {"domain", "problem"})

    def test_every_fault_is_located(self):
        broken = row(3)
        del broken["prompt"]
        path = write([row(0), "{\"id\": }", "[1]", broken, row(4, gold=[1], difficulty="hard"), row(0), row(5, answer="")])
        with self.assertRaises(data.DataError) as got:
            data.read(path, need=["answer"])
        places = [e.removeprefix(f"{path}:").split(" error")[0] for e in got.exception.errors]
        kinds = [e.split("error[")[1].split("]")[0] for e in got.exception.errors]
        self.assertEqual(kinds, ["json", "json", "missing", "type", "type", "duplicate", "missing"])
        self.assertEqual([p.split(":")[0] for p in places], ["2", "3", "4", "5", "5", "6", "7"])
        line = path.read_text().split("\n")[4]
        self.assertEqual(line[int(places[3].split(":")[1]) - 1:][:6], '"gold"')
        self.assertIsInstance(got.exception, PlanproofError)
        with self.assertRaisesRegex(data.DataError, r":1:1: error\[empty\]: none of the 1 rows"):
            data.read(write([row(0)]), split="val")
        many, nan = json.dumps(row(0))[:-1] + ', "x": ' + "9" * 5000 + "}", json.dumps(row(1, difficulty=float("nan")))
        with self.assertRaisesRegex(data.DataError, r"(?s):1:1: error\[json\].*:2:\d+: error\[type\]: difficulty"):
            data.read(write([many, nan]))
        with self.assertRaisesRegex(data.DataError, r"error\[file\]"):
            data.read(path.parent / "absent.jsonl")


    def test_an_altered_row_is_refused(self):
        """Whatever reads rows: the task is not the one that the row's hash says."""
        rows = [row(i) for i in range(4)]
        rows[1]["problem_text"] += "\n"
        rows[3]["domain_text"] = "; \u00e9\n" + rows[3]["domain_text"]
        path = write(rows)
        with self.assertRaises(data.DataError) as got:
            data.read(path)
        self.assertEqual(len(got.exception.errors), 2)
        for number, told in zip((2, 4), got.exception.errors):
            col = path.read_text().split("\n")[number - 1].index('"task"') + 1
            self.assertTrue(told.startswith(f"{path}:{number}:{col}: error[wrong_hash]: the row's task is sha256:"), told)
        with self.assertRaisesRegex(ValueError, r"rows.jsonl:2: the row's task is sha256:\w+, and its texts have the hash sha256:\w+\n.*rows.jsonl:4: the row's task"):
            read_rows(path)
        with self.assertRaisesRegex(ValueError, r"(?s)rows.jsonl:1: .*rows.jsonl:20: .*\nand 5 more$"):
            read_rows(write(["{"] * 25))
        rows[1]["task"], rows[3]["task"] = "blocksworld:3-5", ""  # no hash: nothing to compare
        self.assertEqual(len(read_rows(write(rows))), 4)


class Batching(unittest.TestCase):
    def rows(self, n=10):
        return data.read(write([row(i) for i in range(n)]))

    def test_every_row_once_an_epoch(self):
        batches = data.Batches(self.rows(), 4, seed=1)
        seen = [r.id for step in range(5) for r in batches.at(step)]
        for epoch in (seen[:10], seen[10:]):
            self.assertEqual(sorted(epoch), sorted(f"r{i}" for i in range(10)))
        self.assertNotEqual(seen[:10], seen[10:])

    def test_resumed_run_has_the_same_batches(self):
        rows = self.rows()
        whole = [[r.id for r in b] for b in itertools.islice(data.Batches(rows, 3, seed=5), 12)]
        rest = [[r.id for r in b] for b in itertools.islice(data.Batches(rows, 3, seed=5, start=7), 5)]
        self.assertEqual(whole[7:], rest)
        other = [[r.id for r in b] for b in itertools.islice(data.Batches(rows, 3, seed=6), 12)]
        self.assertNotEqual(whole, other)

    def test_curriculum(self):
        rows = self.rows(9)[::-1]
        self.assertEqual(data.bins(rows), ["0", "1", "2"])
        stages = data.curriculum(rows, 100, share=0.5)
        self.assertEqual([(s.start, len(s.rows)) for s in stages], [(0, 3), (25, 6), (50, 9)])
        batches = data.Batches(rows, 3, seed=1, stages=stages)
        self.assertEqual({r.bin for s in range(25) for r in batches.at(s)}, {"0"})
        self.assertEqual({r.bin for s in range(25, 50) for r in batches.at(s)}, {"0", "1"})
        self.assertEqual({r.bin for s in range(50, 60) for r in batches.at(s)}, {"0", "1", "2"})
        self.assertEqual([(s.start, len(s.rows)) for s in data.curriculum(rows, 100, share=0)], [(0, 9)])
        self.assertEqual([len(batches.open(s).rows) for s in (0, 24, 25, 50, 99)], [3, 3, 6, 9, 9])

    def test_frontier_draws_what_is_solved_half_of_the_time(self):
        rows = self.rows(30)
        front = frontier.Frontier(rows, seed=3)
        easy, half, hard = rows[:10], rows[10:20], rows[20:]
        for _ in range(20):
            for group, valid in ((easy, 8), (half, 4), (hard, 0)):
                front.count(group, [g < valid for _ in group for g in range(8)])
        drawn = [r.id for step in range(40) for r in front.draw(step, 6, range(30))]
        of_half = sum(r in {x.id for x in half} for r in drawn)
        self.assertGreater(of_half, 0.6 * len(drawn))
        self.assertLess(of_half, len(drawn))  # others are still tried: the estimate may be wrong
        self.assertTrue(all(0 < front.solves(i) < 1 for i in range(30)))
        self.assertLess(front.solves(25), front.solves(15))
        self.assertLess(front.solves(15), front.solves(5))

    def test_frontier_is_a_function_of_seed_step_and_counts(self):
        rows = self.rows(20)
        front, again = frontier.Frontier(rows, seed=3), frontier.Frontier(rows, seed=3)
        front.count(rows[:4], [True, False] * 4)
        again.load(front.state())
        a, b = (f.draw(7, 5, range(20), rows[:2]) for f in (front, again))
        self.assertEqual([r.id for r in a], [r.id for r in b])
        self.assertEqual(len({r.id for r in a}), 5)
        self.assertFalse({r.id for r in a} & {"r0", "r1"})
        self.assertNotEqual([r.id for r in a], [r.id for r in front.draw(8, 5, range(20), rows[:2])])
        self.assertEqual({r.id for r in front.draw(1, 50, range(3, 9))}, {f"r{i}" for i in range(3, 9)})
        # What was tried long ago counts less than what was tried now.
        front.count(rows[:4], [False] * 32)
        front.count(rows[:4], [True] * 32)
        self.assertGreater(front.solves(0), 0.5)


class Statistics(unittest.TestCase):
    def test_pass_at_k_is_the_mean_over_all_choices(self):
        for n, valid in ((5, 0), (5, 2), (6, 6), (7, 1)):
            answers = [i < valid for i in range(n)]
            for k in range(1, n + 1):
                choices = list(itertools.combinations(answers, k))
                self.assertAlmostEqual(stats.pass_at_k(n, valid, k), sum(map(any, choices)) / len(choices))
        with self.assertRaises(ValueError):
            stats.pass_at_k(3, 1, 4)

    def test_bootstrap(self):
        """The interval widens with copies: a hundred copies of each of four structures are four, not 400."""
        once = stats.bootstrap([[1.0], [1.0], [0.0], [0.0]])
        self.assertEqual(stats.bootstrap([[1.0] * 100, [1.0] * 100, [0.0] * 100, [0.0] * 100]), once)
        self.assertLess(once[0], 0.1)
        self.assertGreater(once[1], 0.9)
        low, high = stats.bootstrap([[i % 2] for i in range(400)])
        self.assertAlmostEqual(low, 0.5 - 1.96 * 0.025, delta=0.01)
        self.assertAlmostEqual(high, 0.5 + 1.96 * 0.025, delta=0.01)
        self.assertEqual(stats.bootstrap([[1.0, 0.0], [1.0]]), stats.bootstrap([[1.0, 0.0], [1.0]]))
        self.assertIsNone(stats.bootstrap([[1.0, 0.0]]))
        self.assertIsNone(stats.bootstrap([]))

    def test_sign_flip(self):
        self.assertEqual(stats.sign_flip([]), 1)
        self.assertEqual(stats.sign_flip([0.5, 0.0, 0.0]), 1)  # one structure says nothing
        self.assertAlmostEqual(stats.sign_flip([1.0] * 9 + [-1.0]), 2 * (1 + 10) / 1024)
        self.assertAlmostEqual(stats.sign_flip([1.0, -1.0]), 1)
        many = stats.sign_flip([1.0] * 20 + [-1.0] * 5)  # 2 P(X >= 20 of 25) = 0.0041
        self.assertAlmostEqual(many, 0.0041, delta=0.002)

    def test_student(self):
        table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 29: 2.045, 120: 1.980}
        for degrees, t in table.items():
            self.assertAlmostEqual(stats.student(degrees), t, places=3)
        self.assertAlmostEqual(stats.student(7, 0.99), 3.499, places=3)

    def test_paired(self):
        got = stats.paired([0.80, 0.82, 0.84], [0.78, 0.80, 0.82])
        self.assertAlmostEqual(got["mean"], 0.02)
        self.assertTrue(got["distinguishable"])
        noisy = stats.paired([0.80, 0.90, 0.84], [0.78, 0.80, 0.86])
        self.assertFalse(noisy["distinguishable"])
        self.assertLess(noisy["interval"][0], 0)
        self.assertFalse(stats.paired([0.9], [0.1])["distinguishable"])
        self.assertIsNone(stats.paired([0.9, None], [0.1, 0.2]))


class Curves(unittest.TestCase):
    def csv(self, text):
        path = Path(tempfile.mkdtemp()) / "c.csv"
        path.write_text(text)
        return path

    def test_csv(self):
        path = self.csv("step,valid,loss\n2,0.5,1\n1,0.25,\n2,0.75,3\n3,,4\n4,nan,1\n")
        self.assertEqual(curves.read_csv(path, "step", "valid"), [(1, 0.25), (2, 0.75)])
        with self.assertRaisesRegex(ValueError, r"c\.csv:1:1: error\[column\]"):
            curves.read_csv(path, "step", "absent")
        with self.assertRaisesRegex(ValueError, r"c\.csv:2:1: error\[number\]"):
            curves.read_csv(self.csv("step,valid\nx,1\n"), "step", "valid")

    def test_mean_and_range(self):
        runs = [[(0, 1), (1, 3)], [(0, 2), (1, 5), (2, 9)]]
        self.assertEqual(curves.aggregate(runs), [(0, 1.5, 1, 2), (1, 4, 3, 5)])
        self.assertEqual(curves.aggregate([[(0, 1), (1, 3), (2, 8)]], smooth=2), [(0, 1, 1, 1), (1, 2, 2, 2), (2, 5.5, 5.5, 5.5)])
        self.assertEqual(curves.aggregate([]), [])

    def test_ticks(self):
        rng = random.Random(1)
        for _ in range(500):
            low = rng.uniform(-1000, 1000)
            high = low + 10 ** rng.uniform(-4, 5)
            got = curves.ticks(low, high)
            self.assertTrue(1 <= len(got) <= 7, (low, high, got))
            span = high - low
            self.assertTrue(all(low - 1e-6 * span <= t <= high + 1e-6 * span for t in got))

    def test_picture(self):
        def figure(lines):
            panel = curves.Panel("a < b & c", "step", "valid", lines, (0, 1))
            return curves.svg([panel, curves.Panel("empty", "x", "y", {})], title="t")

        lines = {"<RFT>": [[(0, 0.1), (10, 0.5)], [(0, 0.2), (10, 0.7)]], "CARL": [[(0, 0.2), (10, 0.9)]], "SFT": [[(3, 0.3)]]}
        picture = figure(lines)
        tree = xml.dom.minidom.parseString(picture)
        self.assertEqual(len(tree.getElementsByTagName("polygon")), 1)  # a range needs two seeds
        self.assertEqual(len(tree.getElementsByTagName("polyline")), 2)
        self.assertEqual(len(tree.getElementsByTagName("circle")), 1)
        words = [t.firstChild.data for t in tree.getElementsByTagName("text")]
        for word in ("a < b & c", "<RFT>", "CARL", "SFT", "no data"):
            self.assertIn(word, words)
        mean = tree.getElementsByTagName("polyline")[0].getAttribute("points").split()
        top, bottom = (float(tree.getElementsByTagName("line")[i].getAttribute("y1")) for i in (5, 0))
        self.assertAlmostEqual(float(mean[1].split(",")[1]), bottom + 0.6 * (top - bottom), delta=0.1)
        self.assertEqual(picture, figure(lines))
        with self.assertRaises(ValueError):
            curves.svg([])


ANSWERS = {  # what a policy says, and what becomes of it
    "good": ("[PLAN]\n(go a b)\n(go b c)\n[PLAN END]", "stop"),
    "long": ("[PLAN]\n(go a b)\n(go b a)\n(go a b)\n(go b c)\n[PLAN END]", "stop"),
    "forbidden": ("[PLAN]\n(go a c)\n[PLAN END]", "stop"),
    "goal": ("[PLAN]\n(go a b)\n[PLAN END]", "stop"),
    "none": ("I cannot.", "stop"),
    "cut": ("[PLAN]\n(go a b)\n(go b", "length"),
}


class Evaluation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client(binary=binary())
        cls.rows = data.read(write([row(i) for i in range(6)]))

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_figures(self):
        names = list(ANSWERS)
        asked = []

        def greedy(prompts):
            asked.extend(prompts)
            return [ANSWERS[names[int(p.split()[1])]] for p in prompts]

        def sample(prompts, n):
            return [[ANSWERS["good"]] * int(p.split()[1]) + [ANSWERS["goal"]] * (n - int(p.split()[1])) for p in prompts]

        answers = evaluate.evaluate(self.rows, self.client, greedy=greedy, sample=sample, samples=8, batch=4)
        self.assertEqual(asked, [r.prompt for r in self.rows])
        verdicts = [a.greedy.verdict for a in answers]
        self.assertEqual(verdicts[:4], ["valid", "valid", "precondition", "goal"])
        self.assertFalse(any(a.greedy.parsed for a in answers[4:]), verdicts)
        got = evaluate.summarise(self.rows, answers)
        self.assertEqual((got["tasks"], got["structures"]), (6, 3))
        self.assertEqual(got["valid"]["hits"], 2)
        self.assertAlmostEqual(got["valid_by_structure"], (1 + 0 + 0) / 3)
        self.assertAlmostEqual(got["format"]["share"], 4 / 6)
        self.assertAlmostEqual(got["optimality"], (1 / 2 + 1 / 3) / 2)
        self.assertEqual(got["optimal"]["hits"], 1)
        nearly = list(self.rows)
        nearly[1] = dataclasses.replace(nearly[1], gold={**nearly[1].gold, "cost": "3"})
        dear = evaluate.summarise(nearly, answers)  # a plan of cost 4 where 3 is possible
        self.assertAlmostEqual(dear["optimality"], (1 / 2 + 1 / (1 + 4 / 3)) / 2)
        self.assertEqual(dear["optimal"]["hits"], 1)
        self.assertEqual(got["length_difference"], 1)
        self.assertEqual((got["violations"]["hits"], got["violations"]["n"]), (1, 6))
        self.assertAlmostEqual(got["violations_per_plan"], 1 / 6)
        self.assertEqual(sum(got["verdicts"].values()), 6)
        self.assertAlmostEqual(got["pass"]["1"], sum(range(6)) / 8 / 6)
        self.assertAlmostEqual(got["pass"]["8"], 5 / 6)
        self.assertEqual((got["valid"]["structures"], got["structures_of"]), (3, {"optimality": 1, "length_difference": 1, "pass": 3}))
        # Copies of one structure are one: without them the interval is the same.
        twice = [dataclasses.replace(r, id=r.id + x) for r in self.rows for x in "ab"]
        again = evaluate.summarise(twice, [dataclasses.replace(a, id=a.id + x) for a in answers for x in "ab"])
        self.assertEqual((again["tasks"], again["valid"]["interval"], again["pass_interval"]), (12, got["valid"]["interval"], got["pass_interval"]))
        bases = [dataclasses.replace(r, base_structure="sha256:one") for r in self.rows]
        one = evaluate.summarise(bases, answers)
        self.assertEqual((one["structures"], one["valid"]["interval"]), (1, None))
        bins = evaluate.by_group(self.rows, answers, lambda r: r.bin)
        self.assertEqual({k: v["valid"]["hits"] for k, v in bins.items()}, {"0": 2, "1": 0})

    def test_nothing_known(self):
        answers = evaluate.evaluate(self.rows, self.client, greedy=lambda prompts: [ANSWERS["none"]] * len(prompts))
        got = evaluate.summarise(self.rows, answers)
        self.assertEqual((got["optimality"], got["length_difference"], got["valid"]["share"]), (None, None, 0))
        self.assertNotIn("pass", got)
        with self.assertRaises(ValueError):
            evaluate.summarise(self.rows[:2], answers)

    def test_an_outage_is_no_verdict(self):
        with Client("http://127.0.0.1:9", deadline=0.2) as client, self.assertRaises(PlanproofError):
            evaluate.evaluate(self.rows, client, greedy=lambda prompts: [ANSWERS["good"]] * len(prompts))
        broken = data.read(write([row(0, problem_text="(define")]))
        with self.assertRaises(PlanproofError):
            evaluate.evaluate(broken, self.client, greedy=lambda prompts: [ANSWERS["good"]])

    def test_pairs(self):
        def sample(prompts, n):
            full = [ANSWERS["good"], ANSWERS["long"], ANSWERS["goal"], ANSWERS["cut"]]
            free = [ANSWERS["forbidden"], ANSWERS["good"], ANSWERS["forbidden"], ANSWERS["goal"]]
            return [full if p.startswith("prompt") else free for p in prompts]

        sampled = pairs.collect(self.rows, sample, self.client, unconstrained=True, samples=4, batch=4)
        self.assertEqual(len(sampled), 6 * 7)  # the ones that were cut off are left out
        dpo = pairs.choose(self.rows, sampled, "dpo", per_prompt=0)
        self.assertEqual({(p.chosen, p.rejected) for p in dpo},
                         {(ANSWERS[c][0], ANSWERS["goal"][0]) for c in ("good", "long")})
        ca = pairs.choose(self.rows, sampled, "ca-dpo", count=9, seed=3)
        self.assertEqual(len(ca), 9)
        self.assertTrue(all(p.prompt.startswith("prompt") for p in ca))
        self.assertLessEqual({p.rejected for p in ca}, {ANSWERS["forbidden"][0], ANSWERS["goal"][0]})
        self.assertIn(ANSWERS["forbidden"][0], {p.rejected for p in ca})
        path = Path(tempfile.mkdtemp()) / "pairs.jsonl"
        pairs.write_pairs(path, ca)
        self.assertEqual(pairs.read_pairs(path), ca)
        path.write_text('{"prompt": "x"}\n{\n')
        with self.assertRaises(data.DataError) as got:
            pairs.read_pairs(path)
        self.assertEqual(len(got.exception.errors), 2)
        self.assertIsInstance(sampled[0], groups.Sampled)


class Reports(unittest.TestCase):
    def found(self, valid):
        """Results of methods with these shares of 100 solved tasks, a list over seeds each."""
        def summary(hits):
            return {"tasks": 100, "structures": 50, "structures_of": {"optimality": 20, "pass": 10},
                    "valid": {"share": hits / 100, "hits": hits, "n": 100, "structures": 50, "interval": [0, 1]},
                    "violations": {"share": 0.1, "hits": 10, "n": 100, "structures": 30, "interval": [0, 1]}, "optimality": 0.5, "pass": {"1": hits / 100, "8": 1.0}}

        runs = {m: {s: {"tasks": summary(h)} for s, h in enumerate(hits)} for m, hits in valid.items()}
        def answer(i, good):
            # Half of the tasks have constraints, ten were sampled, and every fifth valid plan is dear.
            return {"id": f"t{i}", "structure": f"s{i % 50}", "samples": 8 * (i < 10), "valid_samples": 2 * (i < 10),
                    "greedy": {"verdict": "valid" if good else "goal", "violations": None if i % 2 else int(i == 0), "optimal": good and i % 5 > 0}}

        answers = {m: {s: {"tasks": [answer(i, i < h) for i in range(100)]} for s, h in enumerate(hits)} for m, hits in valid.items()}
        return report.results({"a": 1}, runs, answers)

    def test_says_what_cannot_be_told_apart(self):
        found = self.found({"sft": [60, 62, 61], "rft": [80, 82, 81], "carl": [81, 80, 84]})
        rows = {(c["a"], c["b"], c["metric"]): c for c in found["comparisons"]}
        self.assertTrue(rows["rft", "sft", "valid"]["distinguishable"])
        over = rows["rft", "sft", "valid"]["structures"]
        self.assertEqual((over["n"], over["more"], over["fewer"]), (50, 22, 0))  # 60 tasks more, of 22 structures
        self.assertLess(over["p"], 0.001)
        self.assertEqual((rows["rft", "sft", "pass@8"]["structures"]["n"], rows["rft", "sft", "violations"]["structures"]["n"]), (10, 25))  # of those sampled, constrained
        carl = rows["carl", "rft", "valid"]
        self.assertFalse(carl["distinguishable"])
        self.assertAlmostEqual(carl["mean"], 0.02 / 3)
        self.assertEqual(carl["seeds"], [0, 1, 2])
        self.assertEqual(found["table"]["rft"]["tasks"]["valid"], {"mean": 0.81, "min": 0.80, "max": 0.82})
        text = report.markdown(found, {"tasks": "held-out tasks"})
        self.assertIn("| method | valid | violating | optimality | pass@1 | pass@8 |", text)
        self.assertIn("| *base structures* | 50 | 30 | 20 | 10 | 10 |", text)
        self.assertIn("| RFT (0/1 reward) | 81.0 % (80.0 to 82.0) | 10.0 % | 0.500 | 81.0 % (80.0 to 82.0) | 100.0 % |", text)
        line = next(t for t in text.split("\n") if t.startswith("| CARL - RFT (0/1 reward) | tasks | valid"))
        self.assertIn("not distinguishable", line)
        self.assertIn("+1.0, -2.0, +3.0", line)
        self.assertNotIn("pass@4", text)  # nothing is known of it
        whole = found["together"]["rft"]["tasks"]
        self.assertEqual([(whole[k]["share"], whole[k]["n"], whole[k]["structures"]) for k in ("valid", "optimal", "violations", "pass@1", "pass@8")],
                         [(0.81, 300, 50), (193 / 300, 300, 50), (3 / 150, 150, 25), (0.25, 30, 10), (1.0, 30, 10)])
        self.assertLess(whole["valid"]["interval"][0], 0.81)
        self.assertRegex(text, r"\| RFT \(0/1 reward\) \| tasks \| 300 \(50\) \| 81\.0 % \(\d\d\.\d to \d\d\.\d\) \| 64\.3 % \(.*\) \| 2\.0 % \(.*\) of 150 \| 25\.0 % ")
        self.assertEqual(json.loads(json.dumps(found)), found)

    def test_sampled_answers_along_the_training(self):
        one, two = ({"mean": m, "min": m - 0.1, "max": m + 0.1} for m in (0.5, 0.25))
        found = {**self.found({"sft": [60], "rft": [80]}), "along": {"rft": {key: [one, two] for key, _, _ in report.ALONG} | {"length": [one, None]}}}
        self.assertIn("| RFT (0/1 reward) | 50.0 % → 25.0 % | 50.0 % → 25.0 % | 0.500 → 0.250 | 50.0 % → 25.0 % | 0.500 → - |", report.markdown(found))

    def test_where_nothing_is_valid_nothing_is_optimal_or_not(self):
        def summary(hits):
            share = {"share": hits / 100, "hits": hits, "n": 100, "structures": 50, "interval": [0, 1]}
            return {"tasks": 100, "structures": 50, "structures_of": {}, "valid": share, "optimal": share}

        runs = {"sft": {s: {"tasks": summary(0)} for s in (1, 2)}, "rft": {1: {"tasks": summary(0)}, 2: {"tasks": summary(50)}}}
        answer = {"id": "t", "structure": "s", "samples": 0, "greedy": {"verdict": "goal", "violations": None, "optimal": False}}
        text = report.markdown(report.results({}, runs, {m: {s: {"tasks": [answer] * 100} for s in (1, 2)} for m in runs}))
        self.assertIn("| SFT (the start) | 0.0 % | - |", text)
        self.assertIn("| RFT (0/1 reward) | 25.0 % (0.0 to 50.0) | 25.0 % (0.0 to 50.0) |", text)  # a seed of zeros counts

    def test_one_seed_is_no_statement(self):
        text = report.markdown(self.found({"sft": [60], "rft": [80]}))
        self.assertIn("one seed: no statement", text)
        self.assertNotIn("All seeds together", text)


class Files(unittest.TestCase):
    def test_files_that_are_none(self):
        """Missing, a folder, no text, no rows, JSON that Python does not read: each is told at its place."""
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "folder").mkdir()
        for name, content, code in (("missing", None, "file"), ("folder", None, "file"), ("binary", b"\xff\xfe\0", "encoding"), ("empty", b"\n", "empty"),
                                    ("deep", b"[" * 100000, "json"), ("digits", b'{"id":' + b"1" * 5000 + b"}", "json"), ("torn", b'{"id"', "json")):
            path = folder / name
            if content is not None:
                path.write_bytes(content)
            for read in (data.read, pairs.read_pairs):
                if (code, read) == ("empty", pairs.read_pairs):  # a policy may have no pair to give
                    self.assertEqual(read(path), [])
                    continue
                with self.subTest(name, read=read.__name__), self.assertRaisesRegex(data.DataError, rf"^{path}:1:\d+: error\[{code}\]: "):
                    read(path)


class Shown(unittest.TestCase):
    def test_progress_is_for_terminals(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        for out, shown in ((Terminal(), True), (io.StringIO(), False)):
            with progress.Progress("sampling", 3, out) as p:
                for n in range(1, 4):
                    p.set(n, f"valid 0.{n}")
            self.assertEqual("sampling: 1/3, 0 s, valid 0.1" in out.getvalue(), shown)
            self.assertEqual("sampling: 3/3" in out.getvalue(), shown)
            self.assertEqual(out.getvalue().split("\r")[-1], "")

    def test_sampling_is_told(self):
        class Judge:
            def score(self, items, **kw):
                return [schema.Result({**schema.without_score("ok", ""), "score": 1.0, "verdict": "valid"}) for _ in items]

        told = []
        got = pairs.collect(data.read(write([row(i) for i in range(5)])), lambda prompts, n: [[("a", "stop")] * n for _ in prompts], Judge(),
                            unconstrained=False, samples=2, batch=2, told=told.append)
        self.assertEqual((len(got), told), (10, [2, 4, 5]))


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())

    def job(self, name, after=(), code=""):
        """Appends its name to a file and makes its result."""
        out = self.folder / name
        script = f"{code}\nopen({str(self.folder / 'order')!r}, 'a').write({name + ' '!r}); open({str(out)!r}, 'w').write('x')"
        return jobs.Job(name, (sys.executable, "-c", script), out, tuple(after))

    def order(self):
        return (self.folder / "order").read_text().split()

    def go(self, *all_jobs, **options):
        took = {}
        jobs.run(all_jobs, self.folder / "logs", took, tell=lambda line: None, **options)
        return took

    def test_order_and_going_on(self):
        chain = self.job("a"), self.job("b", ["a"]), self.job("c", ["b"]), self.job("d", ["a"])
        took = self.go(*chain)
        self.assertEqual(set(took), set("abcd"))
        order = self.order()
        self.assertTrue(order[0] == "a" and order.index("b") < order.index("c"))
        (self.folder / "c").unlink()
        self.assertEqual(set(self.go(*chain)), {"c"})
        self.assertEqual(self.go(*chain), {})

    def test_failure(self):
        with self.assertRaisesRegex(jobs.JobFailed, "(?s)a failed.*ValueError: mine"):
            self.go(self.job("a", code="raise ValueError('mine')"), self.job("b", ["a"]), self.job("c"), workers=1)
        self.assertFalse((self.folder / "b").exists())
        self.assertTrue((self.folder / "c").exists())  # does not depend on it
        nothing = jobs.Job("n", (sys.executable, "-c", "pass"), self.folder / "n")
        with self.assertRaisesRegex(jobs.JobFailed, "n failed"):
            self.go(nothing)
        with self.assertRaises(ValueError):
            self.go(self.job("a", ["absent"]))
        with self.assertRaisesRegex(ValueError, "wait for each other"):
            self.go(self.job("p", ["q"]), self.job("q", ["p"]))

    def test_a_job_of_which_the_time_is_over_leaves_its_checkpoint(self):
        partial = self.folder / "a.pt"
        slow = jobs.Job("a", (sys.executable, "-c", f"open({str(partial)!r}, 'w'); import time; time.sleep(60)"),
                        self.folder / "a", (), seconds=2.0, partial=partial)
        took = self.go(slow, self.job("b", ["a"]))
        self.assertEqual(set(took), {"a", "b"})
        self.assertTrue(slow.cut and not slow.makes.exists())
        self.assertEqual(self.go(slow, self.job("b", ["a"])), {})
        nothing = jobs.Job("c", (sys.executable, "-c", "import time; time.sleep(60)"), self.folder / "c", (), seconds=0.1, partial=self.folder / "c.pt")
        with self.assertRaisesRegex(jobs.JobFailed, "c failed"):
            self.go(nothing)

    def test_time_is_over(self):
        began = time.monotonic()
        with self.assertRaisesRegex(TimeoutError, "1 of 2 jobs"):
            self.go(self.job("a"), self.job("b", ["a"], code="import time; time.sleep(60)"), until=began + 3.0)
        self.assertLess(time.monotonic() - began, 20)
        self.assertFalse((self.folder / "b").exists())


if __name__ == "__main__":
    unittest.main()
