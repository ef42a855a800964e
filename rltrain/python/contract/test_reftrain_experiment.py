"""The experiment: its settings, its jobs, and a whole one of a tiny model, killed once. Needs torch."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom
from pathlib import Path
from types import SimpleNamespace

from tests.support import PACKAGE, binary

try:
    import torch  # noqa: F401
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof.reftrain import experiment
from planproof.reftrain.config import ConfigError
from planproof.reftrain.measure import spread
from planproof.reftrain.presets import PRESETS, check, merge


def arguments(*words):
    parser = argparse.ArgumentParser()
    experiment.add_arguments(parser)
    return parser.parse_args(words)


class Tasks(unittest.TestCase):
    def test_some_are_from_all_over_a_set(self):
        rows = [SimpleNamespace(id=str(i), task=f"sha256:{i}", base=str(i)) for i in range(400)]
        got = spread(rows, 40)
        self.assertEqual(got, spread(rows[::-1], 40))  # whatever the order of the file
        self.assertEqual(len({row.id for row in got}), 40)
        for quarter in range(4):
            self.assertGreater(sum(int(row.id) // 100 == quarter for row in got), 3)
        self.assertEqual(got, spread(rows, 0)[:40])
        self.assertEqual(len(spread(rows, 0)), 400)

    def test_every_structure_comes_once_before_one_comes_again(self):
        rows = [SimpleNamespace(id=str(i), task=f"sha256:{i}", base=str(min(i, 30))) for i in range(400)]
        self.assertEqual(len({row.base for row in spread(rows, 31)}), 31)
        self.assertEqual(len({row.id for row in spread(rows, 0)}), 400)


class Settings(unittest.TestCase):
    def test_presets_can_be_used(self):
        for name, preset in PRESETS.items():
            with self.subTest(name):
                check(preset["settings"])

    def test_changes(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rl": {"steps": 7}}, file)
            file.flush()
            got = experiment.settings_of(arguments("-o", "x", "--config", file.name, "--set", "seeds=[5]", "--set", "changes.carl.alpha=0.5"))
        full = PRESETS["full"]["settings"]
        self.assertEqual((got["rl"]["steps"], got["seeds"], got["changes"]["carl"]), (7, [5], {"alpha": 0.5}))
        self.assertEqual(got["rl"]["prompts"], full["rl"]["prompts"])
        self.assertEqual(full, PRESETS["full"]["settings"])  # unchanged

    def test_every_fault_is_told(self):
        bad = merge(PRESETS["full"]["settings"], {
            "methods": ["rft"], "seeds": [], "rl": {"prompts": 0}, "model": {"width": 3}, "changes": {"x": {}}, "train": "absent/train", "typo": 1})
        with self.assertRaises(ConfigError) as got:
            check(bad)
        for part in ("methods", "seeds", "prompts", "width", "'x'", "absent", "typo"):
            self.assertIn(part, str(got.exception))

    def test_jobs(self):
        settings = merge(PRESETS["full"]["settings"], {"methods": ["sft", "carl", "ca-dpo"], "seeds": [3, 4]})
        jobs = {j.name: j for j in experiment.plan(Path("out"), settings)}
        self.assertEqual(len(jobs), 12)
        self.assertEqual(jobs["carl-4"].after, ("sft-4",))
        self.assertEqual(jobs["eval-carl-4"].after, ("carl-4",))
        self.assertIn("alpha=0.001", jobs["carl-4"].command)
        self.assertIn("seed=4", jobs["carl-4"].command)
        self.assertIn('rule="ca-dpo"', jobs["ca-dpo-3"].command)
        for seed in (3, 4):  # each has a split of its own
            data = [word.split("=")[-1] for j in ("carl", "eval-carl") for word in jobs[f"{j}-{seed}"].command if "data/four" in word]
            self.assertEqual({Path(name).parent.name for name in data}, {f"four-{seed}"})
        more = {j.name: j for j in experiment.plan(Path("out"), PRESETS["learn"]["settings"])}["sft-2"].command
        files = [more[i + 1] for i, word in enumerate(more) if word == "--data"]
        self.assertEqual((len(files), files[0], files[-1]), (6, "out/data/four-2/train.jsonl", "out/data/goals3b-2/train.jsonl"))
        starts = {j.command[j.command.index("--start") + 1] for name, j in jobs.items() if "--start" in j.command}
        self.assertEqual(starts, {str(Path("out/runs/sft-3")), str(Path("out/runs/sft-4"))})


class Whole(unittest.TestCase):
    """A few steps of all methods with one seed."""

    SETS = ("--preset", "smoke", "--set", "seeds=[7]")

    def command(self, out, *more):
        return [sys.executable, "-W", "ignore", "-m", "planproof.reftrain", "experiment", "-o", str(out), *self.SETS, *more]

    def setUp(self):
        self.env = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PLANPROOF_BIN": binary()}

    def test_whole(self):
        out = Path(tempfile.mkdtemp()) / "experiment"
        killed = subprocess.Popen(self.command(out), env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        ended = time.monotonic() + 240
        while not (out / "runs/sft-7/model.pt").exists() and time.monotonic() < ended and killed.poll() is None:
            time.sleep(0.05)
        killed.send_signal(signal.SIGTERM)
        told = killed.communicate(timeout=60)[1]
        self.assertEqual(killed.returncode, 143, told)
        before = (out / "runs/sft-7/model.pt").stat().st_mtime_ns

        done = subprocess.run(self.command(out), env=self.env, capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "runs/sft-7/model.pt").stat().st_mtime_ns, before)  # not trained again
        found = json.loads((out / "results.json").read_text())
        settings = PRESETS["smoke"]["settings"]
        self.assertEqual(set(found["table"]), set(settings["methods"]))
        self.assertEqual(found["sets"], list(settings["sets"]))
        for method, seeds in found["runs"].items():
            for name, summary in seeds["7"].items():
                self.assertIsNotNone(summary["violations"], (method, name))
                self.assertLessEqual(summary["violations"]["structures"], summary["structures"])
                self.assertLessEqual(summary["structures_of"]["pass"], summary["structures"])
                self.assertLessEqual(summary["pass"]["1"], summary["pass"]["4"])
        self.assertEqual(set(found["along"]), set(settings["methods"]) - {"sft"})
        self.assertTrue(all(0 <= share["mean"] <= 1 for columns in found["along"].values() for share in columns["distinct"]))
        self.assertIn("one seed: no statement", (out / "RESULTS.md").read_text())
        self.assertEqual((out / "RESULTS.md").read_text().count("| *base structures* |"), len(found["sets"]))
        xml.dom.minidom.parse(str(out / "curves.svg"))
        written = {path: path.read_bytes() for path in (out / "results.json", out / "RESULTS.md", out / "curves.svg")}

        again = subprocess.run(self.command(out), env=self.env, capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual({path: path.read_bytes() for path in written}, written)
        other = subprocess.run(self.command(out, "--set", "rl.steps=4"), env=self.env, capture_output=True, text=True, timeout=60)
        self.assertEqual(other.returncode, 2)
        self.assertIn("other settings (rl)", other.stderr)


if __name__ == "__main__":
    unittest.main()
