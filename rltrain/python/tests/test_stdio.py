"""The client with an oracle of its own over a pipe: children that die, hang and lie."""

import gc
import os
import pickle
import signal
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from tests.support import fake_child

import planproof
from planproof import BinaryMissing, Client, OracleRefuses, OracleUnavailable, Policy
from planproof.binary import find_binary

QUICK = Policy(tries=4, base=0.01, cap=0.02)


class Child(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def client(self, body="", **settings):
        settings.setdefault("policy", QUICK)
        c = Client(binary=fake_child(self.folder, body), **settings)
        self.addCleanup(c.close)
        return c

    def test_lazy_start_and_end(self):
        c = self.client()
        self.assertIsNone(c._transport.pid)
        self.assertEqual([r.score for r in c.score([("t", "good"), ("t", "bad")])], [1, 0])
        pid = c._transport.pid
        os.kill(pid, 0)
        c.close()
        with self.assertRaises(OSError):
            os.kill(pid, 0)

    def test_client_that_is_let_go(self):
        c = Client(binary=fake_child(self.folder))
        c.submit(("t", "good")).result(30)
        pid = c._transport.pid
        del c
        for _ in range(100):
            gc.collect()
            try:
                os.kill(pid, 0)
            except OSError:
                return
            time.sleep(0.05)
        self.fail("the child lives on")

    def test_killed_between_and_while(self):
        c = self.client("time.sleep(0.02)", policy=Policy(tries=20, base=0.01, cap=0.02))
        c.score("good", task="t")
        done, kills = [], []

        def one(i):
            if i % 20 == 10:  # others are being answered now
                kills.append(c._transport.pid)
                try:
                    os.kill(kills[-1], signal.SIGKILL)
                except ProcessLookupError:
                    pass
            got = c.score([("t", "good"), ("t", "good" if i % 2 else "bad")])
            done.append(i)
            return got

        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(one, range(80)))
        self.assertEqual(sorted(done), list(range(80)))
        self.assertEqual([[r.score for r in g] for g in got], [[1, float(i % 2)] for i in range(80)])
        self.assertGreater(c._transport.starts, 1)

    def test_dies_at_each_request_once(self):
        mark = os.path.join(self.folder, "mark")
        c = self.client(f"if not os.path.exists({mark!r}): open({mark!r}, 'w'); os._exit(3)")
        self.assertEqual(c.score("good", task="t").score, 1)
        self.assertEqual(c._transport.starts, 2)

    def test_never_works(self):
        c = self.client("sys.exit('no such table')")
        with self.assertRaisesRegex(OracleUnavailable, "exit code 1.*no such table"):
            c.score("good", task="t")
        self.assertEqual(c._transport.starts, 4)

    def test_bad_input_is_told_at_once(self):
        """What the oracle cannot start with does not get better by asking again."""
        said = ["planproof: rows.jsonl:2: no domain"] + [f"rows.jsonl:{n}: no domain" for n in range(3, 90)]
        c = self.client(f"sys.stderr.write({chr(10).join(said)!r}); sys.exit(2)")
        with self.assertRaises(OracleRefuses) as told:
            c.score("good", task="t", on_error="zero")
        self.assertEqual(c._transport.starts, 1)
        lines = str(told.exception).splitlines()
        self.assertEqual((lines[0], lines[1], lines[-1]), ("rows.jsonl:2: no domain", "rows.jsonl:3: no domain", "rows.jsonl:89: no domain"))
        self.assertEqual(str(pickle.loads(pickle.dumps(told.exception))), str(told.exception))

    def test_bad_input_is_told_to_who_comes_late(self):
        """Also when the oracle has ended before the request is sent, and of a first line only."""
        c = self.client("")
        for said in ("planproof: rows.jsonl:2: no domain", "rows.jsonl:2:3: error[syntax]: no domain"):
            with open(c._transport._argv[0], "w") as f:
                f.write(f"#!/bin/sh\nprintf '%s\\n' '{said}' >&2\nexit 2\n")
            child = c._transport._live()
            child._reader.join(10)
            with self.assertRaisesRegex(OracleRefuses, "no domain"):
                child.send(b"{}\n", time.monotonic() + 5)

    def test_a_breakdown_is_no_bad_input(self):
        """A program of Go that panics has the exit code of bad input, and so has an oracle that
        could be started: both are asked again."""
        for name, body in {
            "panic": "sys.stderr.write('panic: runtime error\\n\\ngoroutine 1 [running]:\\n'); os._exit(2)",
            "internal": "sys.stderr.write('planproof: internal error (please report it): nil\\n'); sys.exit(2)",
            "internal, of a place": "sys.stderr.write('planproof: internal error (please report it): d.pddl:1:2: error[x]: nil\\n'); sys.exit(2)",
            "panic, of a place": "sys.stderr.write('panic: d.pddl:1:2: error[x]: nil\\n\\ngoroutine 1 [running]:\\n'); os._exit(2)",
            "panic after a warning": "sys.stderr.write('planproof: warning: old\\n' * 90 + 'panic: nil\\n\\ngoroutine 1 [running]:\\n' + 'x\\n' * 90); os._exit(2)",
            "fatal after a warning": "sys.stderr.write('planproof: warning: old\\nfatal error: all goroutines are asleep - deadlock!\\n'); os._exit(2)",
            "later": "if n > 1: sys.stderr.write('planproof: cannot write the answer\\n'); sys.exit(2)",
        }.items():
            with self.subTest(name):
                c = self.client(body)
                if name == "later":
                    for _ in range(4):
                        self.assertEqual(c.score("good", task="t").score, 1)
                else:
                    with self.assertRaises(OracleUnavailable):
                        c.score("good", task="t")
                self.assertEqual(c._transport.starts, 4)

    def test_lies(self):
        for name, body in {
            "garbage": "if not os.path.exists(M): open(M, 'w'); say = 'hello'",
            "twice": "if not os.path.exists(M): open(M, 'w'); print(json.dumps(reply_to(request)))",
            "other request": "if not os.path.exists(M): open(M, 'w'); request['request_id'] = 'x'",
            "half a line": "if not os.path.exists(M): open(M, 'w'); print('{', end='', flush=True); os._exit(0)",
            "a busy error": "if not os.path.exists(M): open(M, 'w'); say = '{\"schema\":\"planproof.error/1\",\"error\":{\"code\":\"busy\",\"message\":\"\"}}'",
        }.items():
            with self.subTest(name):
                mark = os.path.join(self.folder, name)
                with self.client(body.replace("M", repr(mark))) as c:
                    for _ in range(3):
                        self.assertEqual([r.score for r in c.score([("t", "good"), ("t", "bad")])], [1, 0])
                    self.assertTrue(os.path.exists(mark))

    def test_hangs(self):
        mark = os.path.join(self.folder, "mark")
        c = self.client(f"if not os.path.exists({mark!r}): open({mark!r}, 'w'); time.sleep(60)", deadline=3)  # a child starts within, also on a busy machine
        with mock.patch("planproof._stdio.GRACE", 0.2):
            start = time.monotonic()
            with self.assertRaises(OracleUnavailable):
                c.score("good", task="t")
            self.assertLess(time.monotonic() - start, 15)
            self.assertEqual(c.score("good", task="t", deadline=30).score, 1)

    def test_reads_nothing(self):
        path = os.path.join(self.folder, "deaf")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexec sleep 60\n")
        os.chmod(path, 0o755)
        with mock.patch("planproof._stdio.GRACE", 0.2), Client(binary=path, deadline=0.3, policy=QUICK) as c:
            with self.assertRaises(OracleUnavailable):
                c.score([("t", "x" * (4 << 20))])

    def test_large_batch(self):
        c = self.client()
        got = c.score([("t", "good" if i % 2 else "x" * 1000) for i in range(4096)])
        self.assertEqual([r.score for r in got], [float(i % 2) for i in range(4096)])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork(self):
        c = self.client()
        c.score("good", task="t")
        parent = c._transport.pid
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                ok = c.score("good", task="t").score == 1 and c.score_one(("t", "bad")).score == 0
                ok = ok and c._transport.pid != parent
                c.close()
                os.kill(parent, 0)
                os.write(write, b"y" if ok else b"n")
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(os.read(read, 1), b"y")
        os.close(read), os.close(write)
        self.assertEqual(c.score("good", task="t").score, 1)
        self.assertEqual(c._transport.pid, parent)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_forked_child_does_not_keep_the_oracle_alive(self):
        c = self.client()
        c.score("good", task="t")
        oracle = c._transport._child.process
        pid = os.fork()
        if pid == 0:
            time.sleep(30)
            os._exit(0)
        try:
            c._transport._child.process.stdin.close()  # as when the parent ends
            oracle.wait(10)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Binary(unittest.TestCase):
    def test_order(self):
        with tempfile.TemporaryDirectory() as folder:
            path = fake_child(folder)
            with mock.patch.dict(os.environ, {"PATH": folder, "PLANPROOF_BIN": ""}):
                if not os.path.isdir(os.path.join(os.path.dirname(planproof.__file__), "_bin")):
                    with self.assertRaises(BinaryMissing):
                        find_binary()
                os.rename(path, os.path.join(folder, "planproof"))
                self.assertTrue(find_binary())
                os.environ["PLANPROOF_BIN"] = os.path.join(folder, "none")
                with self.assertRaises(BinaryMissing):
                    find_binary()
                os.environ["PLANPROOF_BIN"] = os.path.join(folder, "planproof")
                self.assertEqual(find_binary(), os.path.join(folder, "planproof"))


if __name__ == "__main__":
    unittest.main()
