"""The real TRL: 20 steps of GRPO, CARL and DPO with a tiny model and a word-level
tokenizer that are made here, on the CPU."""

import json
import math
import os
import tempfile
import unittest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ["WANDB_DISABLED"] = os.environ["HF_HUB_OFFLINE"] = "1"

from tests.support import TASK, FakeOracle, binary, good_plan, reply_to

try:
    import torch
    import trl as real
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
except ImportError as err:
    raise unittest.SkipTest(f"SKIP trl: {err}") from None

from planproof import OracleUnavailable
from planproof.trl import leave_out, load_dpo, make_reward, plan_valid
from planproof.trl_carl import CarlGRPOTrainer

WORDS = ["<pad>", "<eos>", "<unk>", "<plan>", "</plan>", "(", ")", "pick-up", "put-down", "stack", "unstack", "a", "b", "c", "solve", "without", "using"]
STEPS = int(os.environ.get("PLANPROOF_TRL_STEPS", "20"))


def tokenizer():
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left")


def model(folder):
    """From a folder, since TRL reads the configuration again from where it came."""
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                         num_key_value_heads=2, max_position_embeddings=128, pad_token_id=0, eos_token_id=1, bos_token_id=None)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return LlamaForCausalLM.from_pretrained(folder)


class TRL(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        torch.set_num_threads(1)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.common = dict(output_dir=self.folder, max_steps=STEPS, use_cpu=True, bf16=False, report_to=[], logging_steps=1,
                           save_strategy="no", learning_rate=1e-3, disable_tqdm=True)

    def grpo(self, cls, rewards, **kw):
        rows = Dataset.from_list([{"prompt": "solve a b c using a", "unconstrained_prompt": "solve a b c", "task": TASK}] * 16)
        args = real.GRPOConfig(**self.common, per_device_train_batch_size=8, num_generations=4, max_completion_length=12, beta=0.001)
        trainer = cls(model=model(self.folder), reward_funcs=rewards, args=args, train_dataset=rows, processing_class=tokenizer(), **kw)
        trainer.train()
        return trainer

    def test_grpo(self):
        trainer = self.grpo(real.GRPOTrainer, [plan_valid, make_reward("process", component="format", name="plan_format")])
        logs = [r for r in trainer.state.log_history if "rewards/plan_valid/mean" in r]
        self.assertEqual(len(logs), STEPS)
        self.assertTrue(all(r["rewards/plan_format/mean"] >= 0 for r in logs))

    def test_an_outage_is_no_penalty_beside_other_functions(self):
        """The oracle has no score for every fourth answer; another function rewards all of them."""
        def lossy(handler, request):
            reply = reply_to(request)
            for item in reply["items"][::4 if len(reply["items"]) == 8 else 1]:  # fewer: asked again
                item.update(status="unavailable", score=None, verdict="", components={})
            return reply

        def length(completions, **columns):
            return [float(10 * len(c)) for c in completions]

        self.common["max_steps"] = 2
        with FakeOracle(lossy) as fake:
            down = make_reward("valid", url=fake.url, deadline=0.05, name="plan_down")
            down.breaker.share, down.breaker.streak = 1.0, 1000
            for name, rewards in {"left out": leave_out(down, length), "alone": [make_reward("valid", url=fake.url, deadline=0.05, on_error="none", name="plan_down")]}.items():
                if name == "alone":
                    rewards[0].breaker.share, rewards[0].breaker.streak = 1.0, 1000
                trainer = self.grpo(real.GRPOTrainer, rewards)
                advantages, scores = list(trainer._logs["advantages"]), list(trainer._logs["rewards"]["plan_down"])
                lost = [i for i, r in enumerate(scores) if math.isnan(r)]
                self.assertEqual(len(lost), len(scores) // 4, name)
                self.assertEqual([advantages[i] for i in lost], [0.0] * len(lost), name)
                for group in range(0, len(scores), 4):  # the others are compared without it
                    self.assertAlmostEqual(sum(advantages[group:group + 4]), 0.0, places=3)
            raising = make_reward("valid", url=fake.url, deadline=0.05)
            raising.breaker.share, raising.breaker.streak = 1.0, 1000
            with self.assertRaises(OracleUnavailable):
                self.grpo(real.GRPOTrainer, [raising, length])

    def test_carl(self):
        trainer = self.grpo(CarlGRPOTrainer, [plan_valid], carl_alpha=0.5)
        kl = [r["carl/kl_mean"] for r in trainer.state.log_history if "carl/kl_mean" in r]
        self.assertEqual(len(kl), STEPS)
        self.assertTrue(all(k >= 0 for k in kl))
        # All rewards tie, so the term is all there is to learn from: it must grow.
        self.assertGreater(sum(kl[-5:]), 1.5 * sum(kl[:5]))

    def test_rows_keep_their_unconstrained_prompt(self):
        """TRL shuffles and splits what a generation made. Where the second prompt is the first,
        nothing diverges before the first update, unless a row got the prompt of another."""
        rows = Dataset.from_list([{"prompt": p, "unconstrained_prompt": p, "task": TASK} for p in ("solve a", "solve b c", "using a b c without", "solve c c c c a") * 4])
        args = real.GRPOConfig(**{**self.common, "max_steps": 1}, per_device_train_batch_size=4, gradient_accumulation_steps=4, num_generations=2,
                               max_completion_length=12, shuffle_dataset=True)
        trainer = CarlGRPOTrainer(model=model(self.folder), reward_funcs=[plan_valid], args=args, train_dataset=rows, processing_class=tokenizer(), carl_alpha=1.0)
        kl = []
        log = trainer._carl_log
        trainer._carl_log = lambda model, term: (kl.append(term.item()), log(model, term))
        trainer.train()
        self.assertEqual(len(kl), 4)
        self.assertLess(max(kl), 1e-9)

    def test_dpo(self):
        path = os.path.join(self.folder, "pairs.jsonl")
        good = " ".join(good_plan().replace("(", "( ").replace(")", " )").split())
        with open(path, "w") as f:
            for word in "abc" * 8:
                row = {"prompt": "solve a b c ", "chosen": good, "rejected": f"<plan> ( pick-up {word} ) </plan>"}
                f.write(json.dumps(row) + "\n")
        args = real.DPOConfig(**self.common, per_device_train_batch_size=8, max_length=96)
        trainer = real.DPOTrainer(model=model(self.folder), args=args, train_dataset=Dataset.from_list(load_dpo(path)), processing_class=tokenizer())
        trainer.train()
        losses = [r["loss"] for r in trainer.state.log_history if "loss" in r]
        self.assertLess(losses[-1], losses[0])


if __name__ == "__main__":
    unittest.main()
