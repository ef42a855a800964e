"""The client against the planproof binary of this checkout."""

import contextlib
import io
import json
import os
import queue
import random
import signal
import tempfile
import threading
import time
import unittest
from unittest import mock

from tests.support import TASK, RealOracle, binary, good_plan

import planproof
from planproof import Client, Policy, RequestRefused
from planproof.cli import main

PATIENT = Policy(tries=50, base=0.05, cap=0.2)


class Both:
    """What holds over a pipe and over HTTP."""

    def client(self, **settings) -> Client:
        raise NotImplementedError

    def answers(self):
        plan = good_plan()
        lines = plan.splitlines()
        return {
            "valid": plan, "goal": "\n".join([lines[0], *lines[1:-2], lines[-1]]),
            "precondition": "\n".join([lines[0], *lines[2:]]), "no_plan": "I do not know.",
            "unknown_symbol": "<plan>\n(fly a)\n</plan>", "parse": "<plan>\n(pick-up\n</plan>",
        }

    def test_verdicts(self):
        with self.client() as c:
            answers = self.answers()
            got = c.score(list(answers.values()), task=TASK)
            for word, result in zip(answers, got):
                self.assertEqual(result.score, float(word == "valid"), word)
                self.assertTrue(result.ok)
            self.assertEqual({w: r.verdict for w, r in zip(answers, got) if w in ("valid", "no_plan", "unknown_symbol")},
                             {"valid": "valid", "no_plan": "no_plan", "unknown_symbol": "unknown_symbol"})

    def test_one_by_one_is_the_same_as_together(self):
        with self.client(spec="process") as c:
            answers = list(self.answers().values()) * 5
            together = c.score(answers, task=TASK)
            alone = [f.result(60) for f in [c.submit(a, task=TASK) for a in answers]]
            for a, b in zip(together, alone):
                self.assertEqual({**a.raw, "id": 0}, {**b.raw, "id": 0})

    def test_bad_rows_have_no_score(self):
        with self.client() as c:
            got = c.score([(TASK, good_plan()), ("sha256:" + "0" * 64, "x"), ("nope:1", "x"),
                           ({"domain": "(define", "problem": ""}, "x")], on_error="none")
            self.assertEqual([r.status for r in got], ["ok"] + ["bad_request"] * 3)
            self.assertEqual([r.score for r in got], [1, None, None, None])
            with self.assertRaises(RequestRefused):
                c.score("x", task="nope:1")
            with self.assertRaises(RequestRefused):
                c.score("x", task=TASK, spec="no such reward")
            self.assertEqual(c.score(good_plan(), task=TASK).score, 1)

    def test_awkward_completions(self):
        with self.client() as c:
            for text in ["", "\0", "\ud800", "{" * 10_000, "é" * 1000, '"\\\n\r\t\u2028', "x" * (300 << 10)]:
                result = c.score(text, task=TASK)
                self.assertEqual((result.score, result.ok), (0, True), text[:20])
            self.assertEqual(c.score(good_plan() + "\n" * 10, task=TASK).score, 1)


class Stdio(Both, unittest.TestCase):
    def client(self, **settings):
        return Client(binary=binary(), **settings)

    def test_killed_again_and_again(self):
        with self.client(policy=PATIENT) as c:
            _kill_while_scoring(self, c, lambda: os.kill(c._transport.pid, signal.SIGKILL))
            self.assertGreater(c._transport.starts, 1)

    def test_bad_flags_are_told(self):
        with self.client(args=["--no-such-flag"], policy=Policy(2, 0.01, 0.01)) as c:
            with self.assertRaisesRegex(planproof.OracleRefuses, "no-such-flag"):
                c.score("x", task=TASK)
            self.assertEqual(c._transport.starts, 1)

    def test_module_function_and_command(self):
        with mock.patch.dict(os.environ, {"PLANPROOF_BIN": binary()}):
            self.assertEqual(planproof.score(good_plan(), task=TASK).score, 1)
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
                for text in (good_plan(), "nothing"):
                    f.write(json.dumps({"task": TASK, "completion": text}) + "\n\n")
                f.flush()
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    self.assertEqual(main([f.name]), 0)
                self.assertEqual([json.loads(line)["score"] for line in out.getvalue().splitlines()], [1, 0])
                with contextlib.redirect_stdout(out):
                    f.write('{"task": "nope:1", "response": ""}\n')
                    f.flush()
                    self.assertEqual(main([f.name]), 3)
                with contextlib.redirect_stderr(io.StringIO()) as err:
                    f.write("{\n")
                    f.flush()
                    self.assertEqual(main([f.name]), 2)
                self.assertIn("line 6", err.getvalue())


class HTTP(Both, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.oracle = RealOracle()

    @classmethod
    def tearDownClass(cls):
        cls.oracle.close()

    def client(self, **settings):
        return Client(self.oracle.url, **settings)

    def test_killed_again_and_again(self):
        oracles = [RealOracle()]

        def kill():
            oracles[-1].close()
            oracles.append(RealOracle(port=oracles[-1].port))

        try:
            with Client(oracles[0].url, policy=PATIENT) as c:
                _kill_while_scoring(self, c, kill)
        finally:
            oracles[-1].close()
        self.assertGreater(len(oracles), 1)


def _kill_while_scoring(test, c, kill, rounds=16):
    """Every response gets its own score, whatever happens to the oracle."""
    good = good_plan()
    c.score(good, task=TASK)
    begun: "queue.SimpleQueue[bool]" = queue.SimpleQueue()

    def killer():
        while begun.get():
            time.sleep(random.random() * 0.02)
            try:
                kill()
            except OSError:
                pass

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        for n in range(rounds):
            want = [float((i * 7 + n) % 3 == 0) for i in range(500)]
            if n % 2:
                begun.put(True)
            got = c.score([(TASK, good if w else f"nothing {i}") for i, w in enumerate(want)])
            test.assertEqual([r.score for r in got], want)
    finally:
        begun.put(False)
        thread.join()


if __name__ == "__main__":
    unittest.main()
