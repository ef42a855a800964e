"""The real verl on a CPU: the plug-in, its reward managers and reward workers, main_eval, and
the group maths beside its own."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

from contract.verl_support import VerlCase, config_of, samples
from tests.support import TASK, RealOracle, binary, good_plan

import numpy as np
import ray
import torch
from verl.experimental.reward_loop import RewardLoopManager
from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.reward import get_custom_reward_fn, load_reward_manager

from planproof import OracleUnavailable, groups, verl as adapter
from planproof.carl import kl_tokens

GOOD = good_plan()
STEPS = GOOD.splitlines()[1:-1]
BAD = "<plan>\n(pick-up a)\n</plan>"
CUSTOM = ("reward.custom_reward_function.path=pkg://planproof.verl", "reward.custom_reward_function.name=compute_score")
PLUGIN = ("reward.reward_manager.name=planproof",)
DOWN = "http://127.0.0.1:9"


class Rewards(VerlCase):
    def setUp(self):
        adapter._breaker.reset()

    def manager(self, *overrides):
        """A manager as verl's reward workers make it, with a loop that runs."""

        async def make():
            return load_reward_manager(config_of(self.folder, *overrides), self.tokenizer, reward_router_address=None, reward_model_tokenizer=None)

        loop = asyncio.new_event_loop()
        self.addCleanup(loop.close)
        asyncio.set_event_loop(loop)
        manager = loop.run_until_complete(make())
        self.assertIs(manager.loop, loop)
        return lambda data: loop.run_until_complete(manager.run_single(data))

    def test_plug_in_is_loaded_by_import(self):
        code = ("import verl, sys; from verl.experimental.reward_loop.reward_manager.registry import REWARD_MANAGER as m; "
                "print('planproof' in m, 'planproof.verl_trainer' in sys.modules)")
        for policy, found in (("auto", "True"), ("none", "False")):
            out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=self.folder,
                                 env={**os.environ, "VERL_USE_EXTERNAL_PLUGINS": policy})
            self.assertEqual(out.stdout.split()[-2:], [found, "False"], out.stderr)

    def test_trainers_are_found_by_name(self):
        code = "from verl.trainer.ppo.v1 import get_trainer_cls; print(get_trainer_cls('carl_sync').__module__)"
        out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=self.folder,
                             env={**os.environ, "VERL_USE_EXTERNAL_MODULES": "planproof.verl_trainer"})
        self.assertEqual(out.stdout.split()[-1:], ["planproof.verl_trainer"], out.stderr)
        config = config_of(self.folder, "+ray_kwargs.ray_init.runtime_env.env_vars.VERL_USE_EXTERNAL_MODULES=planproof.verl_trainer", "+carl.alpha=0.001")
        self.assertEqual(config.ray_kwargs.ray_init.runtime_env.env_vars.VERL_USE_EXTERNAL_MODULES, "planproof.verl_trainer")

    def test_managers(self):
        data = samples(self.tokenizer, [("p", self.ids(GOOD), TASK), ("pp", self.ids(BAD), TASK), ("p", self.ids("none", False), TASK)], width=400)
        overlong = ("+reward.reward_kwargs.max_resp_len=100", "+reward.reward_kwargs.overlong_buffer_cfg.enable=true",
                    "+reward.reward_kwargs.overlong_buffer_cfg.len=10", "+reward.reward_kwargs.overlong_buffer_cfg.penalty_factor=1.0",
                    "+reward.reward_kwargs.overlong_buffer_cfg.log=true")
        for overrides in (CUSTOM, (*CUSTOM, "reward.reward_manager.name=dapo"), (*CUSTOM, "reward.reward_manager.name=dapo", *overlong),
                          (*CUSTOM, "reward.reward_manager.name=gdpo"), PLUGIN,
                          (*CUSTOM[:1], "reward.custom_reward_function.name=compute_score_sync")):
            run = self.manager(*overrides)
            got = [run(data[i: i + 1]) for i in range(3)]
            extra = [g["reward_extra_info"] for g in got]
            self.assertEqual([e["acc"] for e in extra], [1.0, 0.0, 0.0], overrides)
            self.assertEqual(len({tuple(e) for e in extra}), 1)
            self.assertLessEqual(set(adapter.KEYS), set(extra[0]))
            self.assertEqual([e["verdict"] for e in extra], ["valid", "precondition", "no_plan"])
            if "overlong_reward" in extra[0]:
                self.assertLess(got[0]["reward_score"], 1)
            elif "gdpo" not in overrides[-1]:
                self.assertEqual([g["reward_score"] for g in got], [1.0, 0.0, 0.0])

    def test_settings_reach_the_oracle(self):
        data = samples(self.tokenizer, [("p", self.ids(GOOD), TASK)])
        inline = "{schema: planproof.reward/1, name: mine, kind: weighted, parts: {v: valid}, reward: '3*v'}"
        for overrides in ((*CUSTOM, f"+reward.custom_reward_function.reward_kwargs={{spec: {inline}}}"), (*PLUGIN, f"+reward.reward_kwargs={{spec: {inline}}}")):
            self.assertEqual(self.manager(*overrides)(data)["reward_score"], 3.0)
        fn = get_custom_reward_fn(config_of(self.folder, *CUSTOM, "+reward.custom_reward_function.reward_kwargs.spec=process"))
        self.assertTrue(inspect.iscoroutinefunction(fn))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.manager(*PLUGIN, "custom_reward_function.path=pkg://planproof.verl")
        self.assertIn("use reward.custom_reward_function.path", "".join(str(w.message) for w in told))

    def test_cut_off(self):
        """A rollout is passed without padding while others go on: being as wide as its batch
        says nothing; being as long as responses may be does."""
        open_plan = self.ids("<plan>\n" + STEPS[0], False)
        for most, ids, verdict in ((2048, open_plan, "no_plan"), (len(open_plan), open_plan, "truncated"),
                                   (len(open_plan) + 1, [*open_plan, self.tokenizer.eos_token_id], "no_plan")):
            run = self.manager(*PLUGIN, f"actor_rollout_ref.rollout.response_length={most}")
            self.assertEqual(run(samples(self.tokenizer, [("p", ids, TASK)]))["reward_extra_info"]["verdict"], verdict, most)
        # Outputs of one rollout are padded together; the last one counts, and its length is told.
        data = samples(self.tokenizer, [("p" * 40, self.ids("none" * 30), TASK), ("p", self.ids(GOOD), TASK)])
        joined = torch.zeros_like(data.batch["attention_mask"])
        joined[1, : 1 + len(self.ids(GOOD))] = 1
        data.batch["attention_mask"] = joined
        data.non_tensor_batch["response_len"] = np.array([len(self.ids("none" * 30)), len(self.ids(GOOD))])
        self.assertEqual(self.manager(*PLUGIN)(data)["reward_score"], 1.0)

    def test_step_rewards_on_tokens(self):
        text = f"<think>x</think>\n<plan>\n{STEPS[0]}\n{STEPS[1]}\n(fly a)\n</plan>"
        run = self.manager(*PLUGIN, "+reward.reward_kwargs.spec=shaped", "+reward.reward_kwargs.step_rewards=true")
        none, some = (run(samples(self.tokenizer, [("p", self.ids(t), TASK)])) for t in ("none", text))
        self.assertEqual(set(none["reward_extra_info"]), {*adapter.KEYS, "token_rewards"})
        self.assertEqual(none["reward_extra_info"]["token_rewards"], "[]")
        placed = dict(json.loads(some["reward_extra_info"]["token_rewards"]))
        self.assertAlmostEqual(sum(placed.values()), some["reward_score"])
        ends = [text.index(s) + len(s) - 1 for s in STEPS[:2]]  # a token a character: the one that completes the line
        self.assertEqual(sorted(placed), ends)

    def test_reward_workers(self):
        """Ray actors as the trainer starts them, one sample a call as rollouts end, and a batch."""
        oracle = RealOracle()
        self.addCleanup(oracle.close)
        rows = [("p" * (1 + i % 5), self.ids(GOOD if i % 3 == 0 else BAD), TASK) for i in range(30)]
        data = samples(self.tokenizer, rows)
        for overrides in ((*CUSTOM, f"+reward.custom_reward_function.reward_kwargs.url={oracle.url}"), (*PLUGIN, f"+reward.reward_kwargs.url={oracle.url}")):
            manager = RewardLoopManager(config_of(self.folder, *overrides, "reward.num_workers=2"))
            handles = manager.reward_loop_worker_handles
            self.assertEqual(len(handles), 2)
            alone = ray.get([handles[i % 2].compute_score.remote(data[i: i + 1]) for i in range(30)])
            self.assertEqual([a["reward_score"] for a in alone], [float(i % 3 == 0) for i in range(30)])
            scored = manager.compute_rm_score(data)
            self.assertEqual(scored.batch["rm_scores"].sum(-1).tolist(), [float(i % 3 == 0) for i in range(30)])
            width = data.batch["prompts"].shape[1]
            last = data.batch["attention_mask"][:, width:].sum(-1) - 1  # on the last token of each response
            self.assertEqual(scored.batch["rm_scores"][0].argmax().item(), last[0].item())
            self.assertEqual(set(scored.meta_info["reward_extra_keys"]), set(adapter.KEYS))
            for handle in manager.reward_loop_workers:
                ray.kill(handle)

    def test_outage_raises_in_the_worker(self):
        overrides = (*PLUGIN, f"+reward.reward_kwargs.url={DOWN}", "+reward.reward_kwargs.deadline=0.2", "reward.num_workers=1")
        manager = RewardLoopManager(config_of(self.folder, *overrides))
        data = samples(self.tokenizer, [("p", self.ids(GOOD), TASK)])
        with self.assertRaises(OracleUnavailable) as caught:
            ray.get(manager.reward_loop_worker_handles[0].compute_score.remote(data))
        self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)
        ray.kill(manager.reward_loop_workers[0])
        zero = self.manager(*overrides, "+reward.reward_kwargs.on_error=zero")(data)
        self.assertEqual((zero["reward_score"], zero["reward_extra_info"]["oracle_ok"]), (0.0, 0.0))

    def test_main_eval(self):
        """It calls with three positional arguments and averages what it gets."""
        import pandas

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "responses.parquet")
            pandas.DataFrame({
                "data_source": ["a", "a", "b"], "responses": [[GOOD, BAD], [GOOD, GOOD], [BAD, "none"]],
                "reward_model": [{"style": "rule", "ground_truth": json.dumps({"task": TASK})}] * 3,
            }).to_parquet(path)
            out = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "verl.trainer.main_eval", f"data.path={path}", f"hydra.run.dir={folder}",
                 "+reward.custom_reward_function.path=pkg://planproof.verl", "+reward.custom_reward_function.name=compute_score_value",
                 "+reward.custom_reward_function.reward_kwargs.spec=valid", "ray_kwargs.ray_init.num_cpus=2"],
                capture_output=True, text=True, cwd=folder, timeout=300)
            self.assertIn("test_score/a", out.stdout, out.stderr[-2000:])
            told = out.stdout.replace("np.float64(", "").replace(")", "").replace("'", '"').strip().splitlines()[-1]
            self.assertEqual(json.loads(told), {"test_score/a": 0.75, "test_score/b": 0.0})

    def test_exported_rows(self):
        """What planproof export writes for verl, read by verl's data set, scored by its worker's
        manager: gold plans are valid, and no prompt has one."""
        import pandas
        from verl.utils.dataset.rl_dataset import RLHFDataset

        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "data")
            subprocess.run([binary(), "export", "--exhaustive", "blocksworld=4", "--sample", "40", "--constraints", "1", "--plan-tags", "--answer", "natural", "--inline-tasks",
                            "--split", "100,0,0,0", "--format", "verl", "--format", "jsonl", "-o", out], check=True, capture_output=True)
            path = os.path.join(out, "verl", "train.parquet")
            with open(os.path.join(out, "train.jsonl")) as f:
                gold = ["\n".join(json.loads(line)["gold"]["plan"]) for line in f]
            config = config_of(self.folder, f"data.train_files={path}", "data.filter_overlong_prompts=false")
            rows = RLHFDataset(data_files=path, tokenizer=self.tokenizer, config=config.data)
            self.assertEqual(len(rows), len(gold))
            self.assertEqual(len(pandas.read_parquet(path)), len(gold))
            run = self.manager(*CUSTOM)
            for i in range(len(rows)):
                row = rows[i]
                asked = [m["content"] for m in [*row["raw_prompt"], *row["unconstrained_prompt"]]]
                self.assertNotEqual(*asked)
                self.assertNotIn(gold[i], "".join(asked))
                for text, want in ((f"<plan>\n{gold[i]}\n</plan>", 1.0), ("<plan>\n(fly a)\n</plan>", 0.0)):
                    data = samples(self.tokenizer, [("p", self.ids(text), TASK)])
                    for name in ("data_source", "reward_model", "extra_info"):
                        data.non_tensor_batch[name] = np.array([row[name], None], dtype=object)[:-1]
                    self.assertEqual(run(data)["reward_score"], want)

    def test_registered(self):
        self.assertEqual(get_reward_manager_cls("planproof").__name__, "PlanproofRewardManager")


