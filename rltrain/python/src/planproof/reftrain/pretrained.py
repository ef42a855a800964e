"""Language models that were trained elsewhere, from files at hand: a folder of transformers with safetensors, or a GGUF
file. Nothing is downloaded, and no code that comes with a model is run.

A Pretrained is asked and trained through the methods of Decoder, so that every rule works with it. Either low-rank
additions (LoRA, by peft) learn or the weights themselves, in all layers or the last ones. A file of a run keeps what
has learned, and the path and the sum of the rest.

The libraries are the extra ``planproof[pretrained]``; they are imported when a model is read, and not before.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, Mapping

import torch
from torch import Tensor, nn

from .config import ConfigError, PretrainedConfig, as_dict, without_place
from .model import Model, Prefix
from .state import BadFile, Loaded, file_sum
from .text_tokens import TextTokenizer

#: Files of a folder that say what a model does.
_KINDS = (".safetensors", ".gguf", ".json", ".model", ".txt", ".jinja")

#: LoRA adds its product times this.
_SCALE = 2.0


class RowCache:
    """Keys and values of prompts and answers so far, a row for each answer."""

    def __init__(self, past: Any, real: Tensor, group: int):
        self.past, self.real, self.group = past, real, group
        self.length = 0

    def rows(self, index: Tensor) -> None:
        """Keeps some of the prompts."""
        at = (index.unsqueeze(1) * self.group + torch.arange(self.group, device=index.device)).flatten()
        self.past.batch_select_indices(at)
        self.real = self.real[at]


class Pretrained(Model):
    """A causal language model of transformers."""

    rows = 128

    def __init__(self, net: Any, config: PretrainedConfig):
        super().__init__()
        self.net, self.config = net, config
        shape = net.config.get_text_config()
        self.width = shape.hidden_size
        self.context = min(config.context, getattr(shape, "max_position_embeddings", None) or config.context)
        self.eval()  # without dropout, as it is asked

    def weights(self) -> dict[str, Tensor]:
        return {name: p.detach() for name, p in self.net.named_parameters() if p.requires_grad}

    def restore(self, weights: Mapping[str, Tensor]) -> None:
        own = {name: p for name, p in self.net.named_parameters() if p.requires_grad}
        wrong = sorted(name for name in own.keys() | weights.keys()
                       if name not in own or name not in weights or own[name].shape != weights[name].shape)
        if wrong:
            raise RuntimeError(f"{len(wrong)} weights are not those of this model, such as {wrong[0]}")
        with torch.no_grad():
            for name, p in own.items():
                p.copy_(weights[name])

    def read(self, ids: Tensor, real: Tensor) -> Prefix:
        lengths = real.sum(1)
        if ids.shape[1] == 0:
            return Prefix([], real, lengths)
        past = self._pass(ids, real, (real.cumsum(1) - 1).clamp(min=0), _cache()).past_key_values
        return Prefix([(layer.keys, layer.values) for layer in past.layers], real, lengths)

    def cache(self, prefix: Prefix, group: int, length: int) -> RowCache:
        past = _cache()
        for i, (keys, values) in enumerate(prefix.layers):
            past.update(_each(keys, group), _each(values, group), i)
        return RowCache(past, _each(prefix.real, group), group)

    def forward(self, ids: Tensor, prefix: Prefix, cache: RowCache | None = None) -> Tensor:
        group, t = ids.shape[0] // prefix.lengths.shape[0], ids.shape[1]
        cache = cache or self.cache(prefix, group, t)
        cache.real = torch.cat((cache.real, torch.ones(ids.shape, dtype=torch.bool, device=ids.device)), 1)
        at = _each(prefix.lengths, group).unsqueeze(1) + torch.arange(cache.length, cache.length + t, device=ids.device)
        cache.length += t
        stream: Tensor = self._pass(ids, cache.real, at, cache.past).last_hidden_state
        return stream

    def logits(self, stream: Tensor) -> Tensor:
        scores: Tensor = self.net.get_output_embeddings()(stream)
        return scores.float()

    def _pass(self, ids: Tensor, real: Tensor, positions: Tensor, past: Any) -> Any:
        return self.net.base_model(input_ids=ids, attention_mask=real.long(), position_ids=positions, past_key_values=past, use_cache=True)


def _each(x: Tensor, group: int) -> Tensor:
    return x if group == 1 else x.repeat_interleave(group, 0)


def _cache() -> Any:
    return importlib.import_module("transformers").DynamicCache()


def _files(path: Path) -> list[Path]:
    """The files of a model. Raises BadFile."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BadFile(f"{path}: error[file]: there is no such folder or file")
    found = sorted(p for p in path.iterdir() if p.suffix in _KINDS and p.is_file())
    if (path / "config.json").exists() and any(p.suffix == ".safetensors" for p in found):
        return [p for p in found if p.suffix != ".gguf"]
    whole = [p for p in found if p.suffix == ".gguf"]
    if len(whole) != 1:
        raise BadFile(f"{path}: error[file]: neither config.json with safetensors nor one GGUF file: there are {len(whole)}")
    return whole


