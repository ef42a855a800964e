"""planproof.rewards, and the adapters over it with stand-ins of their trainers' forms; contract/ has
the real trainers."""

import asyncio
import json
import os
import subprocess
import sys
import types
import unittest
from types import SimpleNamespace
from unittest import mock

from tests.support import TASK, binary, good_plan

from planproof import CircuitOpen, OracleUnavailable, RequestRefused, openrlhf, rllm, slime
from planproof.nemo_rl import make_environment
from planproof.rewards import Judge, after_prompt, ended, item_of, metrics, task_of
from planproof.trl_adapt import PlanAdaptEnv
from planproof.trl_step import PlanStepEnv
from planproof.turns import AdaptiveConversation, Conversation, step_in

#: A plan whose block is not closed: all of it if the answer ended here, nothing if it was cut off.
OPEN = good_plan().removesuffix("</plan>")
#: Only the natural reader reads such a plan.
ROW = json.dumps({"task": TASK, "reader": "natural"})
DOWN = {"url": "http://127.0.0.1:9", "deadline": 0.05}


class Case(unittest.TestCase):
    def setUp(self):
        env = {"PLANPROOF_BIN": binary(), "PLANPROOF_URL": "", "PLANPROOF_EOS": ""}
        self.enterContext(mock.patch.dict(os.environ, env)) if hasattr(self, "enterContext") else os.environ.update(env)
        for module in (openrlhf, slime, rllm):
            module.judge.cache_clear()


class Rows(Case):
    def test_where_the_task_is(self):
        text = json.dumps({"task": TASK, "gold": {"steps": 6}})
        for row in (TASK, {"task": TASK}, {"label": TASK}, {"ground_truth": TASK}, {"reward_model": {"style": "rule", "ground_truth": TASK}},
                    {"reward_spec": {"ground_truth": TASK}}, {"extra_env_info": {"ground_truth": TASK}}, {"task": "x", "ground_truth": TASK}):
            self.assertEqual(task_of(row), TASK, row)
        self.assertEqual(item_of({"label": text}, "a").gold, {"steps": 6})
        self.assertEqual(item_of({"task": TASK, "gold": '{"steps": 6}', "budget": 7}, "a")[3:5], ({"steps": 6}, 7))
        texts = {"domain_text": "D", "problem_text": "P"}
        self.assertEqual(item_of(texts, "a").task, {"domain": "D", "problem": "P"})
        with self.assertRaises(RequestRefused):
            item_of({"id": 1}, "a")

    def test_ends(self):
        for text, marks, want in (
            ("x<|im_end|>", None, ("x", None)), ("x<|im_end|>", ["<|im_end|>"], ("x", "stop")), ("x", ["<|im_end|>"], ("x", "length")),
            ("x</s>\n", ["</s>"], ("x", "stop")), ("x END", ["END"], ("x ", "stop")), ("<|im_end|> x", ["<|im_end|>"], ("<|im_end|> x", "length")),
            ("x<|im_end|>\n<|endoftext|>", ["<|endoftext|>"], ("x", "stop")), ("", ["</s>"], ("", "length")), ("x", [], ("x", None)),
        ):
            self.assertEqual(ended(text, marks), want, (text, marks))
        with mock.patch.dict(os.environ, {"PLANPROOF_EOS": "</s> <eos>"}):
            self.assertEqual(ended("x<eos>"), ("x", "stop"))

    def test_a_plan_in_the_prompt_is_no_answer(self):
        self.assertEqual(after_prompt("<s>" + good_plan() + "I pass", good_plan()), "I pass")
        with self.assertRaises(RequestRefused):
            after_prompt(good_plan(), "another prompt")

    def test_steps(self):
        for text, step in (("(a b)", "(a b)"), ("I think\n (a b) \n\n", "(a b)"), ("<action>(c)</action> and <action>\n(a b)\n</action>!", "(a b)"), ("", ""),
                           ("So:\n<plan>\n(a b)\n</plan>\n", "So:\n<plan>\n(a b)\n</plan>\n")):
            self.assertEqual(step_in(text), step)