class GroupMaths(unittest.TestCase):
    """Our numbers beside verl's."""

    def test_estimators(self):
        generator = torch.Generator().manual_seed(1)
        for scale in (1e-4, 0.1, 1.0, 30.0):
            p, u = (-scale * torch.rand(64, 33, generator=generator) for _ in range(2))
            for ours, theirs in (("dif", "kl"), ("abs", "abs"), ("mse", "mse"), ("low_var_kl", "low_var_kl")):
                want = core_algos.kl_penalty(p, u, theirs)
                torch.testing.assert_close(kl_tokens(p, u, ours), want, rtol=1e-6, atol=2e-6)
                exact = core_algos.kl_penalty(p.double(), u.double(), theirs)
                plain = torch.tensor([groups.estimate(ours, a, b) for a, b in zip(p.double().tolist(), u.double().tolist())], dtype=torch.float64)
                torch.testing.assert_close(plain, exact, rtol=1e-12, atol=1e-12)

    def test_advantages(self):
        rng = np.random.default_rng(2)
        for size in (2, 4, 8):
            rewards = rng.choice([0.0, 0.1, 0.7, 1.0], size=(6, size))
            flat = torch.tensor(rewards.reshape(-1), dtype=torch.float64)
            tokens = torch.zeros(len(flat), 3, dtype=torch.float64)
            tokens[:, -1] = flat
            mask, index = torch.ones_like(tokens), np.repeat(np.arange(6), size).astype(str)
            for by_std in (True, False):
                got, _ = core_algos.compute_grpo_outcome_advantage(tokens, mask, index, norm_adv_by_std_in_grpo=by_std)
                want = [a for row in rewards.tolist() for a in groups.advantages(row, no_std=not by_std, sample=True, epsilon=1e-6)]
                np.testing.assert_allclose(got[:, 0].numpy(), want, atol=2e-6)
            got, _ = core_algos.compute_rloo_outcome_advantage(tokens, mask, index)
            want = [a for row in rewards.tolist() for a in groups.advantages(row, leave_one_out=True, no_std=True)]
            np.testing.assert_allclose(got[:, 0].numpy(), want, atol=2e-6)


if __name__ == "__main__":
    unittest.main()
