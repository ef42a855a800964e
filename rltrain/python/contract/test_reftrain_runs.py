"""The reference trainer's runs: SFT, GRPO, CARL and PPO with the real oracle, outages, and
kills, after which a run ends as one that was left alone. Needs torch >= 1.13."""

import dataclasses
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tests.support import PACKAGE, binary

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIP torch: not installed") from None

from planproof import Client
from planproof.errors import OracleUnavailable, RequestRefused
from planproof.reftrain import rl
from planproof.reftrain.config import ConfigError, ModelConfig, RLConfig, SFTConfig, make
from planproof.reftrain.optim import learning_rate
from planproof.reftrain.probe import Probe
from planproof.reftrain.reward import Scored, unrestricted
from planproof.reftrain.rl import quantile, run_rl
from planproof.reftrain.sample import TooLong, sample
from planproof.reftrain.sft import run_sft, vocabulary
from planproof.reftrain.state import BadFile, Run, load_model, save, write_atomic

from contract.reftrain_rows import rows, walk

torch.set_num_threads(1)
MODEL = ModelConfig(width=32, layers=2, heads=2, context=128)
RL = dict(prompts=4, group=4, max_tokens=20, checkpoint_every=3, probe_every=4, probe_rows=6, warmup=2)


def config(kind=RLConfig, **values):
    return make(kind, {**(RL if kind is RLConfig else {}), **values})


def metrics(folder):
    """Rows of metrics.csv as dicts."""
    import csv

    with open(Path(folder) / "metrics.csv", encoding="utf-8") as f:
        return list(csv.DictReader(f))


class Stub(Client):
    """A client whose oracle is a function of the answer."""

    def __init__(self, judge):
        self.judge, self.asked = judge, 0

    def score(self, items, **kw):
        self.asked += 1
        return [self.judge(item, self.asked) for item in items]

    def close(self):
        pass


