"""The real verl on files of planproof export: its RLHF and SFT data sets, and the reward of
the rows that they give."""

import os
import tempfile
import unittest

os.environ["HF_HUB_OFFLINE"] = "1"

from tests.support import binary

try:
    from omegaconf import OmegaConf
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn
except ImportError as err:
    raise unittest.SkipTest(f"SKIP verl: {err}") from None

from contract.test_datasets import export
from planproof import verl

TEMPLATE = "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}{% if add_generation_prompt %}assistant : {% endif %}"
WORDS = ["<pad>", "<eos>", "<unk>", "\n", ")", "a", "b", "c", ":", "user", "assistant", "system", "Plan.", "objects:", "init:", "goal:", "plan:", "[PLAN]", "[PLAN", "END]",
         "<think>", "</think>", "step:", "needs:", "add:", "del:", "done", "(handempty", *(f"({p}" for p in "clear on ontable holding pick-up put-down stack unstack".split())]


def tokenizer():
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Split(Regex(r"\([^\s()]+|\)|[^\s()]+|\n"), "removed", invert=True)
    made = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    made.chat_template = TEMPLATE
    return made


class VerlData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        cls.folder = tempfile.TemporaryDirectory()
        os.environ["HF_DATASETS_CACHE"] = os.path.join(cls.folder.name, "cache")
        cls.data = os.path.join(cls.folder.name, "data")
        export(cls.data, "--style", "compact", "--answer", "natural", "--system", "Plan.", "--thoughts", "short", "--agent-name", "single_turn_agent",
               formats=("jsonl", "verl", "verl-sft"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_rlhf(self):
        path = os.path.join(self.data, "verl", "train.parquet")
        config = OmegaConf.create({"cache_dir": self.folder.name, "max_prompt_length": 256, "filter_overlong_prompts": True, "filter_overlong_prompts_workers": 1,
                                   "return_raw_chat": True, "need_tools_kwargs": False})
        rows = RLHFDataset(path, tokenizer(), config)
        self.assertGreater(len(rows), 4)
        batch = collate_fn([rows[i] for i in range(len(rows))])
        for name in ("data_source", "reward_model", "extra_info", "raw_prompt", "unconstrained_prompt", "agent_name", "index"):
            self.assertEqual(len(batch[name]), len(rows), name)
        self.assertEqual(list(batch["index"]), list(range(len(rows))))
        self.assertEqual([m["role"] for m in batch["raw_prompt"][0]], ["system", "user"])
        self.assertEqual(set(batch["agent_name"]), {"single_turn_agent"})
        got = verl.compute_score_sync(batch["data_source"][0], "[PLAN]\n[PLAN END]", batch["reward_model"][0]["ground_truth"], batch["extra_info"][0],
                                      tasks=os.path.join(self.data, "train.jsonl"))
        self.assertEqual((got["acc"], got["oracle_ok"]), (0.0, 1.0))

    def test_overlong_prompts_are_filtered(self):
        path = os.path.join(self.data, "verl", "train.parquet")
        config = OmegaConf.create({"cache_dir": self.folder.name, "max_prompt_length": 5, "filter_overlong_prompts": True, "filter_overlong_prompts_workers": 1})
        self.assertEqual(len(RLHFDataset(path, tokenizer(), config)), 0)

    def test_sft(self):
        path = os.path.join(self.data, "verl-sft", "train.parquet")
        rows = MultiTurnSFTDataset(path, tokenizer(), OmegaConf.create({"max_length": 512, "truncation": "error", "ignore_input_ids_mismatch": True}))
        words = tokenizer()
        for i in range(len(rows)):
            row = rows[i]
            told = words.decode(row["input_ids"][row["loss_mask"].bool()])
            self.assertIn("[PLAN]", told)  # the answer is what is learnt,
            self.assertNotIn("goal:", told)  # the prompt is not
            self.assertNotIn("<unk>", told)


if __name__ == "__main__":
    unittest.main()
