"""What the clients can be asked beside score, over a pipe and over HTTP."""

import asyncio
import json
import os
import pickle
import signal
import subprocess
import unittest

from tests.support import TASK, FakeOracle, RealOracle, binary, good_plan

from planproof import AsyncClient, Client, Extraction, Mask, OracleUnavailable, Policy, RequestRefused, Start, Truth, Turn, Verdict

QUICK = Policy(tries=4, base=0.01, cap=0.02)
PATIENT = Policy(tries=50, base=0.05, cap=0.2)
STEPS = good_plan().splitlines()[1:-1]


class Both:
    """What holds over a pipe and over HTTP."""

    def client(self, **settings) -> Client:
        raise NotImplementedError

    def kill(self, client: Client) -> None:
        """Kills the oracle of a client; it is there again soon."""
        raise NotImplementedError

    def test_extract(self):
        with self.client() as c:
            x = c.extract(TASK, f"<plan>\n{STEPS[0]}\n{STEPS[1]}\nthrow it, or not\n</plan>")
            self.assertEqual((x.ok, x.found, x.plan, x.lines, x.malformed[0]["text"]), (True, "plan", STEPS[:2], [2, 3], "throw it, or not"))
            self.assertEqual(x.raw["extraction"]["reader"], "strict")
            self.assertEqual(c.extract(TASK, STEPS[0], reader="natural").plan, STEPS[:1])
            self.assertEqual(c.extract(TASK, STEPS[0]).found, "no-plan")
            chat = [{"role": "assistant", "content": good_plan()}]
            nothing, talk = c.batch(Extraction, [(TASK, "none"), {"task": TASK, "completion": chat}])
            self.assertEqual((nothing.found, nothing.plan), ("no-plan", []))
            self.assertEqual(talk.plan, STEPS)

    def test_validate(self):
        with self.client() as c:
            self.assertIs(c.validate(TASK, STEPS).valid, True)
            self.assertEqual(c.validate(TASK, "\n".join(STEPS)).cost, str(len(STEPS)))
            got = c.batch(Verdict, [(TASK, STEPS[:-1]), (TASK, STEPS[1:]), (TASK, ("(fly a)",)), (TASK, "(pick-up a")])
            self.assertEqual([v.failure["kind"] for v in got[:3]], ["goal", "precondition", "unknown-action"])
            self.assertEqual([v.valid for v in got], [False] * 4)
            self.assertEqual((got[0].executed, got[0].ok), (len(STEPS) - 1, True))
            self.assertTrue(got[1].message)

    def test_mask_and_truth(self):
        with self.client() as c:
            self.assertIn(STEPS[0], c.mask(TASK).actions)
            end, bad = c.batch(Mask, [(TASK, STEPS), (TASK, ["(pick-up a)"])])
            self.assertEqual((end.goal, end.done), (True, len(STEPS)))
            self.assertEqual((bad.actions, bad.goal, bad.done, bad.ok), ([], False, 0, True))
            self.assertFalse(c.truth(TASK).known)
            self.assertTrue(c.truth(TASK).message)

    def test_solve_and_check(self):
        with self.client() as c:
            best = c.solve(TASK, {"certificate": True})
            self.assertEqual((best.solvable, best.plan, best.cost), (True, STEPS, str(len(STEPS))))
            self.assertEqual((c.check_certificate(TASK, best.certificate).holds, c.check_certificate("gripper:1", best.certificate).holds), (True, False))
            never = c.solve(TASK, {"step": "(stack a a)", "certificate": True})
            self.assertEqual((never.solvable, never.plan, never.cost), (False, [], None))
            proof = c.check_certificate(TASK, never.certificate)
            self.assertEqual((proof.holds, proof.claim), (True, "unsolvable"))
            short = c.solve(TASK, {"nodes": 1, "search": "ucs()"}, on_error="none")
            self.assertEqual((short.ok, short.solvable, short.cost, short.certificate), (False, None, None, None))
            with self.assertRaises(RequestRefused):
                c.check_certificate(TASK, b"no certificate")

    def test_violations(self):
        domain = """(define (domain d) (:predicates (at ?x) (forbidden-go ?x ?y))
            (:action go :parameters (?x ?y) :precondition (and (at ?x) (not (forbidden-go ?x ?y))) :effect (and (at ?y) (not (at ?x)))))"""
        task = {"domain": domain, "problem": "(define (problem p) (:domain d) (:objects u v w) (:init (at u) (forbidden-go u v)) (:goal (at w)))"}
        with self.client() as c:
            good, bad, none = c.score([(task, "<plan>(go u w)</plan>"), (task, "<plan>\n(go u v)\n(go v u)\n(go u v)\n</plan>"), (TASK, good_plan())])
            self.assertEqual([(r.valid, r.violations) for r in (good, bad, none)], [(True, 0), (False, 2), (True, None)])
            self.assertEqual(bad.message, "step 1 (go u v) is forbidden here")

    def test_what_has_no_answer(self):
        with self.client() as c:
            for call in (lambda **how: c.extract("nope:1", "x", **how), lambda **how: c.validate("nope:1", [], **how),
                         lambda **how: c.truth("nope:1", **how), lambda **how: c.mask("nope:1", **how),
                         lambda **how: c.reset("nope:1", **how), lambda **how: c.step("nope:1", [], "x", **how)):
                with self.assertRaises(RequestRefused):
                    call()
                answer = call(on_error="none")
                self.assertEqual((answer.ok, answer.status, answer.value), (False, "bad_request", {}))
            self.assertIsNone(c.validate("nope:1", [], on_error="zero").valid)  # there is no zero of a verdict
            self.assertIsNone(c.step("nope:1", [], "x", on_error="none").reward)
            for bad in [(Verdict, (TASK,)), (Verdict, 3), (Mask, {}), (Turn, (TASK, [])), (Truth, (None,)), (Mask, (TASK, [], 1))]:
                with self.assertRaises(TypeError):
                    c.batch(bad[0], [bad[1]])

    def test_episode(self):
        with self.client() as c:
            episode = c.episode(TASK)
            self.assertIn("one step at a time", episode.observation["prompt"])
            episode.step("(fly b)")
            self.assertEqual((episode.plan, episode.actions, episode.done), ([], 1, False))
            for n, step in enumerate(STEPS):
                if n == 3:
                    self.kill(c)
                episode.step(step)
            self.assertEqual((episode.done, episode.reward, episode.plan, episode.observation["verdict"]), (True, 1.0, STEPS, "valid"))
            with self.assertRaises(ValueError):
                episode.step(STEPS[0])
            short = c.episode(TASK, spec="shaped", max_steps=2)
            for step in STEPS[:2]:
                short.step(step)
            self.assertEqual((short.done, short.plan, short.observation["verdict"]), (True, STEPS[:2], "goal"))
            self.assertAlmostEqual(short.reward, 0.5 * 2 / len(STEPS))
            with self.assertRaises(ValueError):
                c.episode(TASK, max_steps=0)

    def test_step_rewards(self):
        with self.client(spec="shaped") as c:
            whole, part, none = c.score([good_plan(), f"<plan>\n{STEPS[0]}\n(fly a)\n</plan>", "none"], task=TASK, step_rewards=True)
            self.assertAlmostEqual(sum(whole.step_rewards), whole.score)
            self.assertEqual((whole.step_lines, whole.step_rewards[-1]), (list(range(2, 2 + len(STEPS))), 1.0))
            self.assertEqual((part.step_lines, len(part.step_rewards)), ([2], 2))
            self.assertEqual((none.step_lines, none.step_rewards), ([], [0]))
            self.assertIsNone(c.score("none", task=TASK).step_rewards)
            self.assertEqual(c.submit(good_plan(), task=TASK, step_rewards=True).result(60), c.score(good_plan(), task=TASK, step_rewards=True))
            self.assertIsNone(c.score("x", task="nope:1", step_rewards=True, on_error="none").step_rewards)
            with self.assertRaises(RequestRefused):
                c.score(good_plan(), task=TASK, spec="valid", step_rewards=True)

    def test_async(self):
        async def run(client):
            async with AsyncClient(client=client, spec="valid") as c:
                together = await asyncio.gather(
                    *[c.validate(TASK, STEPS[: i % 7]) for i in range(50)], c.mask(TASK), c.extract(TASK, good_plan()), c.truth(TASK),
                    c.score(good_plan(), task=TASK), c.reset(TASK))
                self.assertEqual([v.valid for v in together[:50]], [i % 7 == 6 for i in range(50)])
                self.assertEqual([type(a) for a in together[50:53]], [Mask, Extraction, Truth])
                self.assertEqual((await c.batch(Verdict, [(TASK, STEPS)]))[0].valid, True)
                episode = await c.episode(TASK, max_steps=len(STEPS) + 1)
                for step in STEPS:
                    await episode.step(step)
                self.assertEqual((episode.done, episode.reward), (True, 1.0))
                with self.assertRaises(RequestRefused):
                    await c.mask("nope:1")
                self.assertFalse((await c.mask("nope:1", on_error="none")).ok)

        asyncio.run(run(self.client()))


