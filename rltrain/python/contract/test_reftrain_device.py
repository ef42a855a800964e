"""What a GPU asks of the trainer, tested without one: the choice of the device, tensors that are made where the model is,
bfloat16, and a model of 50 million parameters. Needs torch."""

import contextlib
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain.config import ConfigError, ModelConfig
from planproof.reftrain.model import Decoder, pad_right, parameters
from planproof.reftrain.presets import PRESETS
from planproof.reftrain.sample import answer_pass, sample
from planproof.reftrain.state import pick_device
from planproof.reftrain.tokens import Tokenizer

torch.set_num_threads(1)
PROMPTS, ANSWERS = [[1, 3, 4], [1, 5]], [[4, 5, 6], [7, 8, 9, 2]]


def decoder(**kw):
    torch.manual_seed(0)
    return Decoder(ModelConfig(**{"width": 16, "layers": 2, "heads": 2, "context": 48, **kw}), 20)


def loss_of(model):
    """The loss of two answers, its gradients taken."""
    ids, _ = pad_right(ANSWERS, 0, model.device)
    logps, _, stream = answer_pass(model, PROMPTS, ids)
    loss = -logps.mean()
    loss.backward()
    return loss, logps, stream


class Device(unittest.TestCase):
    def test_choice(self):
        for there, names in ((False, {"auto": "cpu", "cpu": "cpu"}), (True, {"auto": "cuda", "cpu": "cpu", "cuda": "cuda"})):
            with mock.patch.object(torch.cuda, "is_available", return_value=there):
                self.assertEqual({name: pick_device(name).type for name in names}, names)
        with mock.patch.object(torch.cuda, "is_available", return_value=False), self.assertRaises(ConfigError):
            pick_device("cuda")

    def test_tensors_are_made_where_the_model_is(self):
        """On the device "meta", which computes nothing, a product with a tensor of the CPU is an error."""
        model = decoder().to("meta")
        with mock.patch.object(Decoder, "precision", lambda self: contextlib.nullcontext()):
            loss, logps, _ = loss_of(model)
        self.assertEqual((loss.device.type, tuple(logps.shape)), ("meta", (2, 4)))
        self.assertTrue(all(p.grad.device.type == "meta" for p in model.parameters() if p.grad is not None))


class Bfloat16(unittest.TestCase):
    def test_layers_compute_in_it_and_weights_stay(self):
        seen, losses = {}, {}
        for bf16 in (False, True):
            model = decoder()
            model.bf16 = bf16
            model.blocks[0].up.register_forward_hook(lambda _, inputs, out, bf16=bf16: seen.update({bf16: out.dtype}))
            loss, logps, _ = loss_of(model)
            losses[bf16] = loss.item()
            self.assertEqual({logps.dtype, *(p.dtype for p in model.parameters()), *(p.grad.dtype for p in model.parameters() if p.grad is not None)},
                             {torch.float32})
        self.assertEqual(seen, {False: torch.float32, True: torch.bfloat16})
        self.assertAlmostEqual(losses[False], losses[True], delta=0.05)
        self.assertNotEqual(losses[False], losses[True])

    def test_sampling(self):
        model, words = decoder(), Tokenizer(["<pad>", "<begin>", "<end>"] + [f"w{i}" for i in range(17)])
        model.bf16 = True
        got = sample(model, words, PROMPTS, group=2, max_tokens=5, seed=1)
        self.assertEqual((got.logps.dtype, got.ids.shape[0]), (torch.float32, 4))


class Size(unittest.TestCase):
    def test_fifty_million(self):
        model = decoder(width=640, layers=10, heads=10)
        model.bf16 = True
        self.assertGreater(parameters(model), 49_000_000)
        loss, _, _ = loss_of(model)
        self.assertTrue(torch.isfinite(loss))
        self.assertTrue(all(p.grad is not None and torch.isfinite(p.grad).all() for p in model.blocks[-2].parameters()))

    def test_preset(self):
        settings = PRESETS["gpu"]["settings"]
        self.assertEqual((settings["common"]["device"], settings["common"]["bf16"]), ("auto", True))
        self.assertGreater(parameters(decoder(**settings["model"])), 25_000_000)


if __name__ == "__main__":
    unittest.main()
