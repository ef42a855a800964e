"""The reference trainer's parts: words, the decoder with and without its cache, losses
against plain Python and numeric gradients. Needs torch >= 1.13."""

import random
import subprocess
import sys
import unittest

from tests.support import PACKAGE

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof import groups
from planproof.reftrain import matmul
from planproof.reftrain.config import ConfigError, ModelConfig, RLConfig, SFTConfig, make, parse_sets
from planproof.reftrain.losses import gae, grpo_loss, token_rewards, value_loss, whiten
from planproof.reftrain.model import Decoder, pad_left
from planproof.reftrain.sample import TooLong, answer_logps, any_logps, sample
from planproof.reftrain.tokens import Tokenizer, UnknownToken, atoms, text_of_atoms
from planproof.reftrain.tokens import words as token_words

from contract.reftrain_rows import rows

torch.set_num_threads(1)


def decoder(words=20, spread=0.3, **kw):
    """A model whose answers depend on everything it reads."""
    torch.manual_seed(1)
    model = Decoder(ModelConfig(**{"width": 16, "layers": 2, "heads": 2, "context": 48, **kw}), words)
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(std=spread) if p.dim() > 1 else p.add_(0.1 * torch.randn_like(p))
    return model


def words(n):
    return Tokenizer(["<pad>", "<begin>", "<end>"] + [f"w{i}" for i in range(n - 3)])


class Light(unittest.TestCase):
    def test_importing_the_package_does_not_import_torch(self):
        code = "import planproof, planproof.reftrain, planproof.reftrain.config, sys; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(PACKAGE / "src")}).returncode, 0)


class Words(unittest.TestCase):
    def test_round_trip(self):
        data = rows(20)
        tokenizer = Tokenizer.build([t for r in data for t in (r.prompt, r.answer)], ["zoo"])
        for r in data:
            self.assertEqual(tokenizer.decode(tokenizer.encode(r.prompt)), r.prompt)
            self.assertEqual(tokenizer.decode(tokenizer.answer(r.answer) + [5, 6]), r.answer)
        self.assertIn("zoo", tokenizer.vocabulary)
        self.assertEqual(Tokenizer.build(["b a", "(x a)"]).vocabulary, Tokenizer.build(["(x a) b"]).vocabulary)

    def test_flat_texts_take_fewer_tokens(self):
        draw, pieces = random.Random(1), ["(on", " a", " b", ")", "\n", " ", "(c", "[P]", "x:"]
        told = 0
        for _ in range(20000):
            text = "".join(draw.choice(pieces) for _ in range(draw.randint(1, 14)))
            tokens = atoms(text)
            if tokens is not None:
                told += 1
                self.assertLessEqual(len(tokens), len(token_words(text)))
                self.assertEqual(token_words(text_of_atoms(tokens)), token_words(text), text)
        self.assertGreater(told, 2000)
        for text in ("[PLAN]\n(put a)\n(stack a b)\n[PLAN END]", "init: (c a) (on a b)\nnever: (s a)\ngoal: (on a b)\nplan:", "(a) (b)\n(c) d", ""):
            self.assertEqual(text_of_atoms(atoms(text)), text)
        self.assertEqual(atoms("(put a)\n(stack a b)"), ["(put", "a", "(stack", "a", "b"])
        for nested in ("(not (on a b))", "(on a", "on a)", "( on a)", "(on\na)"):
            self.assertIsNone(atoms(nested))
        flat = Tokenizer.build(["(on a b)\n(on b a)"])
        self.assertEqual((flat.form, Tokenizer.build(["(not (on a b))"]).form), ("atoms", "words"))
        with self.assertRaisesRegex(UnknownToken, "row 3: error.nested_text"):
            flat.encode("(on (on a b))", "row 3")

    def test_unknown_words_have_places(self):
        tokenizer = Tokenizer.build(["(on a b)\ngoal:"])
        with self.assertRaises(UnknownToken) as caught:
            tokenizer.encode("(on a b)\n (on a zebra) zebra\n(off a)", "row 7: prompt")
        self.assertEqual([line.split(" is ")[0] for line in str(caught.exception).splitlines()],
                         ["row 7: prompt:2:8: error[unknown_token]: 'zebra'", "row 7: prompt:3:1: error[unknown_token]: '(off'"])