class Judged(Case):
    def test_batch(self):
        results = Judge("valid", reader="natural")([TASK, {"task": TASK}, TASK, TASK], [good_plan(), OPEN, OPEN, OPEN], [None, "stop", "length", None])
        self.assertEqual([r.score for r in results], [1, 1, 0, 0])
        self.assertEqual([metrics(r)["valid"] for r in results], [1, 1, 0, 0])
        self.assertEqual(asyncio.run(Judge("valid", reader="natural").one(TASK, OPEN, "length")).score, 0)
        strict = Judge("valid")([TASK, ROW, {"task": TASK, "reader": "natural"}], [OPEN] * 3, ["stop"] * 3)
        self.assertEqual([(r.score, r.reader) for r in strict], [(0, "strict"), (1, "natural"), (1, "natural")])
        with self.assertRaises(ValueError):
            Judge("valid", reader="lax")([TASK], [OPEN])
        with self.assertRaises(ValueError):
            Judge()([TASK], [])
        with self.assertRaises(RequestRefused):
            Judge()(["nope:1"], ["x"])

    def test_outage_raises_and_then_stops(self):
        judge = Judge(**DOWN)
        with self.assertRaises(OracleUnavailable):
            judge([TASK], [good_plan()])
        with self.assertRaises(CircuitOpen):
            for _ in range(200):
                try:
                    judge([TASK], [good_plan()])
                except OracleUnavailable:
                    pass


class Adapters(Case):
    def test_openrlhf(self):
        torch = types.ModuleType("torch")
        torch.tensor, torch.float = lambda values, dtype=None: list(values), "float"
        with mock.patch.dict(sys.modules, {"torch": torch}), mock.patch.dict(os.environ, {"PLANPROOF_EOS": "</s>"}):
            out = openrlhf.reward_func([f"<s>Plan.{a}" for a in (OPEN + "</s>", OPEN)], ["Plan."] * 2, [ROW] * 2)
        self.assertEqual(out, {"rewards": [1, 0], "scores": [1, 0], "extra_logs": {"plan_valid": [1.0, 0.0]}})

    def test_slime(self):
        def sample(answer, status):
            return SimpleNamespace(prompt="Plan.", response=answer, label=ROW, status=SimpleNamespace(value=status))

        samples = [sample(OPEN, "completed"), sample(OPEN, "truncated"), sample("nothing", "completed")]
        self.assertEqual(asyncio.run(slime.reward(None, samples)), [1, 0, 0])
        self.assertEqual(asyncio.run(slime.reward(None, samples[0])), 1)

    def test_rllm(self):
        episode = SimpleNamespace(artifacts={}, trajectories=[SimpleNamespace(output=None, steps=[SimpleNamespace(output=None, model_response=OPEN)])],
                                  termination_reason=None)
        self.assertEqual(rllm.plan_evaluator({"task": ROW}, episode)["reward"], 1)
        episode.termination_reason = SimpleNamespace(value="max_response_length_exceeded")
        self.assertEqual(rllm.plan_evaluator(SimpleNamespace(metadata={"task": TASK}), episode)["is_correct"], False)
        self.assertEqual(rllm.answer_of(SimpleNamespace(artifacts={}, trajectories=[])), "")

    def test_an_outage_raises_everywhere(self):
        with mock.patch.dict(os.environ, {"PLANPROOF_URL": DOWN["url"]}):
            for module in (slime, rllm):
                module.judge.cache_clear()
                self.addCleanup(module.judge.cache_clear)
                module.judge().settings["deadline"] = 0.05
            with self.assertRaises(OracleUnavailable):
                rllm.plan_evaluator({"task": TASK}, SimpleNamespace(artifacts={"answer": "x"}))
            with self.assertRaises(OracleUnavailable):
                asyncio.run(slime.reward(None, SimpleNamespace(response="x", label=TASK, status="completed")))
        made = make_environment(object, dict)
        with self.assertRaises(OracleUnavailable):
            made(DOWN).step([[{"role": "assistant", "content": "x"}]], [{"task": TASK}])


