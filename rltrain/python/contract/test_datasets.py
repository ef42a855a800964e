"""The real datasets (and pyarrow): files of planproof export, loaded as trainers load them."""

import json
import os
import subprocess
import tempfile
import unittest

from tests.support import binary

try:
    import datasets
    import pyarrow.parquet
except ImportError as err:
    raise unittest.SkipTest(f"SKIP datasets: {err}") from None

from planproof import verl
from planproof.trl import load_dpo, plan_valid

datasets.disable_progress_bars()
FORMATS = ("jsonl", "verl", "verl-sft", "trl-grpo", "trl-sft", "trl-sft-messages", "trl-dpo", "trl-kto", "trl-prm",
           *(f"trl-{name}-parquet" for name in ("grpo", "sft", "sft-messages", "dpo", "kto", "prm")))


def export(folder, *args, formats=FORMATS):
    """A small data set in a folder."""
    command = [binary(), "export", "blocksworld", "blocks=3", "--count", "12", "--split", "100,0,0,0", "-o", folder, *args]
    subprocess.run(command + [x for name in formats for x in ("--format", name)], check=True, capture_output=True, timeout=120)


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        cls.folder = tempfile.TemporaryDirectory()
        cls.chats, cls.texts = (os.path.join(cls.folder.name, name) for name in ("chats", "texts"))
        export(cls.chats, "--system", "Plan.")
        export(cls.texts, "--text", "--style", "compact", "--thoughts", "long", "--inline-tasks")
        with open(os.path.join(cls.chats, "train.jsonl")) as lines:
            cls.rows = [json.loads(line) for line in lines]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def load(self, folder, name):
        """A format's rows; whatever its file is."""
        kind, ending = ("parquet", "parquet") if name.endswith("-parquet") or name.startswith("verl") else ("json", "jsonl")
        path = os.path.join(folder, name.removesuffix("-parquet"), f"train.{ending}")
        with tempfile.TemporaryDirectory() as cache:
            return datasets.load_dataset(kind, data_files=path, cache_dir=cache, split="train", keep_in_memory=True)

    def test_verl(self):
        text, chat = datasets.Value("string"), datasets.List({"role": datasets.Value("string"), "content": datasets.Value("string")})
        rows = self.load(self.chats, "verl")
        self.assertEqual(dict(rows.features), {
            "data_source": text, "prompt": chat, "ability": text, "reward_model": {"style": text, "ground_truth": text},
            "extra_info": {"index": datasets.Value("int64"), "split": text, "info": text}, "unconstrained_prompt": chat,
        })
        for i, (row, want) in enumerate(zip(rows, self.rows, strict=True)):
            self.assertEqual(row["prompt"], [{"role": "system", "content": "Plan."}, {"role": "user", "content": want["prompt"]}])
            self.assertEqual((row["extra_info"]["index"], row["extra_info"]["split"], row["data_source"]), (i, "train", "planproof/blocksworld"))
            self.assertEqual(json.loads(row["extra_info"]["info"])["id"], want["id"])

    def test_verl_rewards(self):
        tasks = os.path.join(self.chats, "train.jsonl")
        for folder, settings in ((self.chats, {"tasks": tasks}), (self.texts, {})):
            with open(os.path.join(folder, "train.jsonl")) as lines:
                golds = [json.loads(line)["answer"] for line in lines]
            for row, gold in zip(self.load(folder, "verl"), golds, strict=True):
                ask = (row["data_source"], gold, row["reward_model"]["ground_truth"], row["extra_info"])
                got = verl.compute_score_sync(*ask, spec="multirobot", **settings)
                self.assertEqual((got["acc"], got["ref_len"]), (1.0, got["plan_len"]))
                self.assertEqual(verl.compute_score_sync(ask[0], "nothing", *ask[2:], **settings)["acc"], 0.0)

    def test_both_forms_have_the_same_rows(self):
        for folder in (self.chats, self.texts):
            for name in ("trl-grpo", "trl-sft", "trl-sft-messages", "trl-dpo", "trl-kto", "trl-prm"):
                lines, columns = self.load(folder, name), self.load(folder, name + "-parquet")
                self.assertEqual(lines.features, columns.features, name)
                self.assertEqual(lines.to_list(), columns.to_list(), name)

    def test_grpo_rewards(self):
        rows = self.load(self.texts, "trl-grpo")
        with open(os.path.join(self.texts, "train.jsonl")) as lines:
            golds = [json.loads(line)["answer"] for line in lines]
        columns = {name: rows[name] for name in rows.column_names if name != "prompt"}
        self.assertEqual(plan_valid(prompts=rows["prompt"], completions=golds, **columns), [1.0] * len(golds))
        self.assertEqual(plan_valid(prompts=rows["prompt"], completions=["?"] * len(golds), **columns), [0.0] * len(golds))

    def test_sft(self):
        for row, want in zip(self.load(self.chats, "trl-sft"), self.rows, strict=True):
            self.assertEqual(row["completion"], [{"role": "assistant", "content": want["answer"]}])
        for row in self.load(self.texts, "trl-sft"):
            self.assertTrue(row["prompt"].endswith("plan:\n"), row["prompt"])
            self.assertTrue(row["completion"].startswith("<think>\nstate: "), row["completion"])
        for name in ("verl-sft", "trl-sft-messages"):
            for row, want in zip(self.load(self.chats, name), self.rows, strict=True):
                self.assertEqual([m["role"] for m in row["messages"]], ["system", "user", "assistant"])
                self.assertEqual(row["messages"][2]["content"], want["answer"])

    def test_dpo_as_planproof_loads_it(self):
        for folder in (self.chats, self.texts):
            want = load_dpo(os.path.join(folder, "trl-dpo", "train.jsonl"))
            self.assertEqual(self.load(folder, "trl-dpo-parquet").to_list(), want)
            self.assertGreaterEqual(len(want), 3 * len(self.rows))

    def test_parquet_says_nothing_of_time_and_place(self):
        for folder in (self.chats, self.texts):
            for base, _, names in os.walk(folder):
                for name in names:
                    if name.endswith(".parquet"):
                        about = pyarrow.parquet.read_metadata(os.path.join(base, name))
                        self.assertEqual((about.created_by, about.metadata or {}), ("planproof version 1(build 0)", {}))


if __name__ == "__main__":
    unittest.main()
