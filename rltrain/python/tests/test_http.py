"""The client over HTTP against an oracle that misbehaves."""

import asyncio
import json
import multiprocessing
import os
import pickle
import socket
import threading
import time
import unittest
from unittest import mock
from concurrent.futures import ThreadPoolExecutor

from tests.support import FakeOracle, fault, reply_to

import planproof
from planproof import Breaker, CircuitOpen, Client, Item, OracleUnavailable, Policy, RequestRefused

QUICK = Policy(tries=4, base=0.01, cap=0.02)


def client(fake, **settings):
    settings.setdefault("policy", QUICK)
    settings.setdefault("deadline", 10)
    return Client(fake.url, **settings)


class Scoring(unittest.TestCase):
    def test_forms_of_items(self):
        with FakeOracle() as fake, client(fake) as c:
            self.assertEqual(c.score("good", task="t").score, 1)
            self.assertEqual(c.score(("t", "bad")).score, 0)
            got = c.score([("t", "good"), {"task": "t", "completion": "bad", "finish": "length", "id": 9},
                           Item("t", "good", "stop"), {"completion": "good"}], task="u")
            self.assertEqual([r.score for r in got], [1, 0, 1, 1])
            self.assertEqual(fake.requests[-1]["items"][1], {"id": 1, "task": "t", "completion": "bad", "finish": "length"})
            self.assertEqual(fake.requests[-1]["items"][3]["task"], "u")
            for bad in [["alone"], [{"task": "t"}], [3], [("t", 3)], [("t",)], [{"completion": "x"}]]:
                with self.assertRaises(TypeError):
                    c.score(bad)
            self.assertEqual(c.score([]), [])

    def test_request_says_spec_deadline_and_schema_first(self):
        with FakeOracle() as fake, client(fake, spec="process") as c:
            c.score("good", task="t")
            request = fake.requests[0]
            self.assertEqual(next(iter(request)), "schema")
            self.assertEqual(request["spec"], "process")
            self.assertTrue(0 < request["deadline_ms"] <= 10_000)
            c.score("good", task="t", spec={"reward": "valid"}, deadline=1e9)
            self.assertEqual(fake.requests[1]["spec"], {"reward": "valid"})
            self.assertEqual(fake.requests[1]["deadline_ms"], 600_000)

    def test_large_lists_are_cut(self):
        with FakeOracle() as fake, client(fake) as c:
            got = c.score([("t", "good" if i % 3 else "bad") for i in range(5000)])
            self.assertEqual([r.score for r in got], [float(i % 3 > 0) for i in range(5000)])
            self.assertEqual([len(r["items"]) for r in fake.requests], [4096, 904])
            self.assertEqual(fake.connections, 1)
            got = c.score([("t", "good" * (5 << 20))] * 3)
            self.assertEqual([len(r["items"]) for r in fake.requests[2:]], [2, 1])

    def test_lone_surrogates(self):
        with FakeOracle() as fake, client(fake) as c:
            self.assertEqual(c.score("good \ud800 \U0001f600", task="t").score, 1)
            self.assertEqual(fake.requests[0]["items"][0]["completion"], "good \ufffd \U0001f600")

    def test_results(self):
        with FakeOracle() as fake, client(fake) as c:
            r = c.score("good", task="t")
            self.assertTrue(r.ok and r.valid)
            self.assertEqual((r.plan_len, r.ref_len, r.components), (1, None, {"valid": 1.0}))
            with self.assertRaises(AttributeError):
                r.nothing
            self.assertEqual(pickle.loads(pickle.dumps(r)), r)

    def test_token_and_prefix(self):
        seen = []

        def behave(handler, request):
            seen.append((handler.path, handler.headers["Authorization"]))
            return reply_to(request)

        with FakeOracle(behave) as fake, Client(fake.url + "/a/", token="secret") as c:
            c.score("good", task="t")
        self.assertEqual(seen, [("/a/v1/score", "Bearer secret")])

    def test_unix_socket(self):
        import http.server
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self):
                    data = json.dumps(reply_to(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

                def log_message(self, *args):
                    pass

                def address_string(self):
                    return "unix"

            class Server(http.server.ThreadingHTTPServer):
                address_family, daemon_threads = socket.AF_UNIX, True

                def server_bind(self):
                    self.socket.bind(self.server_address)
                    self.server_name, self.server_port = "unix", 0

            server = Server(path, Handler)
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            with Client("unix:" + path) as c:
                self.assertEqual(c.score("good", task="t").score, 1)
            server.shutdown()
            server.server_close()

    def test_bad_settings(self):
        for url in ("ftp://x", "localhost:80", "http://", ""):
            if url:
                with self.assertRaises(ValueError):
                    Client(url)
        with self.assertRaises(ValueError):
            Client("http://x", on_error="ignore")
        c = Client("http://127.0.0.1:1")
        c.close()
        c.close()
        with self.assertRaises(planproof.PlanproofError):
            c.score("x", task="t")


class Failures(unittest.TestCase):
    def first(self, behave_first, tries=1, **settings):
        """Scores with a fake that misbehaves a number of times; the answer must be right."""
        count = [0]

        def behave(handler, request):
            count[0] += 1
            if count[0] <= tries:
                return behave_first(handler, request)
            return reply_to(request)

        with FakeOracle(behave) as fake, client(fake, **settings) as c:
            got = c.score([("t", "good"), ("t", "bad")])
            self.assertEqual([r.score for r in got], [1, 0])
            return count[0]

    def test_statuses_that_are_retried(self):
        for code in (408, 429, 500, 502, 503, 504):
            with self.subTest(code):
                word = {429: "busy", 503: "stopping"}.get(code, "internal")
                self.assertEqual(self.first(lambda h, r: h.answer(code, fault(word))), 2)
        self.assertEqual(self.first(lambda h, r: h.answer(502, b"<html>"), 3), 4)

    def test_statuses_that_are_not(self):
        for code in (400, 401, 403, 404, 405, 413, 415):
            with self.subTest(code), FakeOracle(lambda h, r: h.answer(code, fault("bad_request", "no"))) as fake:
                with client(fake) as c, self.assertRaises(RequestRefused):
                    c.score("good", task="t", on_error="none")
                self.assertEqual(len(fake.requests), 1)

    def test_retry_after(self):
        start = time.monotonic()
        self.first(lambda h, r: h.answer(429, fault("busy"), Retry_After="1"))
        self.assertGreaterEqual(time.monotonic() - start, 0.95)
        # Longer than the deadline: no use waiting.
        start = time.monotonic()
        with FakeOracle(lambda h, r: h.answer(503, fault("stopping"), Retry_After="60")) as fake, client(fake, deadline=2) as c:
            with self.assertRaises(OracleUnavailable):
                c.score("good", task="t")
        self.assertLess(time.monotonic() - start, 2)

    def test_hostile_replies(self):
        def change(**members):
            return lambda h, r: {**reply_to(r), **members}

        def change_item(**members):
            def behave(h, r):
                reply = reply_to(r)
                reply["items"][0].update(members)
                return reply
            return behave

        def drop(name):
            def behave(h, r):
                reply = reply_to(r)
                del reply["items"][1][name]
                return reply
            return behave

        def raw(data, close=False):
            def behave(h, r):
                h.wfile.write(data)
                if close:
                    h.close_connection = True
            return behave

        def swapped(h, r):
            reply = reply_to(r)
            reply["items"].reverse()
            return reply

        ok = b"HTTP/1.1 200 OK\r\n"
        for name, behave in {
            "not json": lambda h, r: h.answer(200, b"<html>"),
            "not utf-8": lambda h, r: h.answer(200, b'{"schema": "\xff"}'),
            "a list": lambda h, r: h.answer(200, b"[]"),
            "deep": lambda h, r: h.answer(200, b"[" * 100_000),
            "empty": lambda h, r: h.answer(200, b""),
            "schema": change(schema="planproof.score/2"),
            "other request": change(request_id="other"),
            "no items": change(items=None),
            "few items": lambda h, r: {**reply_to(r), "items": reply_to(r)["items"][:1]},
            "other order": swapped,
            "id": change_item(id=7), "id false": change_item(id=False),
            "status": change_item(status="fine"), "status list": change_item(status=[]),
            "null score": change_item(score=None), "true": change_item(score=True), "text": change_item(score="1"),
            "nan": change_item(score=float("nan")), "inf": change_item(score=float("inf")),
            "score though unavailable": change_item(status="unavailable"),
            "components": change_item(components=None), "verdict": change_item(verdict=1),
            "lacks digest": drop("digest"), "lacks score": drop("score"),
            "no http": raw(b"hello\r\n\r\n", True),
            "nothing": raw(b"", True),
            "half a header": raw(b"HTTP/1.1 200", True),
            "half a body": raw(ok + b"Content-Length: 100\r\n\r\n{", True),
            "length -1": raw(ok + b"Content-Length: -1\r\n\r\n", True),
            "huge length": raw(ok + b"Content-Length: 99999999999999\r\n\r\n", True),
            "bad chunks": raw(ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", True),
            "many headers": raw(ok + b"X: y\r\n" * 1000 + b"\r\n", True),
            "long header": raw(ok + b"X: " + b"y" * 100_000 + b"\r\n\r\n", True),
            "redirect": lambda h, r: h.answer(502, b"", Location="http://127.0.0.1:1/"),
        }.items():
            with self.subTest(name):
                self.assertEqual(self.first(behave, tries=2), 3)

    def test_reset_and_extra_bytes(self):
        def reset(h, r):
            h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            h.connection.close()
            h.close_connection = True

        self.assertEqual(self.first(reset), 2)

        def extra(h, r):  # a second reply that must not answer the next request
            for score in (1.0, 0.0):
                h.answer(200, json.dumps(reply_to(r, lambda item: score)).encode())

        with FakeOracle(extra) as fake, client(fake, on_error="none") as c:
            self.assertEqual(c.score("x", task="t").score, 1)
            self.assertIn(c.score("y", task="t").score, (1, None))

    def test_slow_drip_ends_by_the_deadline(self):
        def drip(h, r):
            h.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in range(100):
                h.wfile.write(b" ")
                h.wfile.flush()
                time.sleep(0.05)

        start = time.monotonic()
        with FakeOracle(drip) as fake, client(fake, deadline=0.5) as c:
            with self.assertRaises(OracleUnavailable):
                c.score("good", task="t")
            self.assertLess(time.monotonic() - start, 3)

    def test_silence_ends_by_the_deadline(self):
        start = time.monotonic()
        with FakeOracle(lambda h, r: time.sleep(8)) as fake, client(fake, deadline=0.3) as c:
            with self.assertRaisesRegex(OracleUnavailable, "in time"):
                c.score("good", task="t")
            self.assertLess(time.monotonic() - start, 4)

    def test_idle_connection_closed_is_no_failure(self):
        def behave(h, r):
            h.close_connection = True  # without saying so
            return reply_to(r)

        with FakeOracle(behave) as fake, client(fake, policy=Policy(tries=2, base=5, cap=5)) as c, \
                mock.patch("planproof.client.time.sleep", side_effect=AssertionError("it waits")):
            for _ in range(5):
                self.assertEqual(c.score("good", task="t").score, 1)
                threading.Event().wait(0.02)
            self.assertEqual(len(fake.requests), 5)

    def test_unavailable_items_are_asked_for_again_alone(self):
        def behave(h, r):
            reply = reply_to(r)
            if len(r["items"]) == 5:
                for i in (1, 3):
                    reply["items"][i].update(status="unavailable", score=None, verdict="")
            return reply

        with FakeOracle(behave) as fake, client(fake) as c:
            got = c.score([("t", w) for w in ("good", "good", "bad", "bad good", "good")])
            self.assertEqual([r.score for r in got], [1, 1, 0, 1, 1])
            asked = [[i["completion"] for i in r["items"]] for r in fake.requests]
            self.assertEqual(asked[1], ["good", "bad good"])

    def test_what_has_no_score(self):
        def behave(h, r):
            reply = reply_to(r)
            for item, status in zip(reply["items"], ("ok", "timeout", "bad_request", "ok")):
                if status != "ok":
                    item.update(status=status, score=None, verdict="", message="so")
            return reply

        def refused(h, r):
            reply = reply_to(r)
            reply["items"][1].update(status="bad_request", score=None, verdict="", message="unknown task")
            return reply

        items = [("t", "good")] * 4
        with FakeOracle(refused) as fake, client(fake) as c:
            with self.assertRaisesRegex(RequestRefused, "item 1: unknown task"):
                c.score(items)
        with FakeOracle(behave) as fake, client(fake) as c:
            self.assertEqual([r.score for r in c.score(items, on_error="none")], [1, None, None, 1])
            got = c.score(items, on_error="zero")
            self.assertEqual([r.score for r in got], [1, 0.0, 0.0, 1])
            self.assertEqual([r.ok for r in got], [True, False, False, True])
            with self.assertRaises(OracleUnavailable):
                c.score(items[:2])

    def test_nobody_there(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{s.getsockname()[1]}"
        with Client(url, policy=QUICK) as c:
            with self.assertRaisesRegex(OracleUnavailable, "4 tries.*refused"):
                c.score("good", task="t")
            self.assertEqual([r.score for r in c.score([("t", "x")] * 3, on_error="none")], [None] * 3)

    def test_breaker(self):
        up = [True]

        def behave(h, r):
            reply = reply_to(r)
            if not up[0]:
                reply["items"][0].update(status="timeout", score=None, verdict="")
            return reply

        with FakeOracle(behave) as fake, client(fake, on_error="none", breaker=Breaker(0.05, 3, 20)) as c:
            up[0] = False
            c.score([("t", "good")] * 100)  # 1 %
            c.score([("t", "good")] * 100)
            with self.assertRaisesRegex(CircuitOpen, "3 steps"):
                c.score([("t", "good")] * 100)
            up[0] = True
            with self.assertRaises(CircuitOpen):
                c.score("good", task="t")
            with self.assertRaises(CircuitOpen):
                c.submit("good", task="t")
            c.breaker.reset()
            self.assertEqual(c.score("good", task="t").score, 1)
            up[0] = False
            with self.assertRaisesRegex(CircuitOpen, "more than 5%"):
                for _ in range(20):
                    c.score([("t", "good")])


class Together(unittest.TestCase):
    def test_single_items_travel_together(self):
        with FakeOracle() as fake, client(fake) as c, ThreadPoolExecutor(64) as pool:
            want = [float(i % 2) for i in range(400)]
            got = list(pool.map(lambda i: c.score_one(("t", "good" if i % 2 else "bad")).score, range(400)))
            self.assertEqual(got, want)
            self.assertLess(len(fake.requests), 300)
            self.assertLessEqual(max(len(r["items"]) for r in fake.requests), 64)
            self.assertLessEqual(fake.connections, 4)

    def test_rewards_are_not_mixed(self):
        with FakeOracle() as fake, client(fake) as c:
            futures = [c.submit(("t", "good"), spec=s) for s in ("a", "b", "a", None)]
            self.assertEqual([f.result(10).score for f in futures], [1] * 4)
            self.assertEqual({r.get("spec") for r in fake.requests}, {"a", "b", None})

    def test_async(self):
        async def run(url):
            async with planproof.AsyncClient(url, policy=QUICK) as c:
                got = await asyncio.gather(*[c.score("good" if i % 2 else "bad", task="t") for i in range(500)])
                self.assertEqual([r.score for r in got], [float(i % 2) for i in range(500)])
                got = await c.score([("t", "good"), ("t", "bad")])
                self.assertEqual([r.score for r in got], [1, 0])

        with FakeOracle() as fake:
            asyncio.run(run(fake.url))
            self.assertLess(len(fake.requests), 250)

    def test_async_cancellation(self):
        hold = threading.Event()

        def behave(h, r):
            if any("slow" in i["completion"] for i in r["items"]):
                hold.wait(10)
            return reply_to(r)

        async def run(url):
            async with planproof.AsyncClient(url) as c:
                slow = [asyncio.ensure_future(c.score("slow good", task="t")) for _ in range(5)]
                await asyncio.sleep(0.1)
                for task in slow[:3]:
                    task.cancel()
                got = await asyncio.wait_for(c.score("good", task="t"), 5)
                self.assertEqual(got.score, 1)
                with self.assertRaises((asyncio.TimeoutError, TimeoutError)):
                    await asyncio.wait_for(c.score([("t", "slow")]), 0.1)
                hold.set()
                got = await asyncio.gather(*slow, return_exceptions=True)
                self.assertEqual([isinstance(g, asyncio.CancelledError) for g in got], [True] * 3 + [False] * 2)
                self.assertEqual([g.score for g in got[3:]], [1, 1])

        with FakeOracle(behave) as fake:
            asyncio.run(run(fake.url))

    def test_two_event_loops(self):
        with FakeOracle() as fake:
            c = planproof.AsyncClient(fake.url)
            for _ in range(2):
                self.assertEqual(asyncio.run(c.score("good", task="t")).score, 1)
            asyncio.run(c.close())

    def test_failure_reaches_every_waiting_item(self):
        with FakeOracle(lambda h, r: h.answer(401, fault("unauthorized"))) as fake, client(fake) as c:
            futures = [c.submit(("t", "good")) for _ in range(5)]
            for f in futures:
                with self.assertRaises(RequestRefused):
                    f.result(10)

    def test_close_finishes_what_waits(self):
        with FakeOracle() as fake:
            c = client(fake)
            futures = [c.submit(("t", "good")) for _ in range(200)]
            c.close()
            self.assertEqual([f.result(0).score for f in futures], [1] * 200)

    def test_pickle(self):
        with FakeOracle() as fake, client(fake, spec="a", breaker=Breaker(step=7)) as c:
            with pickle.loads(pickle.dumps(c)) as d:
                self.assertEqual(d.score("good", task="t").score, 1)
                self.assertEqual((d.spec, d.policy, d.breaker.step), ("a", QUICK, 7))

    def test_client_that_is_let_go(self):
        import gc
        import weakref

        with FakeOracle() as fake:
            c = client(fake)
            c.submit(("t", "good")).result(10)
            gone = weakref.ref(c)
            del c
            time.sleep(0.05)
            gc.collect()
            self.assertIsNone(gone())


@unittest.skipUnless(hasattr(os, "fork"), "no fork here")
class Fork(unittest.TestCase):
    def test_forked_children_use_connections_of_their_own(self):
        with FakeOracle() as fake, client(fake) as c:
            c.score("good", task="t")
            c.submit(("t", "good")).result(10)
            with c._lock:  # as another thread might, at that moment
                pool = multiprocessing.get_context("fork").Pool(3, initializer=_keep, initargs=(c,))
            with pool:
                self.assertEqual(pool.map(_score_in_child, [i % 2 for i in range(40)], 1), [float(i % 2) for i in range(40)])
            self.assertEqual(c.score("good", task="t").score, 1)
            self.assertGreaterEqual(fake.connections, 3)


_kept = None


def _keep(c):
    global _kept
    _kept = c


def _score_in_child(good):
    word = "good" if good else "bad"
    one, two = _kept.score(word, task="t").score, _kept.score_one(("t", word)).score
    assert one == two
    return one


if __name__ == "__main__":
    unittest.main()
