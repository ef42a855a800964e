"""BoxNet with the reference trainer: a whole experiment of a tiny model, and once more on top of it. Needs torch."""

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
    import torch  # noqa: F401
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain import command_boxnet
from planproof.reftrain.config import ConfigError


def run(folder, *words):
    parser = argparse.ArgumentParser()
    command_boxnet.add_arguments(parser)
    with mock.patch.dict(os.environ, {"PLANPROOF_BIN": binary()}), contextlib.redirect_stdout(io.StringIO()) as out:
        code = command_boxnet.main(parser.parse_args(["-o", str(folder), "--preset", "smoke", *words]))
    return code, out.getvalue()


class Experiment(unittest.TestCase):
    def test_smoke(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text = run(folder)
            self.assertEqual(code, 0)
            found = json.loads((Path(folder) / "results.json").read_text())
            self.assertEqual({r["method"] for r in found}, set(command_boxnet.METHODS))
            self.assertEqual({r["set"] for r in found}, {"structures", "maps", "layouts"})
            self.assertTrue(all(r["tasks"] == 2 for r in found))
            metrics = {p: p.read_bytes() for p in Path(folder).glob("runs/*/metrics.csv")}
            self.assertEqual(len(metrics), len(command_boxnet.METHODS))

            # What is missing is done again, to the byte; the rest is left alone.
            lost = Path(folder) / "runs" / "grpo-plans-0"
            for file in lost.iterdir():
                file.unlink()
            (Path(folder) / "eval" / "grpo-plans-0.json").unlink()
            self.assertEqual(run(folder)[0], 0)
            self.assertEqual({p: p.read_bytes() for p in metrics}, metrics)
            self.assertEqual(json.loads((Path(folder) / "results.json").read_text()), found)
            with self.assertRaises(ConfigError):
                run(folder, "--set", "sft.steps=3")

    def test_settings(self):
        for word in ("methods=[\"grpo-plans\"]", "methods=[\"other\"]", "sft.stops=1", "more=1"):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder, self.assertRaises(ConfigError):
                run(folder, "--set", word)
