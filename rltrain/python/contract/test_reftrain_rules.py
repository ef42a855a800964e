"""Slots, thoughts and the rules that learn from evidence step by step, each for a few steps of a tiny model. Needs torch."""

import csv
import json
import os
import re
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path
from unittest import mock

from contract.reftrain_rows import rows
from tests.support import binary

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof import Client
from planproof.reftrain.__main__ import main
from planproof.reftrain.config import ConfigError, ModelConfig, RLConfig, SFTConfig, make
from planproof.reftrain.dpo import answers_logp
from planproof.reftrain.evaluate import evaluate
from planproof.reftrain.imitate import Shown
from planproof.reftrain.naming import namings
from planproof.reftrain.pairs import Pair
from planproof.reftrain.policy import Policy
from planproof.reftrain.rl import run_rl
from planproof.reftrain.rules import told_in_tokens
from planproof.reftrain.sft import decision_weights, run_sft, vocabulary
from planproof.reftrain.state import load_model

SMALL = ModelConfig(width=64, layers=2, heads=2, context=128)
RULES = {"step": {"credit": "step"}, "reject": {"algorithm": "reject"}, "correct": {"algorithm": "correct"}, "carl": {"alpha": 0.001, "credit": "step"}}


class Rules(unittest.TestCase):
    whole = False

    @classmethod
    def setUpClass(cls):
        cls.root, cls.train = Path(tempfile.mkdtemp()), rows(60)
        cls.tokenizer = vocabulary(cls.train, slots=6, whole=cls.whole)
        run_sft(cls.train, cls.tokenizer, cls.root / "sft", SFTConfig(steps=60, batch=32, lr=3e-3, slots=6, whole_atoms=cls.whole), SMALL)
        cls.client = Client(binary=binary())

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_vocabulary_has_no_names(self):
        self.assertFalse(set("abcd") & set(self.tokenizer.vocabulary))
        self.assertEqual(load_model(self.root / "sft").tokenizer.slots, 6)

    def test_names_that_were_never_seen(self):
        """The same tasks under other names get the same answers, in these names."""
        names = {"a": "zebra", "b": "w", "c": "x", "d": "aa"}

        def strange(text):
            return re.sub(r"(?<= )[abcd](?=[ )\n])", lambda m: names[m.group()], text)

        prompts = [row.prompt for row in self.train[:8]]
        got = Policy(load_model(self.root / "sft"), max_tokens=32).greedy(prompts)
        other = Policy(load_model(self.root / "sft"), max_tokens=32).greedy([strange(prompt) for prompt in prompts])
        self.assertEqual([strange(text) for text, _ in got], [text for text, _ in other])
        self.assertTrue(any("zebra" in text for text, _ in other))

    def test_every_rule(self):
        for name, changes in RULES.items():
            with self.subTest(name):
                out = self.root / name
                run_rl(self.root / "sft", self.train, out, make(RLConfig, {"steps": 3, "prompts": 8, "group": 4, "max_tokens": 32, "budget": 10**9, **changes}),
                       probe=self.train[:4], client=self.client)
                with open(out / "metrics.csv", encoding="utf-8") as f:
                    table = list(csv.DictReader(f))
                self.assertEqual(len(table), 3)
                self.assertGreater(float(table[2]["spent"]), float(table[0]["spent"]))
                self.assertTrue(any(row["loss"] for row in table), name)
                before, after = load_model(self.root / "sft").model, load_model(out).model
                self.assertTrue(any(not torch.equal(a, b) for a, b in zip(before.parameters(), after.parameters())), name)

    def test_corrections_teach(self):
        """After some steps of the planner's corrections the policy solves more than before."""
        run_rl(self.root / "sft", self.train, self.root / "long", make(RLConfig, {
            "steps": 40, "prompts": 16, "group": 2, "max_tokens": 32, "algorithm": "correct", "lr": 1e-3}), client=self.client)

        def solved(folder):
            answers = evaluate(self.train, self.client, greedy=Policy(load_model(folder), max_tokens=32).greedy)
            return sum(a.greedy.valid for a in answers)

        before, after = solved(self.root / "sft"), solved(self.root / "long")
        self.assertGreater(after, before)

    def test_pairs_in_slots(self):
        loaded, row = load_model(self.root / "sft"), self.train[0]
        pair = Pair(row.id, row.prompt, row.answer, "[PLAN]\n[PLAN END]")
        alone = answers_logp(loaded.model, loaded.tokenizer, [pair])[0]
        among = answers_logp(loaded.model, loaded.tokenizer, [Pair("x", self.train[1].prompt, self.train[1].answer, "[PLAN]\n[PLAN END]"), pair])[0]
        self.assertAlmostEqual(float(alone.detach()), float(among.detach()[1]), places=4)  # the same slots wherever it stands

    def test_budget_ends_a_run(self):
        run_rl(self.root / "sft", self.train, self.root / "short", make(RLConfig, {"steps": 50, "prompts": 4, "group": 2, "max_tokens": 32, "budget": 1}), client=self.client)
        self.assertEqual(len((self.root / "short/metrics.csv").read_text().splitlines()), 2)

    def test_going_on(self):
        file = self.root / "train.jsonl"
        file.write_text("".join(json.dumps({k: v for k, v in asdict(row).items() if k != "place"}) + "\n" for row in self.train))
        out = self.root / "more"
        self.assertEqual(main(["sft", "--data", str(file), "--start", str(self.root / "sft"), "--out", str(out), "--set", "slots=6", "--set", "steps=2"]), 0)
        self.assertEqual(load_model(out).tokenizer.vocabulary, self.tokenizer.vocabulary)
        self.assertEqual(main(["sft", "--data", str(file), "--start", str(self.root / "sft"), "--out", str(out) + "2", "--set", "steps=2"]), 2)

    def test_settings(self):
        for values in ({"credit": "step", "algorithm": "ppo"}, {"credit": "step", "no_std": True}, {"algorithm": "reject", "alpha": 0.1}):
            with self.assertRaises(ConfigError):
                make(RLConfig, values)

    def test_decisions(self):
        text = "<think>\nstep: (move a b)\nstate: (at b)\ndone\n</think>\n<plan>\n(move a b)\n</plan>"
        tokenizer = vocabulary(self.train).build([text])
        ids = torch.tensor([[*tokenizer.answer(text), 0]])
        weights = decision_weights(tokenizer, [text], ids, 5.0)[0].tolist()
        chosen = [tokenizer.vocabulary[i] for i, w in zip(ids[0].tolist(), weights) if w == 5.0 and i]
        self.assertEqual([w for w in chosen if w not in (")", "\n")], ["step:", "(move", "a", "b", "done"])


