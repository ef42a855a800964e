"""Invented domains with the reference trainer: schemas in the prompt, whole experiments of a tiny model. Needs torch."""

import argparse
import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.support import binary

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain import command_transfer
from planproof.reftrain.config import ConfigError, ModelConfig
from planproof.reftrain.model import Decoder


def run(folder, *words):
    parser = argparse.ArgumentParser()
    command_transfer.add_arguments(parser)
    with mock.patch.dict(os.environ, {"PLANPROOF_BIN": binary()}), contextlib.redirect_stdout(io.StringIO()) as out:
        code = command_transfer.main(parser.parse_args(["-o", str(folder), "--preset", "smoke", *words]))
    return code, out.getvalue()


class Experiment(unittest.TestCase):
    def test_smoke(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(folder)[0], 0)
            found = json.loads((Path(folder) / "results.json").read_text())
            self.assertEqual({(r["domains"], r["set"]) for r in found}, {(k, name) for k in (1, 2) for name in ("seen", "new")})
            self.assertTrue(all(r["structures"] == 2 for r in found if r["set"] == "new"))  # the sample is the domains
            made = {p: p.read_bytes() for p in Path(folder).glob("runs/*/metrics.csv")}
            self.assertEqual(len(made), 2)
            (Path(folder) / "eval" / "k2-0.json").unlink()
            self.assertEqual(run(folder)[0], 0)
            self.assertEqual(json.loads((Path(folder) / "results.json").read_text()), found)
            self.assertEqual({p: p.read_bytes() for p in made}, made)
            with self.assertRaises(ConfigError):
                run(folder, "--set", "tokens=600")

    def test_settings(self):
        for word in ("new=2..3", "more=1", "sft.stops=1", "objects=1"):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder, self.assertRaises(ConfigError):
                run(folder, "--set", word)


class Composed(unittest.TestCase):
    def test_a_word_is_known_in_all_its_tokens(self):
        """A token that no step was trained on changes with those that have its words."""
        torch.manual_seed(0)
        parts = [["<pad>"], ["p", "a 1"], ["p", "b 1"], ["q", "a 1"], ["q", "b 1"], ["r"]]
        model = Decoder(ModelConfig(width=16, layers=1, heads=2, composed=True), len(parts), parts)
        before = model.table().detach().clone()
        model.table()[torch.tensor([1, 4])].sum().backward()
        with torch.no_grad():
            for p in model.embed.parameters():
                p -= 0.1 * p.grad
        changed = (model.table() - before).abs().sum(1) > 1e-6
        self.assertEqual(changed.tolist(), [False, True, True, True, True, False])

    def test_parts_are_needed(self):
        with self.assertRaises(ValueError):
            Decoder(ModelConfig(composed=True), 5)


if __name__ == "__main__":
    unittest.main()
