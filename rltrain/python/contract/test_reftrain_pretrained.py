"""The reference trainer from a language model in a folder: a tiny random llama with a tokenizer of its own goes all ways.
Needs torch, transformers, tokenizers, safetensors and peft."""

import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from tests.support import PACKAGE, binary

try:
    import peft  # noqa: F401 - asked for here, so that the skip names it
    import tokenizers
    import torch
    import transformers
except ImportError as err:
    raise unittest.SkipTest(f"SKIP pretrained: {err.name} is not installed") from None

try:
    import gguf
except ImportError:
    gguf = None

from planproof.reftrain.__main__ import main
from planproof.reftrain.config import ConfigError, DPOConfig, PretrainedConfig, SFTConfig, make
from planproof.reftrain.dpo import run_dpo
from planproof.reftrain.model import pad_right
from planproof.reftrain.pairs import Pair, write_pairs
from planproof.reftrain.pretrained import checksum, load_pretrained
from planproof.reftrain.sample import answer_logps, sample
from planproof.reftrain.sft import run_sft
from planproof.reftrain.state import BadFile, load_model

from contract.reftrain_rows import rows

torch.set_num_threads(1)
RL = [word for told in ("steps=3", "prompts=4", "group=4", "max_tokens=24") for word in ("--set", told)]
TEMPLATE = "{% for m in messages %}<user>{{ m.content }}<end>{% endfor %}<model>"


