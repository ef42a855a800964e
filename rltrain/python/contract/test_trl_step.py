"""PlanStepEnv with the real TRL: its loop of tools, its rewards, a step of GRPO. A script plays the
model's answers; the model that is trained on them is made here."""

import json
import os
import string
import subprocess
import tempfile
import unittest
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ["WANDB_DISABLED"] = os.environ["HF_HUB_OFFLINE"] = os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

from tests.support import TASK, binary, good_plan

try:
    import torch
    import trl as real
    from datasets import Dataset
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
except ImportError as err:
    raise unittest.SkipTest(f"SKIP trl_step: {err}") from None

from planproof import OracleUnavailable
from planproof.trl_adapt import PlanAdaptEnv
from planproof.trl_step import PlanStepEnv

SPECIAL = ["<pad>", "<|im_start|>", "<|im_end|>", "<unk>"]


def tokenizer():
    """One token a character, with Qwen3's template, which TRL knows the tool calls of."""
    words = {w: i for i, w in enumerate([*SPECIAL, *string.printable])}
    tok = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tok.decoder = decoders.Fuse()
    tok.add_special_tokens(SPECIAL)
    made = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<|im_end|>", unk_token="<unk>", padding_side="left",
                                   clean_up_tokenization_spaces=False)
    made.chat_template = (Path(real.__file__).parent / "chat_templates/qwen3.jinja").read_text()
    return made


class Down(PlanStepEnv):
    on_error = "none"
    settings = {"url": "http://127.0.0.1:9", "deadline": 0.05}


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        torch.set_num_threads(1)

    def train(self, environment, scripts, tool=("take_step", "step"), task=TASK):
        """One step of GRPO in which answer i of a group follows script i."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        tok = tokenizer()
        torch.manual_seed(0)
        LlamaForCausalLM(LlamaConfig(vocab_size=len(tok), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
                                     num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, eos_token_id=2)).save_pretrained(folder)
        tok.save_pretrained(folder)
        args = real.GRPOConfig(output_dir=folder, max_steps=1, use_cpu=True, bf16=False, report_to=[], logging_steps=1, save_strategy="no", disable_tqdm=True,
                               per_device_train_batch_size=len(scripts), num_generations=len(scripts), max_completion_length=6000)
        rows = Dataset.from_list([{"prompt": [{"role": "user", "content": "Solve it."}], "task": task}] * 4)
        trainer = real.GRPOTrainer(model=LlamaForCausalLM.from_pretrained(folder), args=args, train_dataset=rows, processing_class=tok, environment_factory=environment)
        texts = []

        def play(prompt_ids, *args, **kwargs):
            """The answers of a turn; all scripts have one length, so that nobody has ended before."""
            turn = tok.decode(prompt_ids[0]).count("<tool_response>")
            texts.extend(tok.decode(ids) for ids in prompt_ids)
            said = ["Done." if turn == len(script) else
                    f'<tool_call>\n{{"name": "{tool[0]}", "arguments": {{"{tool[1]}": "{script[turn]}"}}}}\n</tool_call>' for script in scripts]
            return [tok.encode(text) + [tok.eos_token_id] for text in said], None

        trainer._generate_single_turn = play
        trainer.train()
        return trainer.state.log_history[0], texts

    def test_episodes(self):
        good = good_plan().splitlines()[1:-1]
        log, texts = self.train(PlanStepEnv, [good, ["(put-down a)"] * len(good)])
        self.assertEqual(log["rewards/PlanStepEnv/mean"], 0.5)
        self.assertEqual(log["tools/call_frequency"], len(good))
        self.assertEqual(log["tools/failure_frequency"], 0)
        self.assertIn("Take one step at a time with the tool take_step. Now the blue block is clear", texts[0])
        self.assertTrue(any("The goal holds." in text for text in texts))
        self.assertTrue(any("step cannot be executed" in text for text in texts))

    def test_adaptive_episodes(self):
        """Whole plans by a tool: one script repeats its plan until patience is over, the other's second one passes."""
        task = "blocksworld:4-17"
        out = subprocess.run([binary(), "episode", "profile", task, "--seed", "1", "--rounds", "2", "--json"], capture_output=True, check=True).stdout
        first, best = "\\n".join(good_plan(task).splitlines()[1:-1]), "\\n".join(json.loads(out)["witness"])
        log, texts = self.train(PlanAdaptEnv, [[first, best, best], [first] * 3], tool=("propose_plan", "plan"), task=task)
        self.assertEqual((log["rewards/PlanAdaptEnv/mean"], log["tools/failure_frequency"]), (0.5, 0))
        self.assertTrue(any("The plan violates: " in text for text in texts))

    def test_an_outage_raises(self):
        with self.assertRaises(OracleUnavailable):
            self.train(type("Strict", (Down,), {"on_error": "raise"}), [["(unstack b c)"], ["(put-down a)"]])

    def test_an_outage_teaches_nothing(self):
        log, _ = self.train(Down, [["(unstack b c)"], ["(put-down a)"]])
        self.assertEqual(log["grad_norm"], 0.0)
        self.assertNotEqual(log["rewards/Down/mean"], 0.0)  # not a number: there is none


if __name__ == "__main__":
    unittest.main()
