"""CARL with real tensors, against the plain Python numbers and numeric gradients, and
the trainer override over a stand-in of TRL's class. Needs torch >= 1.13."""

import random
import unittest
from types import SimpleNamespace

from tests.support import PACKAGE  # noqa: F401 - puts the package on the path

from planproof import groups
from planproof.carl import carl_term, gate_mask, kl_tokens, reduce_tokens
from planproof.trl_carl import make_trainer
from planproof.verl_carl import add_carl_rewards

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None


def draw(rows, length, scale, seed):
    rng = random.Random(seed)
    return [[-scale * rng.expovariate(1) for _ in range(length)] for _ in range(rows)]


class Estimators(unittest.TestCase):
    def test_same_as_plain_python(self):
        for kind in groups.ESTIMATORS:
            for scale in (0.01, 1, 30):
                p, u = draw(4, 9, scale, 1), draw(4, 9, scale, 2)
                got = kl_tokens(torch.tensor(p), torch.tensor(u), kind)
                want = torch.tensor([groups.estimate(kind, a, b) for a, b in zip(p, u)])
                torch.testing.assert_close(got, want, rtol=2e-4, atol=1e-6)

    def test_reductions(self):
        values = draw(5, 7, 1, 3)
        rng = random.Random(4)
        masks = [[rng.random() < 0.6 for _ in range(7)] for _ in range(4)] + [[False] * 7]
        for kind in groups.AGGREGATIONS:
            got = reduce_tokens(torch.tensor(values), torch.tensor(masks), kind)
            self.assertAlmostEqual(got.item(), groups.aggregate(kind, values, masks), places=5)
        self.assertEqual(reduce_tokens(torch.tensor(values), torch.zeros(5, 7)).item(), 0)

    def test_gradients(self):
        """Numerically, for every estimator; the side without constraints is a constant."""
        u, mask = torch.tensor(draw(3, 5, 1, 6)), torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0] * 5])
        for kind in groups.ESTIMATORS:
            for reduction in groups.AGGREGATIONS:
                p = torch.tensor(draw(3, 5, 1, 5), requires_grad=True)
                side = u.clone().requires_grad_()
                carl_term(p, side, mask, kind=kind, reduction=reduction).backward()
                self.assertIsNone(side.grad)
                for i in range(3):
                    for j in range(5):
                        values = []
                        for step in (-1e-5, 1e-5):
                            q = p.detach().double().tolist()
                            q[i][j] += step
                            rows = [groups.estimate(kind, a, b) for a, b in zip(q, u.double().tolist())]
                            values.append(groups.aggregate(reduction, rows, mask.bool().tolist()))
                        self.assertAlmostEqual(p.grad[i][j].item(), (values[1] - values[0]) / 2e-5, places=3)

    def test_masked_garbage_does_not_matter(self):
        p = torch.tensor([[-1.0, float("nan")], [-2.0, -float("inf")]], requires_grad=True)
        mask = torch.tensor([[1, 0], [1, 0]])
        term = carl_term(p, torch.tensor([[-2.0, 0.0], [-1.0, 0.0]]), mask)
        term.backward()
        self.assertTrue(torch.isfinite(term) and torch.isfinite(p.grad[:, 0]).all())

    def test_half_precision_and_gate(self):
        p, u = torch.tensor(draw(3, 4, 1, 1)).bfloat16(), torch.tensor(draw(3, 4, 1, 2)).bfloat16()
        mask = torch.ones(3, 4)
        gate = gate_mask("valid", [True, False, True], [True] * 3, p)
        got = carl_term(p, u, mask, gate=gate)
        rows = [groups.mean_tokens(groups.estimate("low_var_kl", a, b)) for a, b in zip(p.float().tolist(), u.float().tolist())]
        self.assertAlmostEqual(got.item(), (rows[0] + rows[2]) / 3, places=4)
        with self.assertRaises(ValueError):
            kl_tokens(p, u[:, :2])
        with self.assertRaises(ValueError):
            kl_tokens(p, u, "kl")


