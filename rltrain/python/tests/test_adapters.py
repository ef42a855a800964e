"""The adapters, called exactly as each trainer calls them."""

import asyncio
import functools
import inspect
import json
import math
import multiprocessing
import os
import pickle
import tempfile
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace

from tests.support import FakeOracle, binary, reply_to

from planproof import Breaker, CircuitOpen, OracleUnavailable, PlanproofError, RequestRefused, ray, trl, verl, verl_plugin
from planproof._adapt import completion_text, read_item, read_task
from planproof.openenv import make_client

SHORT = 0.4  # seconds until the oracle counts as unavailable


def down(handler, request):
    """An oracle whose items are all unavailable."""
    reply = reply_to(request)
    for item in reply["items"]:
        item.update(status="unavailable", score=None, verdict="", components={})
    return reply


def refuse(handler, request):
    """An oracle that knows no task."""
    reply = reply_to(request)
    for item in reply["items"]:
        item.update(status="bad_request", score=None, verdict="", components={}, message="unknown task")
    return reply


class Reading(unittest.TestCase):
    def test_tasks(self):
        for value, want in [
            ("blocksworld:3-5", "blocksworld:3-5"), ('{"task": "sha256:00", "gold": 6}', "sha256:00"),
            ({"task": "t"}, "t"), ('{"domain": "d", "problem": "p"}', {"domain": "d", "problem": "p"}),
            ({"domain_text": "d", "problem_text": "p"}, {"domain": "d", "problem": "p"}),
        ]:
            self.assertEqual(read_task(value), want)
        for bad in ("", None, 3, {}, "{", '{"gold": 1}', {"domain": "d"}, {"task": ""}):
            with self.assertRaises(RequestRefused):
                read_task(bad)

    def test_what_is_known(self):
        gold = {"plan": ["(a)"], "steps": 1}
        row = json.dumps({"task": "t", "gold": gold, "budget": "6"})
        self.assertEqual(read_item(row, "x"), ("t", "x", "length", gold, "6", None, None))
        self.assertEqual(read_item("t", "x", "length", {"gold": json.dumps(gold), "budget": None}), ("t", "x", "length", gold, None, None, None))
        self.assertEqual(read_item(json.dumps({"task": "t", "reader": "natural"}), "x").reader, "natural")
        with FakeOracle() as fake:
            trl.make_reward("budget", url=fake.url)(completions=["good"], task=["t"], gold=[gold], budget=[6], reader=["natural"])
            verl.compute_score_sync("d", "good", row, url=fake.url, reader="strict")
            sent = [r["items"][0] for r in fake.requests]
            self.assertEqual([(i["gold"], i["budget"]) for i in sent], [(gold, 6), (gold, "6")])
            self.assertEqual([(r.get("reader"), r["items"][0].get("reader")) for r in fake.requests], [(None, "natural"), ("strict", None)])

    def test_completions(self):
        said = SimpleNamespace
        for value, want in [
            ("a", "a"), ([{"role": "assistant", "content": "a"}], "a"), ([], ""),
            ([{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}, {"role": "assistant", "content": "c"},
              {"role": "user", "content": "d"}], "c"),
            ([{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], "ab"),
            ([{"role": "assistant", "content": None}], ""), ([said(role="assistant", content="a")], "a"),
        ]:
            self.assertEqual(completion_text(value), want)


class Verl(unittest.TestCase):
    def setUp(self):
        verl._breaker.reset()
        self.addCleanup(verl._breaker.reset)

    def test_naive_manager_async(self):
        """reward_loop: keywords, through functools.partial, hundreds at the same time."""
        with FakeOracle() as fake:
            fn = functools.partial(verl.compute_score, url=fake.url, spec="process")
            self.assertTrue(inspect.iscoroutinefunction(fn))

            async def run():
                return await asyncio.gather(*[
                    fn(data_source="planproof/blocksworld", solution_str="good" if i % 2 else "bad",
                       ground_truth='{"task": "t"}', extra_info={"index": i, "num_turns": 1},
                       reward_router_address=None, reward_model_tokenizer=None)
                    for i in range(300)])

            got = asyncio.run(run())
            self.assertEqual([g["score"] for g in got], [float(i % 2) for i in range(300)])
            self.assertEqual({tuple(g) for g in got}, {verl.KEYS})
            self.assertEqual({tuple(type(v) for v in g.values()) for g in got},
                             {(float,) * 7 + (int, int, float, str, float)})
            self.assertLess(len(fake.requests), 150)
            self.assertEqual(fake.requests[0]["spec"], "process")

    def test_threads_main_eval_and_prime(self):
        with FakeOracle() as fake:
            os.environ["PLANPROOF_URL"] = fake.url
            self.addCleanup(os.environ.pop, "PLANPROOF_URL")
            with ThreadPoolExecutor(16) as pool:
                got = list(pool.map(lambda i: verl.compute_score_sync("d", "good", "t", None), range(50)))
            self.assertEqual({g["acc"] for g in got}, {1.0})
            self.assertEqual(verl.compute_score_sync("d", "bad", '{"task": "t"}')["score"], 0.0)
            if hasattr(os, "fork"):
                with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("fork")) as pool:
                    futures = [pool.submit(verl.compute_score_sync, "d", "good" if i % 2 else "bad", "t", {}) for i in range(20)]
                    self.assertEqual([f.result(60)["score"] for f in futures], [float(i % 2) for i in range(20)])

    def test_batch(self):
        with FakeOracle() as fake:
            got = verl.compute_score_batch(data_sources=["d"] * 3, solution_strs=["good", "bad", "good"],
                                           ground_truths=["t"] * 3, extra_infos=[{}, None, {"finish": "length"}], url=fake.url)
            self.assertEqual([g["score"] for g in got], [1, 0, 1])
            self.assertEqual(len(fake.requests), 1)
            self.assertEqual([i.get("finish") for i in fake.requests[0]["items"]], ["length", "length", "length"])
            with self.assertRaises(ValueError):
                verl.compute_score_batch(["d"], ["a", "b"], ["t"], [None], url=fake.url)

    def test_outage_raises_or_is_marked_and_stops(self):
        with FakeOracle(down) as fake:
            with self.assertRaises(OracleUnavailable):
                verl.compute_score_sync("d", "good", "t", url=fake.url, deadline=SHORT)
            got = verl.compute_score_sync("d", "good", "t", url=fake.url, deadline=SHORT, on_error="zero")
            self.assertEqual((tuple(got), got["score"], got["oracle_ok"], got["verdict"]), (verl.KEYS, 0.0, 0.0, "unavailable"))
            with self.assertRaises(ValueError):
                verl.compute_score_sync("d", "good", "t", url=fake.url, on_error="none")
            with self.assertRaises(CircuitOpen):
                verl.compute_score_batch(["d"] * 100, ["x"] * 100, ["t"] * 100, url=fake.url, deadline=SHORT, on_error="zero")
            with self.assertRaises(CircuitOpen):
                asyncio.run(verl.compute_score("d", "x", "t", url=fake.url))

    def test_bad_row_raises(self):
        with FakeOracle(refuse) as fake, self.assertRaises(RequestRefused):
            verl.compute_score_sync("d", "good", "t", url=fake.url)

    def test_components(self):
        result = SimpleNamespace(score=100, valid=True, components={"format": 20, "plan": 50, "bonus": 30, "valid": 1}, plan_len=6,
                                 ref_len=6, optimality_gap=2, verdict="valid", status="ok", ok=True)
        self.assertEqual(list(verl.flatten(result).values()), [100, 1, 20, 1, 50, 0, 30, 6, 6, 2, "valid", 1])