class Settings(unittest.TestCase):
    def test_faults_are_told_at_once(self):
        with self.assertRaises(ConfigError) as caught:
            make(RLConfig, {"lr": "fast", "steps": 0, "alpa": 1, "estimator": "kl", "reward": 3})
        self.assertEqual(len(str(caught.exception).splitlines()), 5)
        for bad in ({"group": 1}, {"placement": "reward", "alpha": 0.1}, {"lr": float("nan")}, {"steps": True}, {"clip": float("inf")}):
            with self.assertRaises(ConfigError):
                make(RLConfig, bad)
        with self.assertRaises(ConfigError):
            make(ModelConfig, {"width": 30, "heads": 4})
        self.assertEqual(make(SFTConfig, parse_sets(["lr=1", "device=cpu"])).lr, 1.0)


class Model(unittest.TestCase):
    def test_sampled_logps_are_those_of_the_full_pass(self):
        model, rng = decoder(), random.Random(2)
        prompts = [[1] + [rng.randrange(3, 20) for _ in range(n)] for n in (9, 1, 4, 0, 6)]
        for temperature in (1.0, 0.7):
            got = sample(model, words(20), prompts, group=3, temperature=temperature, max_tokens=12, seed=5)
            self.assertGreater(len({len(t.split()) for t in got.texts}), 3)  # also answers that end early
            full = answer_logps(model, prompts, got.ids, temperature=temperature)
            torch.testing.assert_close(full * got.mask, got.logps, rtol=1e-4, atol=2e-5)

    def test_sharing_a_prompt_and_padding_change_nothing(self):
        """Against one row at a time, all of which but the first token is the answer: no
        prefix, no padding, no group."""
        model, rng = decoder(), random.Random(3)
        prompts = [[1] + [rng.randrange(3, 20) for _ in range(n)] for n in (7, 2)]
        answers = torch.tensor([[rng.randrange(3, 20) for _ in range(5)] for _ in range(4)])
        got = answer_logps(model, prompts, answers)
        for r in range(4):
            prompt = prompts[r // 2]
            whole = torch.tensor([prompt[1:] + answers[r].tolist()])
            alone = answer_logps(model, [prompt[:1]], whole)[0, len(prompt) - 1:]
            torch.testing.assert_close(got[r], alone, rtol=1e-4, atol=1e-5)

    def test_gradients_of_shared_prompts(self):
        """Those of a group are the sum of those of its answers alone, the prompt's part too."""
        model, rng = decoder(), random.Random(4)
        prompts = [[1, 4, 5, 6], [1, 7]]
        answers = torch.tensor([[rng.randrange(3, 20) for _ in range(4)] for _ in range(4)])
        answer_logps(model, prompts, answers).sum().backward()
        together = [p.grad.clone() for p in model.parameters() if p.grad is not None]
        model.zero_grad()
        for r in range(4):
            answer_logps(model, [prompts[r // 2]], answers[r:r + 1]).sum().backward()
        alone = [p.grad for p in model.parameters() if p.grad is not None]
        for a, b in zip(together, alone):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)

    def test_draws_belong_to_rows(self):
        """An answer does not depend on what else is in the batch, or on which prompts end."""
        model, tokenizer = decoder(), words(20)
        prompts = [[1, 5, 6], [1, 9], [1, 8, 4, 4]]
        got = sample(model, tokenizer, prompts, group=2, max_tokens=16, seed=9)
        again = sample(model, tokenizer, prompts, group=2, max_tokens=16, seed=9)
        self.assertEqual(got.texts, again.texts)
        self.assertEqual(sample(model, tokenizer, prompts[:1], group=2, max_tokens=16, seed=9).texts, got.texts[:2])
        self.assertNotEqual(sample(model, tokenizer, prompts, group=2, max_tokens=16, seed=10).texts, got.texts)
        for text, end, n in zip(got.texts, got.ended, got.mask.sum(1).tolist()):
            self.assertEqual(len(text.split()) + end, n)
            self.assertTrue(end or n == 16)

    def test_draws_follow_the_distribution(self):
        model, tokenizer = decoder(words=6), words(6)
        got = sample(model, tokenizer, [[1, 4]], group=6000, max_tokens=1, seed=1)
        share = torch.bincount(got.ids[:, 0], minlength=6) / 6000
        want = torch.stack([answer_logps(model, [[1, 4]], torch.tensor([[w]]))[0, 0] for w in range(6)]).exp()
        self.assertAlmostEqual(want.sum().item(), 1, places=5)
        self.assertLess((share - want).abs().max().item(), 0.03)
        greedy = sample(model, tokenizer, [[1, 4]], temperature=0.0, max_tokens=1)
        self.assertEqual(greedy.ids[0, 0], want.argmax())

    def test_any_of_a_set(self):
        model, answers = decoder(), torch.tensor([[4, 5, 2], [7, 2, 0]])
        sets = [[[4, 6], [5], [2]], [[7, 3, 9], [2]]]
        got = any_logps(model, [[1, 3], [1, 8, 9]], answers, sets)
        each = [[sum(float(answer_logps(model, [prompt], torch.tensor([row[:t] + [n] + row[t + 1:]]))[0, t].exp()) for n in told) for t, told in enumerate(part)]
                for prompt, row, part in zip([[1, 3], [1, 8, 9]], answers.tolist(), sets)]
        for row, want in zip(got.exp().tolist(), each):
            for x, y in zip(row, want):
                self.assertAlmostEqual(x, y, places=5)
        got.sum().backward()
        self.assertTrue(all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None))

    def test_too_long(self):
        with self.assertRaises(TooLong):
            sample(decoder(), words(20), [[1] * 40], max_tokens=10)
        sample(decoder(), words(20), [[1] * 39], max_tokens=10)

    def test_channels_without_positions(self):
        """A layer that knows no positions sees the same whatever order the prompt is in."""
        answer = torch.tensor([[4, 9, 5]])
        for rotary, same in ((0.0, True), (0.5, False), (1.0, False)):
            model = decoder(layers=1, rotary=rotary)
            one, other = (answer_logps(model, [[1, *order, 3]], answer) for order in ((7, 8, 6, 5), (6, 5, 7, 8)))
            self.assertEqual(torch.allclose(one, other, atol=1e-5), same, rotary)

    def test_tokens_with_parts_in_common_are_alike(self):
        torch.manual_seed(3)
        parts = [["(on", "o1 1", "o2 2"], ["(on", "o1 1", "o3 2"], ["(on", "o3 1", "o2 2"], ["(off", "o4 1"]]
        rows_of = torch.nn.functional.normalize(Decoder(ModelConfig(width=256, layers=1), 4, parts).embed.weight, dim=1)
        alike = (rows_of @ rows_of.T).tolist()
        for one, other, low, high in ((0, 1, 0.5, 0.9), (0, 2, 0.5, 0.9), (1, 2, 0.15, 0.55), (0, 3, -0.25, 0.25)):
            self.assertTrue(low < alike[one][other] < high, (one, other, alike[one][other]))

    def test_left_padding(self):
        ids, real = pad_left([[1, 2], [3]], 0)
        self.assertEqual((ids.tolist(), real.tolist()), ([[1, 2], [0, 3]], [[True, True], [False, True]]))

    def test_products(self):
        """Through oneDNN as through the BLAS, values and gradients."""
        if not torch.backends.mkldnn.is_available():
            self.skipTest("SKIP oneDNN: this PyTorch has none")
        before, results = matmul.ONEDNN, []
        try:
            for matmul.ONEDNN in (True, False):
                torch.manual_seed(0)
                x, layer = torch.randn(3, 5, 8, requires_grad=True), matmul.Linear(8, 7)
                layer(x).sin().sum().backward()
                results.append((x.grad, layer.weight.grad, layer.bias.grad))
        finally:
            matmul.ONEDNN = before
        for a, b in zip(*results):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        x = torch.randn(0, 8, requires_grad=True)
        matmul.linear(x, torch.randn(3, 8)).sum().backward()


def draw(shape, seed, scale=1.0):
    rng = random.Random(seed)
    return torch.tensor([[-scale * rng.expovariate(1) for _ in range(shape[1])] for _ in range(shape[0])], dtype=torch.float64)


MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]], dtype=torch.bool)


