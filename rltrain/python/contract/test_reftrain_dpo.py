"""The losses of DPO and CA-DPO against plain numbers and numeric gradients, their training,
and preferences that a small model does learn. Needs torch >= 1.13."""

import math
import random
import unittest

from tests.support import PACKAGE  # noqa: F401 - puts the package on the path

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain.dpo import dpo_loss


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


if __name__ == "__main__":
    unittest.main()