class Array(list):
    """As much of a tensor as the reward manager asks for."""

    @property
    def shape(self):
        return (len(self),)

    def sum(self):
        return sum(self)

    def __getitem__(self, i):
        got = super().__getitem__(i)
        return Array(got) if isinstance(i, slice) else got


class Protocol(list):
    def __getitem__(self, i):
        got = super().__getitem__(i)
        return Protocol(got) if isinstance(i, slice) else got


class VerlManager(unittest.TestCase):
    def manager(self, url, base, **config):
        tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: " ".join(map(str, ids)).replace("7", "good"), eos_token_id=2)
        config = {"reward": {"reward_kwargs": {"url": url, "ignored": 1}}, **config}
        return verl_plugin.make_manager(base)(config=config, tokenizer=tokenizer, compute_score=None,
                                              reward_router_address=None, reward_model_tokenizer=None)

    def data(self, responses, mask):
        batch = {"responses": Array(responses), "attention_mask": Array([0, 1, 1] + mask)}
        return Protocol([SimpleNamespace(batch=batch, non_tensor_batch={
            "data_source": "d", "reward_model": {"style": "rule", "ground_truth": "t"}, "extra_info": {"index": 0}})])

    def test_run_single(self):
        class New:
            def __init__(self, config, tokenizer, compute_score):
                pass

        class Old:
            def __init__(self, config, tokenizer):
                pass

        for base in (New, Old):
            with FakeOracle() as fake:
                manager = self.manager(fake.url, base)
                for responses, mask, finish in [([7, 5, 2], [1, 1, 1], "stop"), ([7, 5, 6], [1, 1, 1], "length"), ([7, 2, 0], [1, 1, 0], "stop")]:
                    got = asyncio.run(manager.run_single(self.data(responses, mask)))
                    self.assertEqual(got["reward_score"], 1.0)
                    self.assertEqual(tuple(got["reward_extra_info"]), verl.KEYS)
                    self.assertEqual(fake.requests[-1]["items"][0].get("finish"), finish)
                self.assertEqual(fake.requests[-1]["items"][0]["completion"], "good 2")

    def test_warns_of_keys_that_verl_ignores(self):
        with self.assertWarnsRegex(UserWarning, "reward.custom_reward_function.path"):
            self.manager("http://x", type("B", (), {"__init__": lambda self, *a: None}), custom_reward_function={"path": "x.py"})


