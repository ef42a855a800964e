"""What the tests with the real verl share: a configuration, a tokenizer, rows."""

from __future__ import annotations

import json
import os
import string
import tempfile
import unittest
import warnings
from importlib.metadata import entry_points
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"

from tests.support import PACKAGE, binary

# Ray's workers have our source before the wheel that was installed for its entry point.
os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE / "src"), str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ["PYTHONWARNINGS"] = "ignore"
warnings.simplefilter("ignore")

try:
    import numpy as np
    import ray
    import torch
    import verl
    from hydra import compose, initialize_config_dir
    from tensordict import TensorDict
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from verl import DataProto
except ImportError as err:
    raise unittest.SkipTest(f"SKIP verl: {err}") from None
if "planproof" not in entry_points(group="verl.plugins").names:
    raise unittest.SkipTest("SKIP verl: planproof is not installed beside it, so that verl cannot find its plug-in")

SPECIAL = ["<pad>", "<eos>", "<unk>", "<user>", "<assistant>"]
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
TEMPLATE = "{% for m in messages %}<user>{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"


def make_tokenizer(folder: str) -> PreTrainedTokenizerFast:
    """One token a character, kept in a folder."""
    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *CHARACTERS])}
    tok = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tok.decoder = decoders.Fuse()
    tok.add_special_tokens(SPECIAL)
    made = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", clean_up_tokenization_spaces=False)
    made.chat_template = TEMPLATE
    made.save_pretrained(folder)
    return made


def config_of(model: str, *overrides: str):
    """verl's own configuration of main_ppo, as its command line would make it."""
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose("ppo_trainer", overrides=[f"actor_rollout_ref.model.path={model}", *overrides])


def samples(tokenizer, rows, width: int = 0) -> DataProto:
    """Finished rollouts, padded as verl pads a batch: rows of (prompt, response ids, task)."""
    prompts = [tokenizer.encode(p) for p, _, _ in rows]
    responses = [list(r) for _, r, _ in rows]
    left, right = max(map(len, prompts)), max(width, *map(len, responses))
    pad = tokenizer.pad_token_id
    batch = TensorDict({
        "prompts": torch.tensor([[pad] * (left - len(p)) + p for p in prompts]),
        "responses": torch.tensor([r + [pad] * (right - len(r)) for r in responses]),
        "attention_mask": torch.tensor([[0] * (left - len(p)) + [1] * (len(p) + len(r)) + [0] * (right - len(r)) for p, r in zip(prompts, responses)]),
    }, batch_size=len(rows))
    objects = lambda values: np.array([*values, None], dtype=object)[:-1]  # noqa: E731 - never a matrix
    return DataProto(batch=batch, non_tensor_batch={
        "data_source": objects(["planproof/blocksworld"] * len(rows)),
        "reward_model": objects([{"style": "rule", "ground_truth": json.dumps({"task": t})} for _, _, t in rows]),
        "extra_info": objects([{"index": i, "split": "train"} for i in range(len(rows))]),
    })


class VerlCase(unittest.TestCase):
    """A Ray cluster of this machine, a tokenizer, and the oracle's binary."""

    @classmethod
    def setUpClass(cls):
        os.environ["PLANPROOF_BIN"] = binary()
        os.environ.pop("PLANPROOF_URL", None)
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = holder.name
        cls.tokenizer = make_tokenizer(cls.folder)
        if not ray.is_initialized():
            ray.init(num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level="error")

    def ids(self, text: str, end: bool = True) -> list[int]:
        return self.tokenizer.encode(text) + [self.tokenizer.eos_token_id] * end


__all__ = ["VerlCase", "config_of", "make_tokenizer", "samples"]