class Stdio(Both, unittest.TestCase):
    def client(self, **settings):
        return Client(binary=binary(), policy=PATIENT, **settings)

    def kill(self, client):
        os.kill(client._transport.pid, signal.SIGKILL)


class HTTP(Both, unittest.TestCase):
    def setUp(self):
        self.oracle = RealOracle()
        self.addCleanup(lambda: self.oracle.close())

    def client(self, **settings):
        return Client(self.oracle.url, policy=PATIENT, **settings)

    def kill(self, client):
        self.oracle.close()
        self.oracle = RealOracle(port=self.oracle.port)


def answer(request, value):
    """A reply whose items all have this value."""
    op = request["schema"].split(".")[1].split("/")[0]
    member = {"extract": "extraction", "validate": "verdict", "truth": "truth", "mask": "mask", "step": "result", "reset": "result"}[op]
    return {"schema": request["schema"], "request_id": request["request_id"], "oracle": {},
            "items": [{"id": item["id"], "status": "ok", member: value, "message": ""} for item in request["items"]]}


class Failures(unittest.TestCase):
    """As for scores: what is not of the promised form is asked for again and never believed."""

    def test_hostile_replies(self):
        def spoilt(how):
            def behave(handler, request):
                reply = answer(request, {"valid": True, "executed": 0})
                how(reply)
                return reply

            return behave

        for how in (
            lambda r: r["items"].pop(), lambda r: r["items"][0].pop("verdict"), lambda r: r["items"][0].update(verdict=None),
            lambda r: r["items"][0].update(verdict=True), lambda r: r["items"][0].update(id=7), lambda r: r.update(request_id="other"),
            lambda r: r.update(schema="planproof.score/1"), lambda r: r["items"][0].update(status="bad_request"),
            lambda r: r["items"][0].update(status="fine"),
        ):
            with FakeOracle(spoilt(how)) as fake, Client(fake.url, policy=QUICK, deadline=5) as c:
                with self.assertRaises(OracleUnavailable):
                    c.validate("t", [])
                self.assertEqual(len(fake.requests), 4)
                self.assertIsNone(c.validate("t", [], on_error="none").valid)

    def test_answers_of_another_form_are_none(self):
        seen = {"step": "", "message": "", "actions": ["(a)"]}
        right = {
            Extraction: {"status": "plan", "plan": ["(a)"], "lines": [1]}, Verdict: {"valid": True, "executed": 1, "cost": "1"},
            Mask: {"actions": ["(a)"], "goal": False, "done": 0}, Truth: {"status": "solved-optimally", "cost": "1", "plan": ["(a)"]},
            Start: {"observation": seen, "reward": None, "done": False}, Turn: {"observation": seen, "reward": 0.5, "done": True},
        }
        wrong = {
            Extraction: [{"status": 1}, {"plan": "(a)"}, {"plan": None}, {"lines": ["1"]}, {"malformed": ["x"]}],
            Verdict: [{"valid": "false"}, {"valid": 1}, {"executed": -1}, {"executed": True}, {"cost": 1.5}, {"failure": "goal"}],
            Mask: [{"actions": "(a)"}, {"actions": [1]}, {"actions": None}, {"goal": 0}, {"done": None}], Truth: [{"cost": 1.5}, {"plan": [["a"]]}],
            Start: [{"observation": {}}, {"reward": "0"}, {"done": None}],
            Turn: [{"observation": {**seen, "step": None}}, {"reward": None}, {"reward": float("nan")}, {"reward": True}, {"done": 1}],
        }
        ask = {Extraction: ("t", "x"), Verdict: ("t", []), Mask: ("t",), Truth: ("t",), Start: ("t",), Turn: ("t", [], "x")}
        for kind, told in right.items():
            spoilt = [{**told, **w} for w in wrong[kind]] + [{k: v for k, v in told.items() if k != name} for name in kind.FORM] + [{}]
            for value, good in [(told, True), *((v, False) for v in spoilt)]:
                with self.subTest(kind=kind.OP, value=value), FakeOracle(lambda handler, request: answer(request, value)) as fake:
                    with Client(fake.url, policy=QUICK, deadline=5, on_error="none") as c:
                        got = c.batch(kind, [ask[kind]])[0]
                        self.assertEqual((got.ok, got.status), (good, "ok" if good else "unavailable"))
                        self.assertEqual(len(fake.requests), 1 if good else 4)

    def test_wrong_step_rewards(self):
        from tests.support import reply_to

        for rewards, lines in (([0.5], [1]), ([0.5, 0.6], [1]), (None, None), ([0.5, "0.5"], [1]), ([True, 0], [1]),
                               ([float("nan"), 1], [1]), ([float("inf"), -float("inf")], [1]), ([1e308, 1e308, -1e308], [1, 2]), ([10**400, 1], [1]),
                               ([0.5, 0.5], ["1"]), ([0.5, 0.5], [0]), ([0.5, 0.5], [None])):
            def behave(handler, request):
                reply = reply_to(request)
                for item in reply["items"]:
                    item.update(step_rewards=rewards, step_lines=lines)
                return reply

            with FakeOracle(behave) as fake, Client(fake.url, policy=QUICK, deadline=5) as c:
                with self.assertRaises(OracleUnavailable):
                    c.score("good", task="t", step_rewards=True)

    def test_unavailable_questions_are_asked_again_alone(self):
        def behave(handler, request):
            reply = answer(request, {"actions": ["(a)"], "goal": False, "done": 0})
            if len(fake.requests) == 1:
                reply["items"][1].update(status="unavailable", mask=None)
            return reply

        with FakeOracle(behave) as fake, Client(fake.url, policy=QUICK) as c:
            self.assertEqual([m.actions for m in c.batch(Mask, [("a",), ("b",), ("c",)])], [["(a)"]] * 3)
            self.assertEqual([[i["task"] for i in r["items"]] for r in fake.requests], [["a", "b", "c"], ["b"]])

    def test_questions_of_different_kinds_do_not_mix(self):
        def behave(handler, request):
            self.assertIn(request["schema"], handler.path.replace("/v1/", "planproof.") + "/1")
            return answer(request, {
                **({"done": 0} if "mask/" in request["schema"] else {"done": False}), "valid": True, "executed": 0, "actions": [], "goal": False,
                "observation": {"step": "", "message": "", "actions": []}, "reward": 0})

        async def run(c):
            return await asyncio.gather(*[f for _ in range(20) for f in (c.validate("t", []), c.mask("t"), c.reset("t"), c.step("t", [], "x", spec="valid"),
                                                                        c.step("t", [], "x", spec="shaped"))])

        with FakeOracle(behave) as fake, Client(fake.url) as c:
            got = asyncio.run(run(AsyncClient(client=c)))
            self.assertEqual([type(a) for a in got[:5]], [Verdict, Mask, Start, Turn, Turn])
            self.assertLess(len(fake.requests), 60)
            self.assertEqual({json.dumps(r.get("spec")) for r in fake.requests if "step/" in r["schema"]}, {'"valid"', '"shaped"'})

    def test_answers_pickle(self):
        with FakeOracle(lambda handler, request: answer(request, {"valid": True, "executed": 0})) as fake, Client(fake.url) as c:
            verdict = c.validate("t", [])
            self.assertEqual(pickle.loads(pickle.dumps(verdict)), verdict)
            self.assertIn("valid", repr(verdict))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork(self):
        with Client(binary=binary()) as c:
            self.assertTrue(c.validate(TASK, STEPS).valid)
            pid = os.fork()
            if pid == 0:
                try:
                    os._exit(0 if c.validate(TASK, STEPS).valid and c.mask(TASK).actions else 1)
                finally:
                    os._exit(2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
            self.assertTrue(c.validate(TASK, STEPS).valid)


class Replan(unittest.TestCase):
    """Episodes of several robots against the real oracle."""

    def test_episode(self):
        oracle = RealOracle()
        self.addCleanup(oracle.close)
        for dimensions in ("2", "3"):
            out = subprocess.run([binary(), "boxnet", "generate", "--dimensions", dimensions, "--width", "3", "--objects", "2", "--count", "1"], capture_output=True, check=True)
            row = json.loads(out.stdout)
            with Client(url=oracle.url) as client:
                episode = client.replan(row)
                self.assertIn("one step at a time", episode.observation["prompt"])
                for step in row["plan"]:
                    self.assertFalse(episode.done)
                    seen = episode.step("<think>On.</think>\n```json\n" + json.dumps(step) + "\n```")
                    self.assertEqual(json.loads(seen["step"]), step)
                self.assertEqual((episode.reward, episode.done, seen["verdict"]), (1.1, True, "valid"))
                with self.assertRaises(ValueError):
                    episode.step("more")
                lost = client.replan(row)
                self.assertIn("no block of JSON", lost.step("<think>?</think> nothing")["message"])
                self.assertTrue(lost.done)
                with self.assertRaises(RequestRefused):
                    client.replan({**row, "proved": False})

    def test_async(self):
        """Episodes for asyncio see what the others see."""
        oracle = RealOracle()
        self.addCleanup(oracle.close)
        out = subprocess.run([binary(), "boxnet", "generate", "--width", "2", "--height", "2", "--objects", "1", "--count", "1"], capture_output=True, check=True)
        row = json.loads(out.stdout)
        steps = ["<think>On.</think>\n```json\n" + json.dumps(step) + "\n```" for step in row["plan"]]
        plans = ["<plan>\n(fly a b)\n</plan>", good_plan(), good_plan()]

        async def run(client):
            async with AsyncClient(client=client) as c:
                replan, adaptive = await asyncio.gather(c.replan(row), c.adaptive(TASK, profile={"seed": 1, "rounds": 1}))
                seen = [(replan.observation, adaptive.observation)]
                for answer in steps:
                    seen.append(await replan.step(answer))
                for answer in plans:
                    if not adaptive.done:
                        seen.append(await adaptive.propose(answer))
                return seen, replan.reward, adaptive.reward, adaptive.done

        with Client(url=oracle.url) as client:
            replan, adaptive = client.replan(row), client.adaptive(TASK, profile={"seed": 1, "rounds": 1})
            seen = [(replan.observation, adaptive.observation)] + [replan.step(answer) for answer in steps]
            for answer in plans:
                if not adaptive.done:
                    seen.append(adaptive.propose(answer))
            self.assertEqual(asyncio.run(run(client)), (seen, replan.reward, adaptive.reward, adaptive.done))
            self.assertEqual(replan.reward, 1.1)

if __name__ == "__main__":
    unittest.main()