class Turns(Case):
    def test_conversation(self):
        talk = Conversation(TASK, spec="valid", max_steps=20)
        self.assertIn("one step at a time", talk.prompt)
        self.assertRegex(talk.take("jump"), r"^The step cannot be executed: \(jump\): there is no action jump\. Now the blue block is clear")
        told = [talk.take(step) for step in good_plan().splitlines()[1:-1]]
        self.assertTrue(all(text.startswith("Now ") for text in told[:-1]), told)
        self.assertEqual((told[-1], talk.done, talk.reward), ("The goal holds.", True, 1.0))

    def test_no_turns_left(self):
        talk = Conversation(TASK, max_steps=1)
        self.assertRegex(talk.take("jump"), "^It is over")
        self.assertEqual((talk.done, talk.reward), (True, 0.0))

    def test_trl(self):
        env = PlanStepEnv()
        self.assertIn("take_step", env.reset(prompt=[], task=TASK))
        for step in good_plan().splitlines()[1:-1]:
            self.assertEqual(env.get_reward(), 0.0)
            env.take_step(step)
        self.assertEqual((env.get_reward(), env.take_step("x")), (1.0, "The episode is over."))
        env.reset(task=TASK)
        self.assertEqual(env.get_reward(), 0.0)
        down = type("Down", (PlanStepEnv,), {"settings": DOWN})()
        self.assertIsNone(down.reset(task=TASK))
        self.assertEqual(down.take_step("x"), "The environment is not available.")
        with self.assertRaises(OracleUnavailable):
            down.get_reward()
        down.on_error = "none"
        self.assertIsNone(down.get_reward())

    def test_adaptive(self):
        """The profile that the command draws is the oracle's: its witness passes, and the violated constraints
        of another plan are told, each of them once as new."""
        task, profile = "blocksworld:4-17", {"seed": 1, "rounds": 2}
        hidden = json.loads(subprocess.run([binary(), "episode", "profile", task, "--seed", "1", "--rounds", "2", "--json"], capture_output=True, check=True).stdout)
        witness = "<plan>\n" + "\n".join(hidden["witness"]) + "\n</plan>"
        talk = AdaptiveConversation(task, profile, spec="valid")
        self.assertIn("constraints that you are not told", talk.prompt)
        self.assertNotIn(hidden["user"][0], json.dumps(talk.episode.observation))
        self.assertRegex(talk.take(good_plan(task)), "^The plan violates: ")
        told = talk.episode.observation["disclosed"]
        self.assertTrue(told and set(told) <= set(hidden["world"] + hidden["user"]), told)
        self.assertRegex(talk.take(good_plan(task)), "^You were told before")
        self.assertEqual((talk.episode.observation["repeated"], talk.done, talk.reward), (told, False, 0.0))
        self.assertEqual((talk.take(witness), talk.done, talk.reward), ("The plan keeps every constraint.", True, 1.0))
        with self.assertRaisesRegex(ValueError, "over"):
            talk.take(witness)
        self.assertRaises(RequestRefused, AdaptiveConversation, task, {"rounds": 9})

    def test_trl_adaptive(self):
        task = "blocksworld:4-17"
        env = PlanAdaptEnv()
        self.assertIn("propose_plan", env.reset(prompt=[], task=task, profile={"seed": 1, "rounds": 2, "other": None}))
        plan = "\n".join(good_plan(task).splitlines()[1:-1])
        said = [env.propose_plan(plan) for _ in range(4)]
        self.assertEqual((said[0][:19], said[2][:10], said[3], env.get_reward()), ("The plan violates: ", "It is over", "The episode is over.", 0.0))
        self.assertEqual({name for name in dir(env) if not name.startswith("_") and callable(getattr(env, name))}, {"reset", "propose_plan", "get_reward"})
        down = type("Down", (PlanAdaptEnv,), {"settings": DOWN, "on_error": "none"})()
        self.assertIsNone(down.reset(task=task))
        self.assertEqual((down.propose_plan("x"), down.get_reward()), ("The environment is not available.", None))


if __name__ == "__main__":
    unittest.main()
