"""carl_sync with the real verl on a CPU: its trainer, TransferQueue, replay buffer, agent loops and
reward workers. A stand-in plays the inference server, another the engine: a small model whose
log-probabilities and updates are real, driven by verl's losses as the engine drives them."""

import copy
import json
import os
import pickle
import time
import unittest
from functools import partial
from types import SimpleNamespace

from contract.verl_support import VerlCase, config_of
from tests.support import TASK, good_plan

import pandas
import ray
import torch
import transfer_queue as tq
from omegaconf import OmegaConf
from tensordict import TensorDict
from transformers import LlamaConfig, LlamaForCausalLM
from verl.experimental.reward_loop import RewardLoopManager
from verl.trainer.ppo.core_algos import agg_loss
from verl.trainer.ppo.v1 import AgentLoopManagerTQ, get_trainer_cls
from verl.utils import tensordict_utils as tu
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.rollout.replica import TokenOutput
from verl.workers.utils.losses import ppo_loss
from verl.workers.utils.padding import no_padding_2_padding

import planproof.verl_trainer  # noqa: F401 - registers its trainers
from planproof.carl import kl_tokens
from planproof.verl_carl import carl_ppo_loss, divides_by_std

GOOD, BAD = good_plan(), "<plan>\n(pick-up a)\n</plan>"
N, PROMPTS = 2, 3


class Server:
    """Plays the inference server: every other answer is right."""

    def __init__(self, good, bad):
        self.answers, self.asked = (good, bad), 0

    async def generate(self, request_id, *, prompt_ids, sampling_params, **kwargs):
        self.asked += 1
        ids = self.answers[self.asked % 2]
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields={"global_steps": 1, "min_global_steps": 1, "max_global_steps": 1})


class Engine:
    """Plays the worker group of the actor, on data of TransferQueue as the real one."""

    _dispatch_info = {"actor": [0]}

    def __init__(self, model, config):
        self.model, self.actor = model, omega_conf_to_dataclass(config.actor_rollout_ref.actor)
        self.loss_fn, self.calls, self.losses = None, [], []

    def set_loss_fn(self, loss_fn):
        self.loss_fn = pickle.loads(pickle.dumps(loss_fn))  # it travels to the workers

    def log_probs(self, ids, temperature):
        """As verl's engine has them: entry i scores token i+1, the last is nobody's."""
        rows, entropies = [], []
        for row in ids.unbind(0):
            logits = self.model(row[None]).logits[0].float() / temperature
            p = torch.log_softmax(logits, -1)
            rows.append(p.gather(-1, torch.roll(row, -1)[:, None])[:, 0])
            entropies.append(-(p.exp() * p).sum(-1))
        return tuple(torch.nested.as_nested_tensor(r, layout=torch.jagged) for r in (rows, entropies))

    def compute_log_prob(self, meta):
        data = tq.kv_batch_get(keys=meta.keys, partition_id=meta.partition_id, select_fields=meta.fields)
        self.calls.append((meta.partition_id, [r.tolist() for r in data["input_ids"].unbind(0)]))
        for name in ("position_ids", "loss_mask"):
            assert data[name].is_nested, name
        with torch.no_grad():
            p, entropy = self.log_probs(data["input_ids"], meta.extra_info["temperature"])
        fields = {"log_probs": p, **({"entropy": entropy} if meta.extra_info["calculate_entropy"] else {})}
        tq.kv_batch_put(keys=meta.keys, partition_id=meta.partition_id, fields=TensorDict(fields, batch_size=len(meta)))
        return meta

    def update_actor(self, meta):
        data = tq.kv_batch_get(keys=meta.keys, partition_id=meta.partition_id, select_fields=meta.fields)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        tokens = sum(int(m.sum()) for m in data["loss_mask"].unbind(0))
        total, metrics = 0.0, {}
        for i in range(0, len(meta), 2):  # micro batches of two
            part = tu.index_select_tensor_dict(data, [i, i + 1])
            tu.assign_non_tensor(part, dp_size=1, batch_num_tokens=tokens, global_batch_size=len(meta))
            p, _ = self.log_probs(part["input_ids"], meta.extra_info["temperature"])
            loss, told = self.loss_fn(model_output={"log_probs": p}, data=part, dp_group=None)
            loss.backward()
            total += loss.item()
            for name, value in told.items():
                metrics.setdefault(name, []).append(value)
        optimizer.step()
        self.losses.append(total)
        carl = metrics.get("carl_term")
        return {"metrics": {"mfu": 0.0, "loss": total, **({"carl_term": sum(m.aggregate() for m in carl)} if carl else {})}}


