"""The real TRL on files of planproof export: a few steps of each trainer, on the CPU."""

import os
import tempfile
import unittest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ["WANDB_DISABLED"] = os.environ["HF_HUB_OFFLINE"] = "1"

from tests.support import binary

try:
    import torch
    import trl as real
    from datasets import disable_progress_bars, load_dataset
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
except ImportError as err:
    raise unittest.SkipTest(f"SKIP trl: {err}") from None

from contract.test_datasets import export
from planproof.trl import plan_valid

disable_progress_bars()
TEMPLATE = "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}{% if add_generation_prompt %}assistant : {% endif %}"


class TRLData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        torch.set_num_threads(1)
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = {}
        for name, args in (("text", ["--text", "--thoughts", "short"]), ("chat", ["--thoughts", "long"])):
            cls.data[name] = os.path.join(cls.folder.name, name)
            export(cls.data[name], "--style", "compact", "--answer", "natural", "--inline-tasks", *args,
                   formats=("trl-grpo", "trl-sft-parquet", "trl-sft-messages", "trl-dpo", "trl-kto-parquet"))
        cls.model_folder = os.path.join(cls.folder.name, "model")
        vocabulary = ["<pad>", "<eos>", "<unk>", "\n", ")", "a", "b", "c", ":", "user", "assistant", "objects:", "init:", "never:", "goal:", "plan:", "[PLAN]", "[PLAN", "END]",
                      "<think>", "</think>", "step:", "needs:", "add:", "del:", "state:", "todo:", "done", "(handempty",
                      *(f"({p}" for p in ("clear", "on", "ontable", "holding", "pick-up", "put-down", "stack", "unstack"))]
        tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(vocabulary)}, unk_token="<unk>"))
        tok.pre_tokenizer = pre_tokenizers.Split(Regex(r"\([^\s()]+|\)|[^\s()]+|\n"), "removed", invert=True)
        cls.tokenizer = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left")
        cls.tokenizer.chat_template = TEMPLATE
        torch.manual_seed(0)
        config = LlamaConfig(vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                             num_key_value_heads=2, max_position_embeddings=1024, pad_token_id=0, eos_token_id=1, bos_token_id=None)
        LlamaForCausalLM(config).save_pretrained(cls.model_folder)
        cls.tokenizer.save_pretrained(cls.model_folder)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def train(self, trainer, config, form, name, **kw):
        """Three steps; returns the losses."""
        ending = "parquet" if name.endswith("-parquet") else "jsonl"
        path = os.path.join(self.data[form], name, f"train.{ending}")
        with tempfile.TemporaryDirectory() as folder:
            rows = load_dataset("parquet" if ending == "parquet" else "json", data_files=path, split="train", cache_dir=folder, keep_in_memory=True)
            args = config(output_dir=folder, max_steps=3, use_cpu=True, bf16=False, report_to=[], logging_steps=1, save_strategy="no",
                          disable_tqdm=True, per_device_train_batch_size=4, **kw.pop("args", {}))
            made = trainer(model=LlamaForCausalLM.from_pretrained(self.model_folder), args=args, train_dataset=rows, processing_class=self.tokenizer, **kw)
            made.train()
        losses = [r["loss"] for r in made.state.log_history if "loss" in r]
        self.assertEqual(len(losses), 3)
        self.assertTrue(all(loss == loss for loss in losses), losses)
        return made

    def test_sft(self):
        for form in self.data:
            for name in ("trl-sft-parquet", "trl-sft-messages"):
                with self.subTest(form=form, name=name):
                    self.train(real.SFTTrainer, real.SFTConfig, form, name)

    def test_grpo(self):
        for form in self.data:
            with self.subTest(form=form):
                made = self.train(real.GRPOTrainer, real.GRPOConfig, form, "trl-grpo", reward_funcs=[plan_valid],
                                  args={"num_generations": 4, "max_completion_length": 8, "beta": 0.001})
                self.assertTrue(any("rewards/plan_valid/mean" in r for r in made.state.log_history))

    def test_dpo(self):
        for form in self.data:
            with self.subTest(form=form):
                self.train(real.DPOTrainer, real.DPOConfig, form, "trl-dpo")

    def test_kto(self):
        for form in self.data:
            with self.subTest(form=form):
                self.train(real.KTOTrainer, real.KTOConfig, form, "trl-kto-parquet")


if __name__ == "__main__":
    unittest.main()