class TRL(unittest.TestCase):
    def call(self, fn, completions, **columns):
        """As GRPOTrainer._calculate_rewards does."""
        columns.setdefault("task", ["t"] * len(completions))
        return fn(prompts=["p"] * len(completions), completions=completions, completion_ids=[[1]] * len(completions),
                  trainer_state=SimpleNamespace(global_step=0), log_extra=lambda c, v: None,
                  log_metric=lambda n, v: self.logged.update({n: v}), **columns)

    def setUp(self):
        self.logged = {}

    def test_plain_and_conversational(self):
        with FakeOracle() as fake:
            fn = trl.make_reward("valid", url=fake.url)
            self.assertEqual(self.call(fn, ["good", "bad"]), [1.0, 0.0])
            self.assertEqual(self.call(fn, [[{"role": "assistant", "content": "good"}], [{"role": "assistant", "content": ""}]],
                                       ground_truth=['{"task": "t"}'] * 2), [1.0, 0.0])
            self.assertEqual(len(fake.requests), 2)
            self.assertEqual(self.logged, {"plan_valid/oracle_ok": 1.0})
            self.assertEqual(self.call(fn, []), [])
            part = trl.make_reward("process", component="valid", url=fake.url)
            self.assertEqual(self.call(part, ["good"]), [1.0])
            with self.assertRaisesRegex(RequestRefused, "no part 'nope'"):
                self.call(trl.make_reward("process", component="nope", url=fake.url), ["good"])

    def test_names_and_pickle(self):
        names = [f.__name__ for f in (trl.plan_valid, trl.plan_process, trl.plan_format, trl.make_reward("process-skip"))]
        self.assertEqual(names, ["plan_valid", "plan_process", "plan_format", "plan_process_skip"])
        copy = pickle.loads(pickle.dumps(trl.plan_format))
        self.assertEqual((copy.__name__, copy.spec, copy.component), ("plan_format", "format", None))
        self.assertFalse(inspect.iscoroutinefunction(trl.plan_valid))

    def test_outage_is_none_and_then_stops(self):
        some = [True]

        def behave(handler, request):
            if len(request["items"]) > 1 or not some[0]:
                reply = reply_to(request)
                reply["items"][0].update(status="unavailable", score=None, verdict="")
                return reply
            return down(handler, request)

        with FakeOracle(behave) as fake:
            raising = trl.make_reward("valid", url=fake.url, deadline=SHORT)
            raising.breaker = Breaker(share=0.5, step=8)
            with self.assertRaises(OracleUnavailable):
                self.call(raising, ["good"] * 8)
            fn = trl.make_reward("valid", url=fake.url, deadline=SHORT, on_error="none")
            fn.breaker = Breaker(share=0.5, step=8)
            completions = ["good"] * 8
            for _ in range(2):
                self.assertEqual(self.call(fn, completions), [None] + [1.0] * 7)
                self.assertAlmostEqual(self.logged["plan_valid/oracle_ok"], 7 / 8)
            with self.assertRaisesRegex(CircuitOpen, "3 steps"):
                self.call(fn, completions)

    def test_rows_are_left_out_by_all_functions(self):
        """None from one function is a low total for TRL, which adds up what the others say."""
        def first_is_missing(handler, request):
            reply = reply_to(request)
            if request["spec"] == "process":
                for item, asked in zip(reply["items"], request["items"]):
                    if "lost" in asked["completion"]:
                        item.update(status="unavailable", score=None, verdict="", components={})
            return reply

        calls = []

        def length(completions, **columns):
            calls.append(len(completions))
            return [None if "none" in c else float(len(c)) for c in completions]

        with FakeOracle(first_is_missing) as fake:
            ours = [trl.make_reward(spec, url=fake.url, deadline=SHORT) for spec in ("valid", "process")]
            for fn in ours:
                fn.breaker = Breaker(share=1.0, streak=1000, step=8)
            together = trl.leave_out(*ours, length)
            self.assertEqual([f.__name__ for f in together], ["plan_valid", "plan_process", "length"])
            for batch in (["good", "good lost", "good none"], ["good", "bad", "lost"], ["good"]):
                got = [self.call(fn, batch) for fn in together]
                self.assertEqual([[r is None for r in row] for row in got],
                                 [["lost" in c or "none" in c and k == 2 for c in batch] for k in range(3)])
            self.assertEqual(calls, [3, 3, 1])
            batch = ["good", "lost"]
            copies = pickle.loads(pickle.dumps(trl.leave_out(*ours)))
            for fn in copies:
                fn._together.functions[1].breaker = Breaker(share=1.0, streak=1000, step=8)
                self.assertEqual(self.call(fn, batch), [1.0, None])
            with self.assertRaises(CircuitOpen):
                fn = trl.leave_out(trl.make_reward("process", url=fake.url, deadline=SHORT))[0]
                for _ in range(3):
                    self.call(fn, ["lost"] * 8)

        async def later(completions, **columns):
            return []

        for bad in (later, type("Model", (), {"forward": None, "__call__": None})(), 3):
            with self.assertRaises(TypeError):
                trl.leave_out(bad)
        with self.assertRaisesRegex(ValueError, "penalty"):
            trl.make_reward(on_error="zero")

    def test_where_an_answer_ends(self):
        with FakeOracle() as fake:
            for eos, ids, finish, want in ((None, [[1], [2]], None, ["length", "length"]), (2, [[1], [1, 2]], None, ["length", "stop"]),
                                           ([1, 2], [[1], []], None, ["stop", "length"]), (2, [[1], [2]], ["stop", "length"], ["stop", "length"])):
                fn = trl.make_reward("valid", url=fake.url, eos=eos)
                fn(completions=["x", "y"], task=["t", "t"], completion_ids=ids, finish=finish)
                self.assertEqual([i["finish"] for i in fake.requests[-1]["items"]], want, (eos, ids))

    def test_bad_data_set_raises(self):
        with FakeOracle(refuse) as fake:
            fn = trl.make_reward("valid", url=fake.url)
            with self.assertRaises(RequestRefused):
                self.call(fn, ["good"])
            with self.assertRaisesRegex(RequestRefused, "none of the columns"):
                self.call(fn, ["good"], task=None)

    def test_environment(self):
        with FakeOracle() as fake:
            env_class = type("Env", (trl.PlanEnv,), {"settings": {"url": fake.url}})
            env = env_class()
            self.assertIsNone(env.reset(prompt=[{"role": "user", "content": "x"}], task="t", answer=None))
            self.assertEqual(env.get_reward(), 0.0)
            self.assertEqual(env.check_plan("(good)"), "The plan is valid.")
            self.assertIn("not valid", env.check_plan("(x)"))
            env.submit_plan("(good)")
            self.assertEqual(env.get_reward(), 1.0)
            env.reset(task="u")
            self.assertEqual(env.get_reward(), 0.0)
            for name, method in inspect.getmembers(env_class, inspect.isfunction):  # what TRL makes tools of
                if not name.startswith("_") and name not in ("reset", "get_reward"):
                    self.assertIn("Args:", inspect.getdoc(method))
                    self.assertTrue(all(p.annotation is not p.empty for p in list(inspect.signature(method).parameters.values())[1:]))

    def test_dpo_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pairs.jsonl")

            def write(*rows):
                with open(path, "w") as f:
                    f.writelines((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)

            good = {"prompt": "p", "chosen": "a", "rejected": "b", "meta": "{}"}
            chat = {k: [{"role": "user", "content": v}] for k, v in good.items() if k != "meta"}
            write(good, "", chat)
            self.assertEqual(trl.load_dpo(path), [good, chat])
            for bad in ("{", "[]", '{"prompt":"p","prompt":"q","chosen":"a","rejected":"b"}', {**good, "chosen": ""}, {**good, "rejected": "a"}, {**good, "chosen": chat["chosen"]}):
                write(good, bad)
                with self.assertRaisesRegex(ValueError, "pairs.jsonl:2: "):
                    trl.load_dpo(path)


class RayData(unittest.TestCase):
    def test_batches(self):
        with FakeOracle() as fake:
            score = ray.ScoreBatch(url=fake.url, spec="valid", finish="finish")
            got = score({"task": ["t"] * 3, "completion": ["good", "bad", [{"role": "assistant", "content": "good"}]],
                         "finish": [None, "length", "stop"], "row": [1, 2, 3]})
            self.assertEqual(list(got), ["task", "completion", "finish", "row", *ray.COLUMNS])
            self.assertEqual((got["score"], got["valid"], got["row"]), ([1.0, 0.0, 1.0], [True, False, True], [1, 2, 3]))

    def test_outage(self):
        with FakeOracle(down) as fake:
            got = ray.ScoreBatch(url=fake.url, deadline=SHORT)({"task": ["t"], "completion": ["good"]})
            self.assertTrue(math.isnan(got["score"][0]))
            self.assertEqual(got["status"], ["unavailable"])


class GroundTruth(unittest.TestCase):
    def truth(self, batch, **settings):
        got = ray.GroundTruth(binary=binary(), **settings)(batch)
        self.assertEqual(list(got), [*batch, *ray.TRUTH_COLUMNS])
        return list(zip(*(got[c] for c in ray.TRUTH_COLUMNS)))

    def test_every_row_is_told(self):
        domain = "(define (domain d) (:requirements :action-costs) (:predicates (at ?x)) (:functions (total-cost) - number) (:action go :parameters (?x ?y) :precondition (at ?x) :effect (and (at ?y) (not (at ?x)) (increase (total-cost) 2.5))))"
        problem = "(define (problem p) (:domain d) (:objects u v) (:init (at u) (= (total-cost) 0)) (:goal (at v)) (:metric minimize (total-cost)))"
        rows = ["blocksworld:3-5", json.dumps({"domain": domain, "problem": problem}), "nosuch:1", "", "blocksworld:3-5",
                {"domain": "(define", "problem": "x"}, {"domain": domain, "problem": problem.replace("(:goal (at v))", "(:goal (and (at u) (at v)))")}]
        got = self.truth({"task": rows})
        self.assertEqual([g[0] for g in got], ["solved-optimally", "solved-optimally", "error", "error", "solved-optimally", "error", "unsolvable"])
        self.assertEqual([g[1] for g in got], ["6", "2.5", "", "", "6", "", ""])
        self.assertEqual([g[2] for g in got], [6, 1, -1, -1, 6, -1, -1])
        self.assertEqual(got[0], got[4])
        self.assertEqual(json.loads(got[1][3]), ["(go u v)"])
        self.assertTrue(all(g[4] for g in got if g[0] == "error") and not got[0][4])
        self.assertIn("malformed-file", got[5][4])

    def test_schedules_and_limits(self):
        got = self.truth({"t": ["blocksworld:3-5"] * 2, "how": ["put-down=20,*=1", None]}, task="t", schedule="how")
        self.assertEqual([g[1] for g in got], ["44", "6"])
        self.assertEqual(self.truth({"task": ["blocksworld:6-5000000"]}, memory="100KB")[0][0], "memout")
        self.assertEqual(self.truth({"task": []}), [])

    def test_a_program_that_fails_is_no_row(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "planproof")
            with open(path, "w") as f:
                f.write("#!/bin/sh\necho out of order >&2\nexit 9\n")
            os.chmod(path, 0o755)
            with self.assertRaisesRegex(PlanproofError, "out of order"):
                ray.GroundTruth(binary=path)({"task": ["blocksworld:3-5"]})


class OpenEnv(unittest.TestCase):
    def test_messages(self):
        class Base:
            def __init__(self, base_url):
                self._set_base_url(base_url)

            def _set_base_url(self, base_url):
                self.url = base_url

        for kind, member in (("plan_once", "plan"), ("plan_step", "action")):
            env = make_client(Base, kind, SimpleNamespace)("http://localhost:1/")
            self.assertEqual(env.url, f"http://localhost:1/{kind}")
            self.assertEqual(env._step_payload("x"), {member: "x"})
            self.assertEqual(env._step_payload({member: "x", "finish": "length"}), {member: "x", "finish": "length"})
            with self.assertRaises(TypeError):
                env._step_payload(3)
            got = env._parse_result({"observation": {"prompt": "p"}, "reward": None, "done": False})
            self.assertEqual((got.observation.prompt, got.reward, got.done), ("p", None, False))


class Plugins(unittest.TestCase):
    def test_registering_without_the_trainer_warns(self):
        try:
            import verl as real  # noqa: F401

            self.skipTest("verl is installed")
        except ImportError:
            pass
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertFalse(verl_plugin.register())
        self.assertEqual(len(caught), 1)


if __name__ == "__main__":
    unittest.main()
