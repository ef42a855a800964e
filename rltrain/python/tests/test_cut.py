"""One answer, cut off inside its plan and not, through every adapter that runs without its trainer:
the rewards must be the same."""

import asyncio
import os
import sys
import unittest
from types import ModuleType, SimpleNamespace
from unittest import mock

from tests.support import TASK, binary, good_plan

from planproof import Client, openrlhf, ray, rllm, slime, trl, verl
from planproof.nemo_rl import make_environment
from planproof.reasoning_gym import score_answer
from planproof.rewards import Judge

WHOLE = good_plan()
#: Its steps reach the goal, and nobody knows what would have followed. The contract asks for the closing marker.
OPEN = WHOLE.removesuffix("</plan>")


def torch_stub():
    module = ModuleType("torch")
    module.float = module.float32 = module.bool = None
    module.tensor = lambda values, dtype=None: list(values)
    module.ones = lambda n, dtype=None: [True] * n
    return module


def trl_(answer, cut):
    fn = trl.make_reward("valid", eos=2)
    return fn(completions=[answer], task=[TASK], completion_ids=[[1] if cut else [1, 2]])[0]


def openrlhf_(answer, cut):
    openrlhf.judge.cache_clear()
    with mock.patch.dict(os.environ, {"PLANPROOF_EOS": "</s>"}), mock.patch.dict(sys.modules, torch=torch_stub()):
        return openrlhf.reward_func(["p" + answer + "</s>" * (not cut)], ["p"], [TASK])["rewards"][0]


def slime_(answer, cut):
    slime.judge.cache_clear()
    sample = SimpleNamespace(label=TASK, response=answer, status=SimpleNamespace(value="truncated" if cut else "completed"))
    return asyncio.run(slime.reward(None, sample))


def rllm_(answer, cut):
    rllm.judge.cache_clear()
    episode = SimpleNamespace(artifacts={"answer": answer}, termination_reason="max_response_length_exceeded" if cut else "env_done")
    return rllm.plan_evaluator({"task": TASK}, episode)["reward"]


def nemo(answer):
    env = make_environment(object, lambda **told: SimpleNamespace(**told))()
    with mock.patch.dict(sys.modules, torch=torch_stub()):
        return env.step([[{"role": "assistant", "content": answer}]], [{"ground_truth": TASK}]).rewards[0]


#: Adapters whose trainer says how an answer ended.
TOLD = {
    "client": lambda a, cut: Client().score((TASK, a, "length" if cut else "stop"), spec="valid").score,
    "judge": lambda a, cut: Judge("valid")([TASK], [a], ["length" if cut else "stop"])[0].score,
    "trl": trl_,
    "verl": lambda a, cut: verl.compute_score_sync("d", a, TASK, {"finish": "length" if cut else "stop"})["score"],
    "ray": lambda a, cut: float(ray.ScoreBatch(spec="valid", finish="f")({"task": [TASK], "completion": [a], "f": ["length" if cut else "stop"]})["score"][0]),
    "openrlhf": openrlhf_, "slime": slime_, "rllm": rllm_,
}
#: Those whose trainer does not.
UNTOLD = {
    "judge": lambda a: Judge("valid")([TASK], [a])[0].score,
    "trl": lambda a: trl.plan_valid(completions=[a], task=[TASK])[0],
    "verl": lambda a: verl.compute_score_sync("d", a, TASK)["score"],
    "ray": lambda a: float(ray.ScoreBatch(spec="valid")({"task": [TASK], "completion": [a]})["score"][0]),
    "nemo_rl": nemo,
    "reasoning_gym": lambda a: score_answer(a, {"metadata": {"task": TASK}}),
}


class Cut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        env = mock.patch.dict(os.environ, {"PLANPROOF_BIN": binary(), "PLANPROOF_URL": "", "PLANPROOF_EOS": "", "PLANPROOF_SPEC": "valid"})
        env.start()
        cls.addClassCleanup(env.stop)

    def test_told(self):
        for answer, cut, want in ((WHOLE, False, 1), (WHOLE, True, 1), (OPEN, True, 0), (OPEN, False, 0), ("no", True, 0)):
            self.assertEqual({name: score(answer, cut) for name, score in TOLD.items()}, dict.fromkeys(TOLD, want), (answer, cut))

    def test_functions_that_are_added_up_are_from_0_to_1(self):
        answers = ["<think>so</think>" + WHOLE, WHOLE, "<plan>\n(unstack b c)\n</plan>", "no"]
        for fn in (trl.plan_valid, trl.plan_process, trl.plan_format):
            got = fn(completions=answers, task=[TASK] * len(answers))
            self.assertTrue(all(0 <= r <= 1 for r in got) and max(got) > 0.5 and min(got) == 0, (fn, got))

    def test_untold(self):
        for answer, want in ((WHOLE, 1), (OPEN, 0), ("no", 0)):
            self.assertEqual({name: score(answer) for name, score in UNTOLD.items()}, dict.fromkeys(UNTOLD, want), answer)


if __name__ == "__main__":
    unittest.main()