def result(score, verdict="goal", violations=0):
    from planproof.schema import Result, without_score

    return Result({**without_score("ok", ""), "score": score, "verdict": verdict, "components": {"valid": score}, "violations": violations})


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        cls.train, cls.fresh = rows(40), rows(6, seed=9, split="val")
        cls.file = cls.root / "train.jsonl"
        cls.file.write_text("".join(json.dumps({**vars(r), "gold": dict(r.gold)}) + "\n" for r in cls.train))
        os.environ["PLANPROOF_BIN"] = binary()
        cls.start = cls.root / "start"
        run_sft(cls.train[:20], vocabulary(cls.train, cls.fresh), cls.start, config(SFTConfig, steps=90, batch=20, lr=4e-3), MODEL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def rl(self, name, client=None, probe=True, **values):
        run_rl(self.start, self.train, self.root / name, config(**values), probe=self.fresh if probe else (), path=str(self.file),
               client=client)
        return metrics(self.root / name)

    def test_sft_learns_twenty_rows_by_heart(self):
        loaded = load_model(self.start)
        part = self.train[:20]
        got = sample(loaded.model, loaded.tokenizer, [loaded.tokenizer.prompt(r.prompt) for r in part], temperature=0.0, max_tokens=30)
        right = sum(text == r.answer for text, r in zip(got.texts, part))
        self.assertGreaterEqual(right, 18)
        told = metrics(self.start)
        self.assertEqual(len(told), 90)
        self.assertLess(float(told[-1]["loss"]), 0.1)

    def test_carl_run(self):
        told = self.rl("carl", steps=5, alpha=0.01, updates=2, micro_prompts=1)
        self.assertEqual([row["step"] for row in told], list("12345"))
        for row in told:
            self.assertLessEqual(float(row["valid"]), float(row["parsed"]))
            self.assertEqual(row["reward"], row["part_valid"])
        learned = [row for row in told if row["loss"]]
        self.assertTrue(learned and all(float(r["carl_p95"]) >= 0 and float(r["kl"]) >= 0 for r in learned))
        self.assertEqual([row["step"] for row in told if row["probe_valid"]], ["4", "5"])
        about = load_model(self.root / "carl").about
        self.assertEqual((about["kind"], about["config"]["alpha"]), ("rl", 0.01))
        # The same command again does nothing; another one is refused.
        before = (self.root / "carl/metrics.csv").read_bytes()
        self.rl("carl", steps=5, alpha=0.01, updates=2, micro_prompts=1)
        self.assertEqual((self.root / "carl/metrics.csv").read_bytes(), before)
        with self.assertRaisesRegex(ConfigError, "config.alpha = 0.01, not 0.02"):
            self.rl("carl", steps=5, alpha=0.02, updates=2, micro_prompts=1)

    def test_ppo_and_process_reward(self):
        told = self.rl("ppo", steps=3, algorithm="ppo", alpha=0.01, updates=2, 
                       reward={"schema": "planproof.reward/1", "name": "share", "kind": "process", "normalised": True})
        self.assertTrue(all(row["value_loss"] and row["carl_kl"] for row in told))
        self.assertTrue(any(name.startswith("part_") and name != "part_valid" for name in told[0]))
        self.assertTrue(any(0 < float(row["reward"]) < 1 for row in told))

    def test_parts_of_a_batch_add_up(self):
        """One pass or one a prompt: the same step but for rounding."""
        whole, parts = (self.rl(f"micro{n}", steps=1, alpha=0.1, beta=0.1, micro_prompts=n, degenerate="keep", probe=False)[0] for n in (0, 1))
        for name in ("loss", "kl", "gradient", "entropy", "carl_kl", "carl_p95"):
            self.assertAlmostEqual(float(whole[name]), float(parts[name]), places=3, msg=name)

    def test_what_is_dropped_does_not_depend_on_parts(self):
        """The least tenth of the whole batch, not of each part, goes without CARL's reward."""
        for algorithm in ("ppo", "grpo"):
            whole, parts = (self.rl(f"drop-{algorithm}{n}", steps=1, algorithm=algorithm, alpha=5.0, carl_drop_lowest=0.5, micro_prompts=n, degenerate="keep",
                                    probe=False)[0] for n in (0, 1))
            for name in ("loss", "gradient", "value_loss", "carl_kl"):
                if whole[name]:
                    self.assertAlmostEqual(float(whole[name]), float(parts[name]), places=3, msg=f"{algorithm} {name}")

    def test_the_probe_knows_carls_term(self):
        """Also where the loss does not have it and the probe is not due when it is looked at."""
        for algorithm in ("grpo", "ppo"):
            told = self.rl(f"looks-{algorithm}", steps=4, algorithm=algorithm, probe_every=3, degenerate="keep")
            self.assertEqual([row["step"] for row in told if row["probe_valid"]], ["3", "4"])
            self.assertEqual([row["step"] for row in told if row["carl_kl"]], ["3", "4"], algorithm)

    def test_first_step_is_on_policy(self):
        """With the ratio at 1 and the start as reference nothing is clipped and nothing diverges."""
        row = self.rl("first", steps=1, beta=0.1, probe=False)[0]
        self.assertEqual((float(row["clipped"]), float(row["kl"])), (0, 0))

    def test_groups_that_say_nothing_are_skipped(self):
        for score in (0.0, 1.0):
            told = self.rl(f"tied{score}", Stub(lambda item, n: result(score, "valid" if score else "goal")), steps=2, probe=False)
            self.assertEqual([(r["degenerate"], r["degenerate_valid"], r["loss"]) for r in told], [("1", f"{score:.0f}", "")] * 2)
            a, b = load_model(self.start).model.state_dict(), load_model(self.root / f"tied{score}").model.state_dict()
            self.assertTrue(all(torch.equal(a[k], b[k]) for k in a))
        kept = self.rl("kept", Stub(lambda item, n: result(0.0)), steps=1, probe=False, degenerate="keep", alpha=0.1)
        self.assertTrue(kept[0]["loss"])

    def test_placements_of_carl(self):
        """After normalisation the term also moves tied groups; in the reward it needs no_std."""
        rng = random.Random(0)
        judge = lambda item, n: result(float(rng.random() < 0.5))  # noqa: E731
        for more in ({"placement": "after"}, {"placement": "after", "carl_drop_lowest": 0.5}, {"placement": "reward", "no_std": True}, {"gate": "valid", "carl_drop_lowest": 0.5}):
            self.assertTrue(self.rl("place" + "".join(map(str, more.items())), Stub(judge), steps=1, probe=False, alpha=0.1, **more)[0]["loss"])

    def test_rewards_decide(self):
        """A reward for short answers makes answers short."""
        told = self.rl("short", Stub(lambda item, n: result(1.0 / (1 + len(item.completion)))), steps=30, prompts=8, lr=3e-3,
                       beta=0.0, probe=False)
        first, last = (sum(float(r["reward"]) for r in part) for part in (told[:5], told[-5:]))
        self.assertGreater(last, 1.3 * first)

    def test_an_outage_is_waited_for_and_never_scored(self):
        def flaky(item, n):
            if n in (3, 4):
                raise OracleUnavailable("away")
            return result(float(len(item.completion) % 2))

        steady = self.rl("steady", Stub(lambda item, n: result(float(len(item.completion) % 2))), steps=4, probe=False)
        self.assertEqual(self.rl("flaky", Stub(flaky), steps=4, probe=False), steady)
        events = [json.loads(line) for line in (self.root / "flaky/events.jsonl").read_text().splitlines()]
        self.assertEqual([(e["event"], e["step"]) for e in events], [("outage", 2)] * 2)

        def gone(item, n):
            if n > 5:
                raise OracleUnavailable("gone")
            return result(float(len(item.completion) % 2))

        with self.assertRaises(OracleUnavailable):
            self.rl("gone", Stub(gone), steps=6, probe=False, patience=0.01)
        self.assertEqual(len(metrics(self.root / "gone")), 4)  # the fifth step has not happened
        self.rl("gone", Stub(lambda item, n: result(float(len(item.completion) % 2))), steps=6, probe=False, patience=0.01)
        self.assertEqual(metrics(self.root / "gone")[:4], steady)

        def refused(item, n):
            raise RequestRefused("bad_request", "no such task")

        with self.assertRaises(RequestRefused):
            self.rl("refused", Stub(refused), steps=1, probe=False)

    def test_a_killed_run_ends_as_if_it_had_not_been(self):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "OMP_NUM_THREADS": "1", "PLANPROOF_BIN": binary()}
        (self.root / "val.jsonl").write_text("".join(json.dumps({**vars(r), "gold": dict(r.gold)}) + "\n" for r in self.fresh))
        sets = [w for k, v in {**RL, "steps": 14, "alpha": 0.01, "updates": 2, "frontier": 0.5}.items() for w in ("--set", f"{k}={v}")]

        def command(name):
            return [sys.executable, "-W", "ignore", "-m", "planproof.reftrain", "rl", "--data", str(self.file), "--start", str(self.start),
                    "--probe", str(self.root / "val.jsonl"), "--out", str(self.root / name), *sets]

        alone = subprocess.Popen(command("alone"), env=environment)
        kills = 0
        while kills < 2:
            child = subprocess.Popen(command("killed"), env=environment)
            lines = 6 * (kills + 1)  # behind a checkpoint, and before the next
            table = self.root / "killed/metrics.csv"
            while child.poll() is None and (not table.exists() or table.read_text().count("\n") < lines):
                time.sleep(0.005)
            self.assertIsNone(child.poll(), "the run ended before it could be killed")
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            kills += 1
        self.assertEqual(subprocess.run(command("killed"), env=environment).returncode, 0)
        self.assertEqual(alone.wait(120), 0)
        for name in ("metrics.csv", "events.jsonl", "config.json"):
            self.assertEqual((self.root / "killed" / name).read_bytes(), (self.root / "alone" / name).read_bytes(), name)
        a, b = (load_model(self.root / name).model.state_dict() for name in ("alone", "killed"))
        self.assertTrue(all(torch.equal(a[k], b[k]) for k in a))

    def test_command_line_faults(self):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
        bad = self.root / "bad.jsonl"
        bad.write_text('{"id": 3}\n')
        for arguments, told in (
            (["rl", "--data", str(bad), "--start", "nowhere", "--out", str(self.root / "x")], "bad.jsonl:1:2: error[type]"),
            (["rl", "--data", str(self.file), "--start", "nowhere", "--out", str(self.root / "x")], "error: nowhere: No such file"),
            (["sft", "--data", str(self.file), "--out", str(self.root / "x"), "--set", "lr=fast"], "error: settings: lr: 'fast' is no float"),
            (["sft", "--data", str(self.file), "--out", str(self.file / "x")], "error: [Errno 20]"),
            (["evaluate", "--data", f"a={self.file}", "--model", str(self.start), "--samples", "-1"], "error: --samples -1: it is at least 0"),
            (["evaluate", "--data", f"a={self.file}", "--model", str(self.start), "--max-tokens", "0"], "error: --max-tokens 0"),
            (["evaluate", "--data", f"a={self.file}", "--model", str(self.start), "--temperature", "nan"], "error: --temperature nan"),
        ):
            done = subprocess.run([sys.executable, "-m", "planproof.reftrain", *arguments], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(told, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertFalse((self.root / "x").exists())

    def test_rows_that_the_oracle_refuses(self):
        """Bad input ends a run at once, with all faults, and is no outage."""
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PLANPROOF_BIN": binary()}
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        for n in (2, 5):
            lines[n]["domain_text"] = "; changed\n" + lines[n]["domain_text"]  # no longer what the row's hash is of
        other = [{**vars(r), "gold": dict(r.gold)} for r in self.train]
        for n in (3, 7):
            other[n]["problem_text"] = other[n]["problem_text"].replace("(:goal", "(:gaol")
            other[n]["task"] = "sha256:" + hashlib.sha256(f"{other[n]['domain_text']}\0{other[n]['problem_text']}".encode()).hexdigest()
        for name, data, told in (("hash", lines, ["{}:3:", "{}:6:", "error[wrong_hash]: the row's task is sha256:"]),
                                 ("section", other, [f"refused-section.jsonl:{n + 1}:" for n in (3, 7)])):
            bad, out = self.root / f"refused-{name}.jsonl", self.root / f"refused-{name}"
            bad.write_text("".join(json.dumps(row) + "\n" for row in data))
            train = ["--data", str(bad), "--start", str(self.start), "--out", str(out), "--set", "max_tokens=20"]
            commands = [["rl", *train], ["dpo", *train, "--set", "rows=20"], ["evaluate", "--data", f"a={bad}", "--model", str(self.start)]]
            if name == "hash":  # found without the oracle
                commands += [["sft", "--data", str(bad), "--out", str(out)]]
            for command in commands:
                done = subprocess.run([sys.executable, "-m", "planproof.reftrain", *command], env=environment, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                for text in told:
                    self.assertIn(text.format(bad), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
                self.assertFalse((out / "metrics.csv").exists())

    def test_one_process_at_a_time_in_a_folder(self):
        run = Run(self.root / "held", {}, ["step"])
        (self.root / "held/.model.pt.1.part").touch()  # of one that was killed
        with run:
            run.resume()
            with self.assertRaisesRegex(ConfigError, "another process"):
                Run(self.root / "held", {}, ["step"])
        Run(self.root / "held", {}, ["step"])
        self.assertEqual(list((self.root / "held").glob(".*.part")), [])

    def test_a_full_disk_is_an_error(self):
        with self.assertRaises(OSError):
            save("/dev/full", {"weights": torch.zeros(100_000)})
        self.assertFalse(Path("/dev/full").is_file())

    def test_what_does_not_fit_is_told_before_the_first_step(self):
        tokenizer, long = vocabulary(self.train), [*self.train[:19], dataclasses.replace(self.train[19], prompt=self.train[19].prompt * 9)]
        with self.assertRaisesRegex(TooLong, f"{self.train[19].id}: prompt has"):
            run_sft(long, tokenizer, self.root / "long", config(SFTConfig, steps=1, batch=1), MODEL)
        with self.assertRaisesRegex(TooLong, "max_tokens 127"):
            self.rl("longer", Stub(lambda item, n: result(0.0)), probe=False, max_tokens=127)

    @unittest.skipUnless(os.environ.get("PLANPROOF_LONG"), "two minutes: PLANPROOF_LONG=1")
    def test_reinforcement_beats_its_start(self):
        train, fresh = rows(300, seed=3), rows(60, seed=4, split="val")
        run_sft(train, vocabulary(train, fresh), self.root / "s", config(SFTConfig, steps=250, batch=32, lr=4e-3), MODEL)
        run_rl(self.root / "s", train, self.root / "l", config(steps=100, prompts=16, group=8, lr=5e-4, probe_every=10, probe_rows=60), probe=fresh)
        told = [float(r["probe_valid"]) for r in metrics(self.root / "l") if r["probe_valid"]]
        sampled = [float(r["valid"]) for r in metrics(self.root / "l")]
        self.assertGreater(sum(sampled[-10:]), sum(sampled[:5]) * 2 + 0.5)
        self.assertGreater(told[-1], told[0] - 0.1)


class Parts(unittest.TestCase):
    def test_unrestricted(self):
        """The walk that the constraint forbids is valid in the task without it, and only there."""
        for row in rows(3):
            start, goal = (re.search(rf"{part}: \(at (.)\)", row.prompt)[1] for part in ("init", "goal"))
            ways = re.findall(r"\(way (.) (.)\)", row.prompt)
            plan = "<plan>\n" + "\n".join(walk(start, goal, ways, set())) + "\n</plan>"
            free = unrestricted(row)
            self.assertEqual(free.prompt, row.prompt_unconstrained)
            with Client(binary=binary()) as client:
                self.assertEqual([client.score(plan, task=r.oracle_task()).verdict for r in (row, free)], ["precondition", "valid"])

    def test_doubts(self):
        probe = Probe(rows(4), None, RLConfig())
        probe.history = [{"reward": 0.2, "error": 0.01, "probe_valid": 0.5, "probe_free_valid": 0.9, "carl_kl": 0.1}] * 2
        good = {"reward": 0.6, "error": 0.01, "probe_valid": 0.6, "probe_free_valid": 0.9, "carl_kl": 0.2}
        self.assertEqual(probe.doubts(good), [])
        self.assertIn("something else", probe.doubts({**good, "probe_valid": 0.5})[0])
        self.assertIn("getting worse", probe.doubts({**good, "probe_free_valid": 0.3})[0])
        self.assertEqual(probe.doubts({**good, "probe_free_valid": 0.3, "carl_kl": None}), [])  # nothing is known of the term

    def test_learning_rate(self):
        c = config(SFTConfig, lr=1.0, warmup=4, steps=20, lr_floor=0.1)
        rates = [learning_rate(c, s) for s in range(1, 21)]
        self.assertEqual(rates[:4], [0.25, 0.5, 0.75, 1.0])
        self.assertEqual(rates[3:], sorted(rates[3:], reverse=True))
        self.assertAlmostEqual(rates[-1], 0.1)

    def test_quantile(self):
        self.assertEqual([quantile([3, 1, 2, 4], q) for q in (0, 0.25, 0.5, 0.95, 1)], [1, 1, 2, 4, 4])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.pt"
            with self.assertRaises(BadFile):
                load_model(path)
            path.write_bytes(b"not a model")
            with self.assertRaises(BadFile):
                load_model(path)

            def half(f):
                f.write(b"half")
                raise OSError("disk full")

            with self.assertRaises(OSError):
                write_atomic(path, half)
            self.assertEqual((path.read_bytes(), len(list(Path(folder).iterdir()))), (b"not a model", 1))


if __name__ == "__main__":
    unittest.main()