class WholeAtoms(Rules):
    """The same with an atom as one token."""

    whole = True

    def test_answers_that_tokens_cannot_tell_are_left_out(self):
        name = namings([self.train[0].prompt], 6, "x")
        good = Shown(0, self.train[0].answer)
        kept, answers = told_in_tokens(self.tokenizer, [Shown(0, good.text.replace(")", " <begin>)", 1)), good], name)
        self.assertEqual((kept, answers), ([good], [self.tokenizer.answer(name[0].to(good.text))]))

    def test_every_step_that_lessens_h_is_right(self):
        """Of the same first weights and tasks the loss is less where a task has several cheapest plans, and never more."""
        losses = []
        for every in (False, True):
            out = self.root / f"best-{every}"
            with mock.patch.dict(os.environ, {"PLANPROOF_BIN": binary()}):
                run_sft(self.train, self.tokenizer, out, SFTConfig(steps=2, batch=60, slots=6, whole_atoms=True, every_best=every), SMALL)
            losses.append([float(line.split(",")[1]) for line in (out / "metrics.csv").read_text().splitlines()[1:]])
        best = json.loads((self.root / "best-True" / "best.json").read_text())
        self.assertEqual([[steps[0] for steps in told] for told in best], [row.gold["plan"] for row in self.train])
        self.assertTrue(any(len(steps) > 1 for told in best for steps in told))
        self.assertLess(losses[1][0], losses[0][0])
        with self.assertRaisesRegex(ConfigError, "every_best: needs whole_atoms"):
            make(SFTConfig, {"every_best": True})

    def test_form(self):
        self.assertEqual(load_model(self.root / "sft").tokenizer.form, "facts")
        with self.assertRaisesRegex(ConfigError, "whole_atoms: needs slots"):
            make(SFTConfig, {"whole_atoms": True})


if __name__ == "__main__":
    unittest.main()
