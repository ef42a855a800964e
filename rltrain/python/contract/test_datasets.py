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
        path = os.path.join(folder, name, f"train.{ending}")
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


SPLITS = {"train": "train", "val": "validation", "test-clean": "test_clean", "test-contaminated": "test_contaminated"}


class AsTheyLie(unittest.TestCase):
    """A folder of planproof export, loaded without saying what is in it."""

    def loaded(self, *what):
        with tempfile.TemporaryDirectory() as cache:
            return datasets.load_dataset(*what, cache_dir=cache, keep_in_memory=True)

    def exported(self, *args):
        folder = self.enterContext(tempfile.TemporaryDirectory()) + "/data"
        said = subprocess.run([binary(), "export", *args, "-o", folder], capture_output=True, text=True, timeout=300)
        self.assertIn(said.returncode, (0, 2), said.stderr)  # 2: tasks that a format leaves out
        with open(folder + "/manifest.json") as file:
            files = json.load(file)["files"]
        return folder, {name: {SPLITS[f["split"]]: f["rows"] for f in files if f["format"] == name and f["rows"]} for name in {f["format"] for f in files}}

    def all_formats(self):
        refused = subprocess.run([binary(), "export", "blocksworld:3-5", "--format", "?", "-o", "x"], capture_output=True, text=True).stderr
        names = [word.strip() for word in refused.split("there are")[-1].strip().split(",")]
        self.assertGreaterEqual(len(names), 19, refused)
        return names

    def test_every_format_by_its_folder_and_by_its_configuration(self):
        names = self.all_formats()
        folder, rows = self.exported("blocksworld", "blocks=4..5", "--count", "40", "--constraints", "0..1", "--split", "40,20,20,20",
                                     *(x for name in names for x in ("--format", name)))
        self.assertEqual(sorted(rows), sorted(names))
        self.assertEqual({name: list(counts) for name, counts in rows.items()}, {name: list(SPLITS.values()) for name in names})
        configurations = datasets.get_dataset_config_names(folder)
        self.assertEqual(configurations[0], "jsonl")
        for name in names:
            ways = [(folder,), (folder, name)] if name == "jsonl" else [(f"{folder}/{name}",)] + [(folder, name)] * (name in configurations)
            for way in ways:
                self.assertEqual({split: len(part) for split, part in self.loaded(*way).items()}, rows[name], way)
        self.assertEqual(set(names) - set(configurations), {n for n in names if n.startswith("verl") or n.endswith("-parquet")} - {"verifiers"})
        # A row is in the split that it names.
        for split, part in self.loaded(folder).items():
            self.assertEqual({SPLITS[name] for name in part["split"]}, {split})

    def test_only_parquet(self):
        folder, rows = self.exported("blocksworld", "blocks=3", "--count", "20", "--format", "verl", "--format", "trl-grpo-parquet")
        self.assertEqual(datasets.get_dataset_config_names(folder), ["trl-grpo-parquet", "verl"])
        for name in rows:
            self.assertEqual({split: len(part) for split, part in self.loaded(folder, name).items()}, rows[name])

    def test_columns_that_splits_lack(self):
        """Constraints in one split alone, and whole and broken costs: one type in all."""
        folder, rows = self.exported("blocksworld", "blocks=4", "--count", "12", "--split", "50,50,0,0", "--schedule", "stack=1.5,*=1")
        for split, strip in (("train", True), ("val", False)):
            path = f"{folder}/{split}.jsonl"
            with open(path) as file:
                data = [json.loads(line) for line in file]
            for row in data:
                row.pop("constraints", None)
                if not strip:
                    row["constraints"] = ["(forbidden-stack a b)"]
                row["difficulty"] = 6 if strip else 6.5
            with open(path, "w") as file:
                file.writelines(json.dumps(row) + "\n" for row in data)
        for part in self.loaded(folder).values():
            self.assertEqual(part.features["constraints"], datasets.List(datasets.Value("string")))
            self.assertEqual(part.features["difficulty"], datasets.Value("float64"))

    def test_a_split_without_rows(self):
        folder, rows = self.exported("blocksworld:3-5", "--split", "100,0,0,0", "--format", "jsonl", "--format", "trl-ca-dpo")
        self.assertEqual(rows["trl-ca-dpo"], {})  # there is no pair, and an empty file
        self.assertEqual({split: len(part) for split, part in self.loaded(folder).items()}, {"train": 1})


if __name__ == "__main__":
    unittest.main()