class TRLStandIn:
    """What CarlGRPOTrainer uses of TRL's GRPOTrainer."""

    pad_token_id = 0

    def __init__(self, model, reward_funcs=None, args=None):
        self.model, self.args, self._metrics = model, args, {"train": {"carl/kl_mean": []}, "eval": {"carl/kl_mean": []}}
        self.current_gradient_accumulation_steps = 2
        self.passes = []

    def _tokenize_prompts(self, prompts):
        return [[ord(c) % 7 for c in p] for p in prompts], None, None

    def _get_per_token_logps_and_entropies(self, model, input_ids, attention_mask, logits_to_keep, batch_size=None, **kw):
        self.passes.append((tuple(input_ids.shape), torch.is_grad_enabled()))
        logits = model(input_ids * attention_mask)[:, -logits_to_keep - 1:-1]
        return logits.log_softmax(-1).gather(-1, input_ids[:, -logits_to_keep:, None]).squeeze(-1), None, None

    def _generate_and_score_completions(self, inputs):
        n = len(inputs)
        prompts, _, _ = self._tokenize_prompts([row["prompt"] for row in inputs])
        return {"prompt_ids": torch.tensor(prompts), "prompt_mask": torch.ones(n, len(prompts[0]), dtype=torch.long),
                "completion_ids": torch.arange(n * 4).reshape(n, 4) % 7, "completion_mask": torch.tensor([[1, 1, 1, 0]] * n)}

    def _compute_loss(self, model, inputs):
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
        mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
        logps, _, _ = self._get_per_token_logps_and_entropies(model, ids, mask, inputs["completion_ids"].size(1))
        return logps.sum() * 0


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head = torch.nn.Embedding(7, 8, padding_idx=0), torch.nn.Linear(8, 7)

    def forward(self, ids):
        return self.head(self.embed(ids).cumsum(1))


class Trainers(unittest.TestCase):
    def trainer(self, **kw):
        args = SimpleNamespace(per_device_train_batch_size=2)
        return make_trainer(TRLStandIn)(Model(), args=args, **kw)

    def test_trl(self):
        t = self.trainer(carl_alpha=0.5)
        inputs = [{"prompt": "ab-no", "unconstrained_prompt": p} for p in ("ab", "abc")]
        batch = t._generate_and_score_completions(inputs)
        self.assertEqual(batch["uncon_logps"].shape, batch["completion_ids"].shape)
        self.assertFalse(batch["uncon_logps"].requires_grad)
        alone = t._generate_and_score_completions(inputs[:1])["uncon_logps"]
        torch.testing.assert_close(batch["uncon_logps"][:1], alone)  # padding does not matter
        t.passes.clear()
        loss = t._compute_loss(t.model, batch)
        self.assertEqual(len(t.passes), 1)  # no pass of our own
        loss.backward()
        self.assertGreater(sum(p.grad.abs().sum().item() for p in t.model.parameters()), 0)
        with torch.enable_grad():
            ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
            logps = t._get_per_token_logps_and_entropies(t.model, ids, torch.ones_like(ids), 4)[0]
        want = -0.5 * carl_term(logps, batch["uncon_logps"], batch["completion_mask"]) / 2
        self.assertAlmostEqual(loss.item(), want.item(), places=6)
        self.assertEqual(len(t._metrics["train"]["carl/kl_mean"]), 1)

    def test_trl_refuses_what_would_be_left_out(self):
        with self.assertRaises(ValueError):
            make_trainer(TRLStandIn)(Model(), args=SimpleNamespace(use_liger_kernel=True))
        with self.assertRaises(ValueError):
            self.trainer()._generate_and_score_completions([{"prompt": "ab"}])

    def test_token_rewards_for_verl(self):
        p, u = torch.tensor(draw(2, 3, 1, 1)), torch.tensor(draw(2, 3, 1, 2))
        mask = torch.tensor([[1, 1, 0], [1, 0, 0]])
        rewards = torch.zeros(2, 3)
        got = add_carl_rewards(rewards, p, u, mask, alpha=0.1)
        want = [groups.token_rewards(a, 0, unconstrained=b, mask=m, alpha=0.1) for a, b, m in
                zip(p.tolist(), u.tolist(), mask.bool().tolist())]
        torch.testing.assert_close(got, torch.tensor(want), rtol=1e-4, atol=1e-6)
        with self.assertRaises(ValueError):
            add_carl_rewards(rewards, p, u, mask, divides_by_std=True)


if __name__ == "__main__":
    unittest.main()