class Trainer(VerlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(vocab_size=len(cls.tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
                                             num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=1024))
        model.save_pretrained(cls.folder)
        cls.model = model
        cls.rows = os.path.join(cls.folder, "train.parquet")
        pandas.DataFrame([{
            "data_source": "planproof/blocksworld", "ability": "planning",
            "prompt": [{"role": "user", "content": f"solve {i}" + " without b" * (i + 1)}],
            "unconstrained_prompt": [{"role": "user", "content": f"solve {i}"}],
            "reward_model": {"style": "rule", "ground_truth": json.dumps({"task": TASK})},
            "extra_info": {"index": i, "split": "train"},
        } for i in range(PROMPTS)]).to_parquet(cls.rows)
        tq.init(OmegaConf.create({"enable": True}))
        cls.addClassCleanup(tq.close)

    def config(self, *overrides):
        return config_of(
            self.folder, f"data.train_files={self.rows}", f"data.val_files={self.rows}", f"data.train_batch_size={PROMPTS}", "data.shuffle=false",
            "data.dataloader_num_workers=0", f"actor_rollout_ref.rollout.n={N}", "actor_rollout_ref.rollout.name=vllm",
            "actor_rollout_ref.rollout.agent.num_workers=1", "actor_rollout_ref.rollout.calculate_log_probs=true",
            "actor_rollout_ref.rollout.prompt_length=512", "actor_rollout_ref.rollout.response_length=512",
            "actor_rollout_ref.actor.ppo_mini_batch_size=4", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2",
            "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2", "actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean",
            "trainer.n_gpus_per_node=1", "reward.num_workers=1", "algorithm.adv_estimator=grpo", *overrides)

    def trainer(self, *overrides, mode="carl_sync", plugin=True):
        """The real trainer, but for what needs a GPU."""
        config = self.config(f"trainer.v1.trainer_mode={mode}", *(["reward.reward_manager.name=planproof"] if plugin else []), *overrides)
        trainer = get_trainer_cls(mode)(config)
        self.assertEqual((trainer.trainer_mode, type(trainer.replay_buffer).__name__), ("sync", "ReplayBuffer"))
        trainer._init_tokenizer()
        trainer._init_dataloader()
        trainer.actor_rollout_wg = Engine(copy.deepcopy(self.model), config)
        trainer.actor_rollout_wg.set_loss_fn(pickle.loads(pickle.dumps(_default_loss(config))))
        trainer.checkpoint_manager = SimpleNamespace(update_weights=lambda step: None, sleep_replicas=lambda: None)
        trainer.reward_loop_manager = RewardLoopManager(config=config)
        trainer.global_steps, trainer.curr_step_profile, trainer.train_dataloader_it, trainer.distillation_config = 1, False, None, None
        trainer.resource_pool_manager = SimpleNamespace(get_n_gpus=lambda: 1)
        trainer.on_init_end()
        trainer.agent_loop_manager = AgentLoopManagerTQ.create(
            config=config, llm_client=Server(self.ids(GOOD), self.ids(BAD)), teacher_client=None, reward_loop_worker_handles=trainer.get_reward_handles())

        def stop():
            for actor in [*trainer.reward_loop_manager.reward_loop_workers, *trainer.agent_loop_manager.agent_loop_workers]:
                ray.kill(actor)
            for partition, keys in (tq.kv_list() or {}).items():
                if keys:
                    tq.kv_clear(keys=list(keys), partition_id=partition)

        self.stop = stop
        return trainer

    def tearDown(self):
        self.stop()


    def step(self, trainer, fields=()):
        """One step as fit makes it; the metrics, the rows, and their fields."""
        metrics, timing = {}, {}
        batch = trainer.step(metrics, timing)
        data = tq.kv_batch_get(keys=batch.keys, partition_id="train", select_fields=list(fields)) if fields else None
        timing.setdefault("step", 1.0)
        trainer._compute_metrics(batch, metrics, timing, global_steps=1, epoch=0)
        self.assertNotIn(planproof.verl_trainer.PARTITION, {p for p, keys in (tq.kv_list() or {}).items() if keys})
        return metrics, batch, data

    def test_in_the_loss(self):
        trainer = self.trainer("+carl.alpha=0.5", "algorithm.norm_adv_by_std_in_grpo=true")
        engine = trainer.actor_rollout_wg
        before = copy.deepcopy(engine.model)
        metrics, batch, data = self.step(trainer, ["prompts", "responses", "response_mask", "old_log_probs", "uncon_log_prob", "carl_mask",
                                                   "unconstrained_prompt", "advantages", "rm_scores"])
        # 3 prompts of 2 answers are padded to a mini batch of 8; rows of padding count nowhere.
        self.assertEqual(len(batch), 8)
        real = [i for i, tag in enumerate(batch.tags) if not tag.get("is_padding", False)]
        self.assertEqual(len(real), PROMPTS * N)
        self.assertAlmostEqual(metrics["critic/score/mean"], 0.5)
        partition, sequences = engine.calls[1]
        self.assertEqual(partition, planproof.verl_trainer.PARTITION)
        values = []
        engine.model, trained = before, engine.model
        for i in range(len(batch)):
            response, u, m = (data[name].unbind(0)[i] for name in ("responses", "uncon_log_prob", "carl_mask"))
            self.assertEqual(len(u), len(response))
            if i not in real:
                self.assertEqual((u.tolist(), m.tolist()), ([0.0], [0.0]))
                continue
            messages = getattr(data["unconstrained_prompt"][i], "data", data["unconstrained_prompt"][i])
            head = self.tokenizer.apply_chat_template([dict(x) for x in messages], add_generation_prompt=True, tokenize=True, return_dict=False)
            self.assertEqual(sequences[i], list(head) + response.tolist())
            with torch.no_grad():
                want = engine.log_probs(torch.nested.as_nested_tensor([torch.tensor(sequences[i])], layout=torch.jagged), 1.0)[0].unbind(0)[0]
            torch.testing.assert_close(u, want[len(head) - 1: -1])
            values.append(kl_tokens(data["old_log_probs"].unbind(0)[i], u))
        engine.model = trained
        self.assertAlmostEqual(metrics["carl/kl_mean"], torch.cat(values).mean().item(), places=6)
        self.assertGreater(metrics["carl/kl_mean"], 0)
        self.assertEqual(metrics["carl/share_paid"], 1.0)
        # The first update is on policy, so that the term of the loss is the mean over sequences (of
        # all 8: those of padding are 0) of the mean over tokens, whatever the micro batches.
        self.assertAlmostEqual(metrics["actor/carl_term"], sum(v.mean().item() for v in values) / 8, places=5)

    def test_without_the_term_it_is_verls_trainer(self):
        losses = []
        self.stop = lambda: None
        for mode, overrides in (("sync", ()), ("carl_sync", ("+carl.alpha=0",)), ("planproof_sync", ())):
            self.stop()
            trainer = self.trainer(*overrides, mode=mode)
            self.step(trainer)
            losses.append(trainer.actor_rollout_wg.losses[0])
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])

    def test_in_the_reward(self):
        trainer = self.trainer("+carl.alpha=0.5", "+carl.placement=reward", "+carl.gate=valid", "algorithm.norm_adv_by_std_in_grpo=false")
        metrics, batch, data = self.step(trainer, ["old_log_probs", "uncon_log_prob", "carl_mask", "advantages", "token_level_rewards", "rm_scores", "uid", "response_mask"])
        self.assertAlmostEqual(metrics["critic/score/mean"], 0.5)  # what is logged is the task's
        totals = {}
        for i, tag in enumerate(batch.tags):
            if tag.get("is_padding", False):
                continue
            score, p, u, m, r = (data[n].unbind(0)[i] for n in ("rm_scores", "old_log_probs", "uncon_log_prob", "carl_mask", "token_level_rewards"))
            valid = score.sum().item()
            self.assertEqual(m.tolist(), [valid] * len(m))  # only valid plans are paid
            torch.testing.assert_close(r, score + 0.5 * kl_tokens(p, u) * valid)
            totals.setdefault(str(data["uid"][i]), []).append((r.sum().item(), data["advantages"].unbind(0)[i][0].item()))
        self.assertEqual(len(totals), PROMPTS)
        for group in totals.values():
            mean = sum(r for r, _ in group) / N
            for reward, advantage in group:
                self.assertAlmostEqual(advantage, reward - mean, places=4)
        self.assertEqual(metrics["carl/share_paid"], sum(len(data["carl_mask"].unbind(0)[i]) for i in range(len(batch)) if data["rm_scores"].unbind(0)[i].sum() == 1)
                         / sum(int(m.sum()) for m in data["response_mask"].unbind(0)))

    def test_step_rewards_reach_their_tokens(self):
        trainer = self.trainer("+reward.reward_kwargs={spec: shaped, step_rewards: true}", mode="planproof_sync")
        metrics, batch, data = self.step(trainer, ["rm_scores", "responses"])
        self.assertEqual(metrics["planproof/step_rewards"], PROMPTS * N)
        steps = GOOD.splitlines()[1:-1]
        for tag, row, response in zip(batch.tags, data["rm_scores"].unbind(0), data["responses"].unbind(0)):
            text = self.tokenizer.decode(response, skip_special_tokens=True)
            if tag.get("is_padding", False) or text != GOOD:
                continue
            placed = [i for i, r in enumerate(row.tolist()) if r]
            self.assertEqual(placed, [*[GOOD.index(s) + len(s) - 1 for s in steps], len(response) - 1])
            self.assertAlmostEqual(row.sum().item(), 1.5, places=5)

    def test_outage_fails_the_group_and_not_the_run(self):
        trainer = self.trainer("+reward.reward_kwargs={url: 'http://127.0.0.1:9', deadline: 0.2}")
        trainer.prepare_step()
        for _ in range(600):
            told = tq.kv_list("train").get("train", {})
            prompts = [tag for tag in told.values() if tag.get("is_prompt")]
            if prompts and all(tag["status"] in ("failure", "finished") for tag in prompts):
                break
            time.sleep(0.1)
        self.assertEqual({tag["status"] for tag in prompts}, {"failure"})
        self.assertFalse([tag for tag in told.values() if tag.get("status") == "success"])

    def test_what_is_refused(self):
        for overrides, why in [(["+carl.placement=reward"], "deviation"), (["+carl.kind=k9"], "low_var_kl"), (["+carl.gate=x"], "gate"),
                               (["+carl.placement=x"], "placement"), (["+carl.beta=1"], "no setting")]:
            with self.assertRaisesRegex(ValueError, why):
                get_trainer_cls("carl_sync")(self.config("trainer.v1.trainer_mode=carl_sync", *overrides))
        trainer = self.trainer("+data.apply_chat_template_kwargs={}")
        trainer._prompt_ids = lambda messages: [1, 2, 3]
        with self.assertRaisesRegex(ValueError, "_prompt_ids"):
            trainer.step({}, {})