def make_model(folder, texts, seed=0, template=TEMPLATE):
    """Two layers of width 32, and a byte-pair tokenizer of the texts."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    inner.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<end>", "<user>", "<model>"], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    words = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>")
    words.chat_template = template
    words.save_pretrained(folder)
    torch.manual_seed(seed)
    transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=512, bos_token_id=None, eos_token_id=words.eos_token_id, tie_word_embeddings=True)).save_pretrained(folder)


def make_gguf(folder, path):
    """The model of a folder as a GGUF file, with weights as they are."""
    net = transformers.LlamaForCausalLM.from_pretrained(folder)
    words = transformers.AutoTokenizer.from_pretrained(folder)
    told, shape = json.loads(words.backend_tokenizer.to_str())["model"], net.config
    out = gguf.GGUFWriter(path, "llama")
    out.add_context_length(shape.max_position_embeddings)
    out.add_embedding_length(shape.hidden_size)
    out.add_block_count(shape.num_hidden_layers)
    out.add_feed_forward_length(shape.intermediate_size)
    out.add_head_count(shape.num_attention_heads)
    out.add_head_count_kv(shape.num_key_value_heads)
    out.add_rope_dimension_count(shape.head_dim)
    out.add_rope_freq_base(10000.0)
    out.add_layer_norm_rms_eps(shape.rms_norm_eps)
    out.add_vocab_size(shape.vocab_size)
    out.add_tokenizer_model("gpt2")
    out.add_token_list(sorted(told["vocab"], key=told["vocab"].get))
    out.add_token_types([gguf.TokenType.CONTROL if i < 3 else gguf.TokenType.NORMAL for i in range(len(words))])
    out.add_token_merges([" ".join(pair) for pair in told["merges"]])
    out.add_bos_token_id(words.eos_token_id)
    out.add_add_bos_token(False)
    out.add_eos_token_id(words.eos_token_id)
    names = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
             "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
             "model.embed_tokens": "token_embd", "model.norm": "output_norm"}
    for name, p in net.named_parameters():
        layer, _, part = name.removeprefix("model.layers.").partition(".") if "layers" in name else ("", "", name)
        values, part = p.detach().numpy(), part.removesuffix(".weight")
        if part in ("self_attn.q_proj", "self_attn.k_proj"):  # GGUF has the two channels of a turn side by side
            values = values.reshape(-1, 2, shape.head_dim // 2, shape.hidden_size).swapaxes(1, 2).reshape(values.shape)
        out.add_tensor(f"blk.{layer}.{names[part]}.weight" if layer else f"{names[part]}.weight", values)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


class Pretrained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        cls.rows = rows(40)
        cls.base = cls.root / "base"
        with contextlib.redirect_stderr(io.StringIO()):
            make_model(cls.base, [text for row in cls.rows for text in (row.prompt, row.answer)])
        cls.file = cls.root / "train.jsonl"
        cls.file.write_text("".join(json.dumps({k: v for k, v in vars(row).items() if k != "best"}) + "\n" for row in cls.rows))
        cls.environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PLANPROOF_BIN": binary(), "OMP_NUM_THREADS": "1"}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def load(self, **settings):
        return load_pretrained(PretrainedConfig(path=str(self.base), **settings), {}, torch.device("cpu"), False)

    def command(self, *arguments):
        return [sys.executable, "-W", "ignore", "-m", "planproof.reftrain", *map(str, arguments)]

    def run_command(self, *arguments):
        done = subprocess.run(self.command(*arguments), env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_scores_are_those_of_the_model_itself(self):
        """Padded prompts of several lengths, two answers each, against one pass without padding for each answer."""
        loaded = self.load(lora=0)
        words, net = loaded.tokenizer, loaded.model.net
        prompts = [words.prompt(text) for text in ("plan:", self.rows[0].prompt, "goal: (at b)\nplan:\n")]
        answers = [words.answer(text) for text in ("(move a b)", "no", self.rows[0].answer, "(", self.rows[1].answer, "(move b c)\n")]
        ids, mask = pad_right(answers, words.pad)
        got = answer_logps(loaded.model, prompts, ids)
        for r, answer in enumerate(answers):
            whole = torch.tensor([prompts[r // 2] + answer])
            with torch.no_grad():
                scores = net(whole).logits[0].log_softmax(-1)
            n = len(prompts[r // 2])
            wanted = scores[n - 1:-1].gather(-1, whole[0, n:].unsqueeze(-1)).squeeze(-1)
            torch.testing.assert_close(got[r, :len(answer)], wanted, rtol=1e-4, atol=1e-4)

    def test_greedy_answers_are_those_of_the_library(self):
        loaded = self.load(lora=0)
        prompts = [loaded.tokenizer.prompt(row.prompt) for row in self.rows[:5]] + [loaded.tokenizer.prompt("plan:")]
        got = sample(loaded.model, loaded.tokenizer, prompts, group=2, temperature=0.0, max_tokens=12)
        for i, prompt in enumerate(prompts):
            ids = torch.tensor([prompt])
            wanted = loaded.model.net.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)[0, len(prompt):]
            for r in (2 * i, 2 * i + 1):
                self.assertEqual(got.ids[r][got.mask[r]].tolist(), wanted.tolist())

    def test_prompts_that_are_done_are_left_out(self):
        """Whose answers end early are dropped while others go on; the draws of these do not change."""
        loaded = self.load(lora=0)
        prompts = [loaded.tokenizer.prompt(row.prompt) for row in self.rows[:8]]
        with torch.no_grad():  # ends are as likely as all other tokens together
            ends = loaded.model.net.get_output_embeddings().weight
            ends.zero_()
        got = sample(loaded.model, loaded.tokenizer, prompts, group=2, temperature=0.05, max_tokens=40, seed=1)
        loaded.tokenizer.end = -1
        whole = sample(loaded.model, loaded.tokenizer, prompts, group=2, temperature=0.05, max_tokens=40, seed=1)
        for r in range(16):
            n = int(got.mask[r].sum())
            self.assertEqual(got.ids[r, :n].tolist(), whole.ids[r, :n].tolist())

    @unittest.skipIf(gguf is None, "SKIP GGUF: gguf is not installed")
    def test_gguf(self):
        """A file, and a folder with it, are the model of the folder that it was made of."""
        folder = self.root / "gguf"
        folder.mkdir()
        with contextlib.redirect_stderr(io.StringIO()):
            make_gguf(self.base, folder / "tiny.gguf")
        self.assertEqual(checksum(folder), checksum(folder / "tiny.gguf"))
        wanted = self.load()
        prompt = wanted.tokenizer.prompt(self.rows[0].prompt)
        for path in (folder, folder / "tiny.gguf"):
            got = load_pretrained(PretrainedConfig(path=str(path)), {}, torch.device("cpu"), False)
            self.assertEqual((got.tokenizer.prompt(self.rows[0].prompt), got.tokenizer.end), (prompt, wanted.tokenizer.end))
            answers = torch.tensor([wanted.tokenizer.answer("(move a b)")])
            torch.testing.assert_close(answer_logps(got.model, [prompt], answers), answer_logps(wanted.model, [prompt], answers))

    def test_tokens(self):
        words = self.load().tokenizer
        text = "[PLAN]\n(move a b)\n(move b c)\n[PLAN END]"
        numbers = words.answer(text)
        self.assertEqual(words.decode(numbers), text)
        lines, pieces = words.lines(numbers), [words._piece(n) for n in numbers]
        self.assertEqual((lines[0], lines[-1]), (1, 4))
        self.assertEqual("".join(p for p, line in zip(pieces, lines) if line == 2).split("\n")[0], "(move a b)")
        self.assertNotIn(")", "".join(pieces[words.after_atoms(numbers):]))
        self.assertIn(")", pieces[words.after_atoms(numbers) - 1])
        self.assertEqual(words.after_atoms(words.answer("no")), 0)
        self.assertEqual(words.prompt("plan:"), words.prompt("plan:\n"))
        chat = self.load(chat=True).tokenizer
        self.assertEqual(chat.inner.decode(chat.prompt("plan:")), "<user>plan:<end><model>")

    def test_what_learns(self):
        for settings, learns in (({"lora": 4}, lambda name: "lora_" in name), ({"lora": 4, "last": 1}, lambda name: "lora_" in name and ".1." in name),
                                 ({"lora": 0, "last": 1}, lambda name: "layers.1." in name), ({"lora": 0}, lambda name: True)):
            model = self.load(**settings).model
            names = {name for name, _ in model.net.named_parameters()}
            self.assertEqual(set(model.weights()), {name for name in names if learns(name)}, settings)
            self.assertTrue(model.weights(), settings)

    def column(self, run, name):
        with open(self.root / run / "metrics.csv", encoding="utf-8") as f:
            return [float(row[name]) for row in csv.DictReader(f)]

    def test_it_learns(self):
        """By heart, with all its weights; then GRPO has valid answers to go by."""
        run_sft(self.rows[:4], None, self.root / "full", make(SFTConfig, {"steps": 100, "batch": 4, "lr": 0.005}), start=PretrainedConfig(path=str(self.base), lora=0))
        losses = self.column("full", "loss")
        self.assertLess(losses[-1], 0.2 * losses[0])
        self.run_command("rl", "--data", self.file, "--start", self.root / "full", "--out", self.root / "full-rl", *RL)
        self.assertGreater(max(self.column("full-rl", "valid")), 0)
        before, after = (load_model(self.root / name).model.weights() for name in ("full", "full-rl"))
        self.assertTrue(any(not torch.equal(before[k], after[k]) for k in before))

    def test_all_ways(self):
        """sft, a kill, rl and evaluate by their commands."""
        root = self.root
        sft = ("sft", "--data", self.file, "--pretrained", self.base, "--pretrained-set", "lora=4", *("--set", "steps=30", "--set", "batch=8"),
               *("--set", "lr=0.01", "--set", "checkpoint_every=4", "--set", "slots=4"))
        self.run_command(*sft, "--out", root / "alone")
        child = subprocess.Popen(self.command(*sft, "--out", root / "killed"), env=self.environment)
        table = root / "killed/metrics.csv"
        while child.poll() is None and (not table.exists() or table.read_text().count("\n") < 7):
            time.sleep(0.005)
        self.assertIsNone(child.poll(), "the run ended before it could be killed")
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        self.assertFalse((root / "killed/model.pt").exists())
        self.run_command(*sft, "--out", root / "killed")
        for name in ("metrics.csv", "events.jsonl", "config.json", "model.pt"):
            self.assertEqual((root / "killed" / name).read_bytes(), (root / "alone" / name).read_bytes(), name)
        told = json.loads((root / "alone/config.json").read_text())
        self.assertEqual((told["model"]["sum"], told["model"]["path"]), (checksum(self.base), "base"))
        self.assertLess((root / "alone/model.pt").stat().st_size, (self.base / "model.safetensors").stat().st_size)

        rl = (*RL, "--set", "alpha=0.01", "--set", "degenerate=keep")  # so that something is learned of answers that are all wrong
        self.run_command("rl", "--data", self.file, "--start", root / "alone", "--out", root / "rl", *rl)
        self.run_command("rl", "--data", self.file, "--pretrained", self.base, "--pretrained-set", "lora=0", "--pretrained-set", "last=1",
                         "--out", root / "rl-last", *rl)
        for name in ("rl", "rl-last"):
            self.assertEqual(self.column(name, "step"), [1, 2, 3])
        start, now = load_model(root / "alone").model, load_model(root / "rl").model
        before, after = start.weights(), now.weights()
        self.assertTrue(any(not torch.equal(before[k], after[k]) for k in before))
        self.assertTrue(all(torch.equal(p, q) for (name, p), (_, q) in zip(start.net.named_parameters(), now.net.named_parameters()) if "lora_" not in name))

        for model in (("--model", root / "rl"), ("--pretrained", self.base, "--pretrained-set", "chat=true")):
            out = root / "figures.json"
            self.assertIn("held-out: 10 tasks", self.run_command("evaluate", *model, "--data", f"held-out={self.file}", "--tasks", 10,
                                                                 "--samples", 2, "--max-tokens", 8, "-o", out))
            figures = json.loads(out.read_text())["sets"]["held-out"]["summary"]
            self.assertEqual(figures["cut"]["n"], 10)

    def test_preferences(self):
        out = self.root / "dpo"
        out.mkdir()
        write_pairs(out / "pairs.jsonl", [Pair(row.id, row.prompt, row.answer, "(move a a)") for row in self.rows[:8]])
        run_dpo(PretrainedConfig(path=str(self.base), lora=4), self.rows, out, make(DPOConfig, {"steps": 30, "batch": 4, "lr": 0.01}), {})
        margins = self.column("dpo", "margin")
        self.assertAlmostEqual(margins[0], 0, places=4)
        self.assertGreater(margins[-1], 0.5)

    def test_the_experiment(self):
        """In small, by gpu-run.sh."""
        out = self.root / "experiment"
        experiment = ("experiment", "-o", out, "--preset", "pretrained-small")
        done = subprocess.run(self.command(*experiment), env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "error: --preset pretrained-small: --pretrained PATH says with which language model it begins\n"))
        done = subprocess.run([PACKAGE / "gpu-run.sh", out, "--small", "--pretrained", self.base], env={**self.environment, "PYTHON": sys.executable},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((out / "results.json").read_text())
        self.assertEqual(sorted(found["table"]), ["rft", "sft"])
        config = json.loads((out / "runs/sft-0/config.json").read_text())
        self.assertEqual((config["model"]["lora"], config["model"]["sum"]), (16, checksum(self.base)))

    def test_faults(self):
        def told(error, *arguments):
            err = io.StringIO()
            with contextlib.redirect_stderr(err):
                self.assertEqual(main([str(a) for a in arguments]), 2)
            self.assertIn(error, err.getvalue())

        sft = ("sft", "--data", self.file, "--out", self.root / "x", "--pretrained")
        told("nowhere: error[file]", *sft, "nowhere")
        told("neither config.json with safetensors nor one GGUF file", *sft, self.root)
        told("there is no setting 'rank'", *sft, self.base, "--pretrained-set", "rank=4")
        told("last: 3, but the model has 2 layers", *sft, self.base, "--pretrained-set", "last=3")
        told("--model are for new ones", *sft, self.base, "--model", "width=32")
        told("no token for a whole atom", *sft, self.base, *("--set", "every_best=true", "--set", "whole_atoms=true", "--set", "slots=4"))
        for name in ("transformers", "peft", "safetensors"):
            with mock.patch.dict(sys.modules, {name: None}):
                told(f"base: error[missing_library]: a pretrained model needs {name}: pip install 'planproof[pretrained]'", *sft, self.base)
        self.assertFalse((self.root / "x").exists())
        bare = self.root / "bare"
        make_model(bare, ["plan"], template=None)
        told("bare: error[chat]", *sft, bare, "--pretrained-set", "chat=true")
        (bare / "model.safetensors").write_bytes(b"nothing")
        told("bare: error[model]", *sft, bare)

    def test_other_weights_are_refused(self):
        base = self.root / "moved"
        make_model(base, [row.prompt for row in self.rows], seed=1)
        with contextlib.redirect_stderr(io.StringIO()):
            run_sft(self.rows, None, self.root / "run", make(SFTConfig, {"steps": 1, "batch": 2}), start=PretrainedConfig(path=str(base)))
        load_model(self.root / "run")
        make_model(base, [row.prompt for row in self.rows], seed=2)
        with self.assertRaisesRegex(BadFile, r"moved: error\[other_weights\]: sha256:.* but the run began with sha256:"):
            load_model(self.root / "run")

    def test_a_model_that_cannot_be_read_in_parts(self):
        """One whose own pass does more than the map from its stream to scores."""
        whole = transformers.LlamaForCausalLM.forward

        def twice(self, *args, **kw):
            out = whole(self, *args, **kw)
            out.logits = 2 * out.logits
            return out

        with mock.patch.object(transformers.LlamaForCausalLM, "forward", twice), self.assertRaisesRegex(BadFile, "architecture"):
            self.load()
        with self.assertRaisesRegex(ConfigError, "last"):
            self.load(last=9)


if __name__ == "__main__":
    unittest.main()