class Losses(unittest.TestCase):
    def objective(self, p, old, adv, ref, bare, alpha, beta):
        rows_of = []
        for r in range(3):
            n = int(MASK[r].sum())
            rows_of.append(groups.objective_tokens(
                p[r][:n], old[r][:n], adv[r], reference=ref[r][:n], unconstrained=bare[r][:n],
                clip_low=0.1, clip_high=0.3, alpha=alpha, beta=beta))
        return groups.aggregate("seq-mean-token-mean", rows_of)

    def test_grpo_and_carl(self):
        """The loss is minus the objective of planproof.groups, and so is its gradient, at
        points where the clip acts and where it does not."""
        from planproof.carl import kl_tokens

        p, old, ref, bare = (draw((3, 4), s, 0.7) for s in range(4))
        adv, alpha, beta = [1.2, -0.7, 0.4], 0.3, 0.2
        logps = p.clone().requires_grad_()
        loss, clip = grpo_loss(
            logps, old, torch.tensor(adv, dtype=torch.float64).unsqueeze(1), MASK, clip_low=0.1, clip_high=0.3,
            reduction="seq-mean-token-mean", beta=beta, reference=ref, alpha=alpha, carl=kl_tokens(logps, bare, "low_var_kl"))
        loss.backward()
        acts = clip.clipped[MASK].tolist()
        self.assertTrue(any(acts) and not all(acts))
        old, ref, bare = old.tolist(), ref.tolist(), bare.tolist()
        self.assertAlmostEqual(loss.item(), -self.objective(p.tolist(), old, adv, ref, bare, alpha, beta), places=5)
        for r in range(3):
            for t in range(4):
                ends = []
                for step in (-1e-5, 1e-5):
                    q = p.tolist()
                    q[r][t] += step
                    ends.append(self.objective(q, old, adv, ref, bare, alpha, beta))
                self.assertAlmostEqual(logps.grad[r][t].item(), -(ends[1] - ends[0]) / 2e-5, places=3)

    def test_ppo_rewards_and_advantages(self):
        old, ref, bare, values = (draw((3, 4), s) for s in range(4, 8))
        rewards = [1.0, 0.0, -2.0]
        carl = torch.tensor([groups.estimate("low_var_kl", a, b) for a, b in zip(old.tolist(), bare.tolist())], dtype=torch.float64)
        got = token_rewards(torch.tensor(rewards, dtype=torch.float64), MASK, beta=0.1, kl=old - ref, alpha=0.2, carl=carl)
        adv, returns = gae(got, values * MASK, MASK, 0.9, 0.8)
        for r in range(3):
            mask = MASK[r].tolist()
            want = groups.token_rewards(old[r].tolist(), rewards[r], reference=ref[r].tolist(), unconstrained=bare[r].tolist(),
                                        mask=mask, alpha=0.2, beta=0.1)
            a, b = groups.gae(want, values[r].tolist(), mask, gamma=0.9, lam=0.8)
            torch.testing.assert_close(got[r], torch.tensor(want, dtype=torch.float64), rtol=1e-6, atol=1e-8)
            torch.testing.assert_close(adv[r], torch.tensor(a, dtype=torch.float64), rtol=1e-6, atol=1e-8)
            torch.testing.assert_close(returns[r], torch.tensor(b, dtype=torch.float64), rtol=1e-6, atol=1e-8)
        white = whiten(adv, MASK)
        self.assertAlmostEqual(white[MASK].mean().item(), 0, places=6)
        self.assertAlmostEqual(white[MASK].std(unbiased=False).item(), 1, places=5)
        self.assertEqual(white[~MASK].abs().sum().item(), 0)

    def test_value_loss(self):
        values = torch.tensor([[1.0, 0.0]], requires_grad=True)
        old, returns, mask = torch.tensor([[0.0, 0.0]]), torch.tensor([[2.0, 9.0]]), torch.tensor([[True, False]])
        loss = value_loss(values, old, returns, mask, 0.2, "token-mean")
        self.assertAlmostEqual(loss.item(), 1.8**2 / 2, places=5)  # clipped to 0.2, which is worse
        self.assertAlmostEqual(value_loss(values, old, returns, mask, 0, "token-mean").item(), 0.5, places=5)


if __name__ == "__main__":
    unittest.main()