def checksum(path: str | Path) -> str:
    """sha256 of the sums of a model's files, whatever the folder is called. Raises BadFile."""
    files = _files(Path(path))
    told = "".join(f"{file_sum(p)} {'' if len(files) == 1 else p.name}\n" for p in files)
    return "sha256:" + hashlib.sha256(told.encode()).hexdigest()


def found_at(config: PretrainedConfig) -> PretrainedConfig:
    """The settings with the absolute path and its sum. Raises BadFile if it is another one than they have."""
    path = Path(config.path).absolute()
    total = checksum(path)
    if config.sum not in ("", total):
        raise BadFile(f"{path}: error[other_weights]: {total}, but the run began with {config.sum}")
    return replace(config, path=str(path), sum=total)


def load_pretrained(config: PretrainedConfig, weights: Mapping[str, Tensor], device: torch.device, bf16: bool) -> Loaded:
    """The model of settings, with what has learned of it, if anything has. Raises BadFile and ConfigError."""
    config = found_at(config)
    path = Path(config.path)
    files = _files(path)
    gguf = files[0].suffix == ".gguf"
    libraries = {name: _library(path, name) for name in ("transformers", "peft", "safetensors", *["gguf"] * gguf)}
    where: dict[str, Any] = {"pretrained_model_name_or_path": str(files[0].parent), "local_files_only": True}
    where.update({"gguf_file": files[0].name} if gguf else {})
    more = {} if gguf else {"use_safetensors": True}
    try:
        with _quiet(libraries["transformers"]):
            net = libraries["transformers"].AutoModelForCausalLM.from_pretrained(**where, **more, dtype=torch.float32)
            inner = libraries["transformers"].AutoTokenizer.from_pretrained(**where)
    except Exception as err:  # the libraries raise whatever they find in a file
        raise BadFile(f"{path}: error[model]: {str(err).strip().splitlines()[0] if str(err).strip() else type(err).__name__}") from None
    if config.chat and not inner.chat_template:
        raise ConfigError(f"{path}: error[chat]: its tokenizer has no template of chats: leave out chat=true")
    _choose(net, config, libraries["peft"])
    model = Pretrained(net, config)
    _check(model, path)
    if weights:
        model.restore(weights)
    model.bf16 = bf16
    return Loaded(model.to(device), TextTokenizer(inner, _end(net, inner, path), config.slots, config.chat), {"pretrained": without_place(as_dict(config))})


def _library(path: Path, name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as err:
        raise BadFile(f"{path}: error[missing_library]: a pretrained model needs {err.name}: pip install 'planproof[pretrained]'") from None


@contextlib.contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keeps bars and remarks off the terminal; what is wrong is raised."""
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(level)


def _end(net: Any, inner: Any, path: Path) -> int:
    """The token that ends an answer: the tokenizer's, if the model knows it as an end, else the model's first."""
    told = getattr(net.generation_config, "eos_token_id", None)
    told = net.config.get_text_config().eos_token_id if told is None else told
    ends = told if isinstance(told, list) else [told]
    if ends[0] is None:
        raise BadFile(f"{path}: error[model]: it has no token that ends a text (eos_token_id)")
    return int(inner.eos_token_id if inner.eos_token_id in ends else ends[0])


def _choose(net: Any, config: PretrainedConfig, peft: Any) -> None:
    """Which weights learn."""
    layers = next(part for part in net.base_model.children() if isinstance(part, nn.ModuleList))
    if config.last > len(layers):
        raise ConfigError(f"last: {config.last}, but the model has {len(layers)} layers")
    chosen = list(range(len(layers) - config.last if config.last else 0, len(layers)))
    if config.lora:
        names = sorted({name.rpartition(".")[2] for name, part in layers.named_modules() if isinstance(part, nn.Linear)})
        peft.inject_adapter_in_model(peft.LoraConfig(r=config.lora, lora_alpha=_SCALE * config.lora, target_modules=names, layers_to_transform=chosen), net)
        for name, p in net.named_parameters():
            p.requires_grad_("lora_" in name)
    elif config.last:
        net.requires_grad_(False)
        for i in chosen:
            layers[i].requires_grad_(True)


@torch.no_grad()
def _check(model: Pretrained, path: Path) -> None:
    """Raises BadFile for a model whose scores are not those of its own forward pass when prompts are read apart, padded."""
    ids = torch.tensor([[3, 4, 5, 6], [3, 3, 4, 5]]) % model.net.config.get_text_config().vocab_size
    real = torch.tensor([[True] * 4, [False] + [True] * 3])
    prefix = model.read(ids[:, :2], real[:, :2])
    got = model.logits(model(ids[:, 2:], prefix))
    wanted = torch.stack((model.net(ids[:1]).logits[0, 2:], model.net(ids[1:, 1:]).logits[0, 1:])).float()
    if not torch.allclose(got, wanted, rtol=1e-3, atol=1e-3 * float(wanted.abs().max())):
        raise BadFile(f"{path}: error[architecture]: {type(model.net).__name__} cannot be read prompt and answer apart")


__all__ = ["Pretrained", "checksum", "found_at", "load_pretrained"]
