"""The losses of DPO and CA-DPO against plain numbers and numeric gradients, their training,
and preferences that a small model does learn. Needs torch >= 1.13."""

import math
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.support import PACKAGE  # noqa: F401 - puts the package on the path

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain import curves
from planproof.reftrain.config import ConfigError, DPOConfig, ModelConfig, make
from planproof.reftrain.dpo import answers_logp, dpo_loss, run_dpo
from planproof.reftrain.model import Decoder
from planproof.reftrain.pairs import Pair, write_pairs
from planproof.reftrain.policy import Policy
from planproof.reftrain.state import Loaded, Run, load_model, save_model
from planproof.reftrain.tokens import Tokenizer


def plain(chosen, rejected, chosen_start, rejected_start, beta, smoothing):
    """The loss in Python's floats, from the ratio of probabilities itself."""
    total = 0.0
    for c, r, c0, r0 in zip(chosen, rejected, chosen_start, rejected_start):
        odds = (math.exp(c - c0) / math.exp(r - r0)) ** beta
        right = odds / (1 + odds)
        total -= (1 - smoothing) * math.log(right) + smoothing * math.log(1 - right)
    return total / len(chosen)


def trl_sigmoid(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The formula of TRL's loss_type "sigmoid": differences of log-ratios, policy less reference."""
    logits = (policy_chosen - policy_rejected) - (reference_chosen - reference_rejected)
    log = torch.nn.functional.logsigmoid
    return (-log(beta * logits) * (1 - smoothing) - log(-beta * logits) * smoothing).mean()


class Loss(unittest.TestCase):
    def draw(self, seed, n=5):
        rng = random.Random(seed)
        return [[-20 * rng.random() for _ in range(n)] for _ in range(4)]

    def test_against_plain_numbers_and_trl(self):
        for seed in range(20):
            for beta in (0.05, 0.1, 0.5):
                for smoothing in (0.0, 0.1):
                    values = self.draw(seed)
                    tensors = [torch.tensor(v, dtype=torch.float64) for v in values]
                    got = dpo_loss(*tensors, beta=beta, smoothing=smoothing)
                    self.assertAlmostEqual(got.loss.item(), plain(*values, beta, smoothing), places=9)
                    self.assertAlmostEqual(got.loss.item(), trl_sigmoid(*tensors, beta, smoothing).item(), places=12)

    def test_at_the_start_it_is_log_two(self):
        chosen, rejected, _, _ = (torch.tensor(v) for v in self.draw(1))
        got = dpo_loss(chosen, rejected, chosen, rejected)
        self.assertAlmostEqual(got.loss.item(), math.log(2), places=6)
        self.assertEqual(got.margins.tolist(), [0.0] * 5)

    def test_gradients(self):
        values = self.draw(3)
        tensors = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
        dpo_loss(*tensors, beta=0.3, smoothing=0.05).loss.backward()
        self.assertIsNone(tensors[2].grad)  # the start is a constant
        self.assertIsNone(tensors[3].grad)
        for side in (0, 1):
            for i in range(5):
                ends = []
                for step in (-1e-5, 1e-5):
                    moved = [list(v) for v in values]
                    moved[side][i] += step
                    ends.append(plain(*moved, 0.3, 0.05))
                self.assertAlmostEqual(tensors[side].grad[i].item(), (ends[1] - ends[0]) / 2e-5, places=6)

    def test_extreme_pairs_stay_finite(self):
        chosen = torch.tensor([-1e4, 0.0], requires_grad=True)
        got = dpo_loss(chosen, torch.tensor([0.0, -1e4]), torch.zeros(2), torch.zeros(2), beta=1.0)
        got.loss.backward()
        self.assertTrue(torch.isfinite(got.loss) and torch.isfinite(chosen.grad).all())


NAMES = "abcdef"
# To "say x" the first half of the names is preferred in brackets, the second without.
PAIRS = [Pair(f"p{i}", f"say {x}\n", f"(stack {x} )" if i < 3 else x, x if i < 3 else f"(stack {x} )") for i, x in enumerate(NAMES)]


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        torch.manual_seed(1)
        tokenizer = Tokenizer.build(text for p in PAIRS for text in (p.prompt, p.chosen, p.rejected))
        model = Decoder(ModelConfig(width=32, layers=2, heads=2, context=32), len(tokenizer))
        save_model(cls.folder / "start.pt", model, tokenizer, {})
        cls.config = make(DPOConfig, {"steps": 24, "lr": 3e-3, "batch": 4, "checkpoint_every": 5, "warmup": 2, "beta": 0.5, "device": "cpu"})

    def go(self, name, **options):
        out = self.folder / name
        out.mkdir(exist_ok=True)
        if not (out / "pairs.jsonl").exists():
            write_pairs(out / "pairs.jsonl", PAIRS)
        run_dpo(self.folder / "start.pt", [], out, options.get("config", self.config), {})
        return out

    def test_log_probabilities_are_those_of_each_answer_alone(self):
        loaded = load_model(self.folder / "start.pt", "cpu")
        chosen, rejected, tokens = answers_logp(loaded.model, loaded.tokenizer, PAIRS)
        self.assertEqual(tokens.tolist(), [3, 3, 3, 2, 2, 2])  # with the end; the bracket of a flat atom is none
        for i, pair in enumerate(PAIRS):
            alone = answers_logp(loaded.model, loaded.tokenizer, [pair])
            self.assertAlmostEqual(chosen[i].item(), alone[0].item(), places=4)
            swapped = answers_logp(loaded.model, loaded.tokenizer, [Pair("", pair.prompt, pair.rejected, pair.chosen)])
            self.assertAlmostEqual(rejected[i].item(), swapped[0].item(), places=4)

    def test_learns_the_preferences(self):
        out = self.go("whole")
        start, end = (load_model(path, "cpu") for path in (self.folder / "start.pt", out))
        with torch.no_grad():
            before = torch.stack(answers_logp(start.model, start.tokenizer, PAIRS)[:2])
            after = torch.stack(answers_logp(end.model, end.tokenizer, PAIRS)[:2])
        gained = (after - before)[0] - (after - before)[1]
        self.assertGreater(gained.min().item(), 0.5)
        right = curves.read_csv(out / "metrics.csv", "step", "ranked_right")
        self.assertEqual(len(right), 24)
        self.assertEqual(right[-1], (24, 1.0))
        loss = curves.read_csv(out / "metrics.csv", "step", "loss")
        self.assertAlmostEqual(loss[0][1], math.log(2), places=4)
        self.assertLess(loss[-1][1], 0.5 * loss[0][1])

    def test_killed_run_goes_on_to_the_same_bytes(self):
        whole = self.go("whole")
        row = Run.row

        def killed(run, values, tokens):
            row(run, values, tokens)
            if values["step"] == 13:
                raise KeyboardInterrupt
        with mock.patch.object(Run, "row", killed), self.assertRaises(KeyboardInterrupt):
            self.go("killed")
        self.assertFalse((self.folder / "killed/model.pt").exists())
        again = self.go("killed")
        self.assertEqual((again / "metrics.csv").read_bytes(), (whole / "metrics.csv").read_bytes())
        a, b = (load_model(path, "cpu").model.state_dict() for path in (whole, again))
        self.assertTrue(all(torch.equal(a[k], b[k]) for k in a))
        with self.assertRaises(ConfigError):
            self.go("killed", config=make(DPOConfig, {"steps": 25}))

    def test_policy_answers_do_not_depend_on_their_batch(self):
        loaded = load_model(self.folder / "start.pt", "cpu")
        prompts = [p.prompt for p in PAIRS] + ["say a say b\n"]
        many = Policy(loaded, max_tokens=6, seed=3).greedy(prompts)
        few = Policy(loaded, max_tokens=6, seed=3, rows=2).greedy(prompts)
        self.assertEqual(many, few)
        drawn = Policy(loaded, max_tokens=6, seed=3).sample(prompts, 5)
        self.assertEqual([len(group) for group in drawn], [5] * 7)
        self.assertEqual(drawn, Policy(loaded, max_tokens=6, seed=3).sample(prompts, 5))
        self.assertNotEqual(drawn, Policy(loaded, max_tokens=6, seed=4).sample(prompts, 5))
        self.assertLessEqual({finish for group in drawn for _, finish in group}, {"stop", "length"})
        self.assertIsInstance(loaded, Loaded)


if __name__ == "__main__":
    unittest.main()