def _default_loss(config):
    return partial(ppo_loss, config=omega_conf_to_dataclass(config.actor_rollout_ref.actor))


class Loss(VerlCase):
    def test_against_verls_own_sums(self):
        """In every mode of aggregation, whatever the micro batches; the gradient reaches the
        model's side alone; masked tokens may hold anything."""
        torch.manual_seed(3)
        lengths = [(3, 5), (2, 7), (4, 1), (1, 4)]
        nest = lambda rows: torch.nested.as_nested_tensor(rows, layout=torch.jagged)  # noqa: E731
        p = [(-torch.rand(a + b)).requires_grad_() for a, b in lengths]
        u = [-torch.rand(b) for _, b in lengths]
        mask = [torch.ones(b, dtype=torch.int64) for _, b in lengths]
        gate = [m.float() for m in mask]
        gate[1] = gate[1] * 0
        mask[3][-1] = 0
        u[3][-1] = float("nan")
        fields = {"prompts": [torch.zeros(a, dtype=torch.int64) for a, _ in lengths], "responses": [torch.zeros(b, dtype=torch.int64) for _, b in lengths],
                  "response_mask": mask, "old_log_probs": [-torch.rand(b) for _, b in lengths], "advantages": [torch.rand(b) for _, b in lengths],
                  "uncon_log_prob": u, "carl_mask": gate}
        for mode in ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean"):
            config = omega_conf_to_dataclass(config_of(self.folder, f"actor_rollout_ref.actor.loss_agg_mode={mode}", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2").actor_rollout_ref.actor)
            terms = []
            for size in (4, 2, 1):
                total = 0.0
                for i in range(0, 4, size):
                    data = TensorDict({k: nest(v[i: i + size]) for k, v in fields.items()}, batch_size=size)
                    tu.assign_non_tensor(data, dp_size=1, batch_num_tokens=16, global_batch_size=4)
                    output = {"log_probs": nest(p[i: i + size])}
                    base, _ = ppo_loss(config, output, data)
                    loss, metrics = carl_ppo_loss(config, output, data, alpha=0.3)
                    term = metrics["carl_term"].aggregate()
                    self.assertAlmostEqual((base - loss).item(), 0.3 * term, places=5)
                    total += term
                terms.append(total)
            self.assertAlmostEqual(terms[0], terms[1], places=5)
            self.assertAlmostEqual(terms[0], terms[2], places=5)
            data = TensorDict({k: nest(v) for k, v in fields.items()}, batch_size=4)
            padded = no_padding_2_padding(nest(p), data)
            want = kl_tokens(padded, torch.nan_to_num(data["uncon_log_prob"].to_padded_tensor(0.0))) * data["carl_mask"].to_padded_tensor(0.0)
            self.assertAlmostEqual(terms[0], agg_loss(want, data["response_mask"].to_padded_tensor(0).bool(), mode, batch_num_tokens=16, global_batch_size=4).item(), places=5)
        grads = torch.autograd.grad(loss, [p[3]])
        self.assertTrue(torch.isfinite(grads[0]).all())

    def test_estimators_that_divide(self):
        from verl.trainer.ppo.core_algos import AdvantageEstimator

        for estimator in AdvantageEstimator:
            if estimator.value not in planproof.verl_carl.UNDIVIDED:
                self.assertTrue(divides_by_std(estimator.value, True), estimator)
        self.assertFalse(divides_by_std("grpo", False))
        self.assertLessEqual(set(planproof.verl_carl.UNDIVIDED), {e.value for e in AdvantageEstimator})


if __name__ == "__main__":
    unittest.main()
