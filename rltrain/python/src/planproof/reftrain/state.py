"""What a run keeps on disk, so that it can be killed at any moment.

::

    out/config.json      what the run is made of: settings, and the sums of its inputs
    out/metrics.csv      a row a step, the same bytes for the same run
    out/timing.csv       seconds and tokens a second of each step
    out/events.jsonl     warnings, outages, probes
    out/checkpoint.pt    everything that going on needs, every few steps
    out/model.pt         the trained model, when the run is done
    out/.lock            held while a process trains into the folder

Files are replaced, never rewritten. No state of a random generator is kept: order and
draws are functions of the seed and the step.
"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import hashlib
import io
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

import torch

from ..errors import PlanproofError
from .config import ConfigError, ModelConfig, PretrainedConfig, make
from .model import Decoder, Model
from .progress import Progress
from .tokens import Tokenizer

FORMAT = "planproof.reftrain/1"


class BadFile(PlanproofError):
    """A checkpoint or model file that cannot be used."""


def write_atomic(path: str | os.PathLike[str], write: Callable[[Any], None]) -> None:
    """Calls write with a binary file that takes path's place when all of it is on disk.
    What is there and no file, such as /dev/stdout, is written to."""
    path = Path(path)
    if path.exists() and not path.is_file():
        with open(path, "wb") as f:
            write(f)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as f:
            write(f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Writes JSON with sorted keys."""
    text = json.dumps(value, indent=2, sort_keys=True) + "\n"
    write_atomic(path, lambda f: f.write(text.encode()))


@contextlib.contextmanager
def cpu_noted(path: Path, name: str) -> Iterator[None]:
    """Adds the CPU seconds of what runs within to those of a name in a JSON file."""
    began = resource.getrusage(resource.RUSAGE_SELF)
    yield
    ended = resource.getrusage(resource.RUSAGE_SELF)
    spent = json.loads(path.read_text()) if path.exists() else {}
    used = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    spent[name] = round(spent.get(name, 0.0) + used, 1)
    write_json(path, spent)


def file_sum(path: str | os.PathLike[str]) -> str:
    """sha256 of a file's content."""
    total = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            total.update(block)
    return "sha256:" + total.hexdigest()


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a file of save: tensors on the CPU and plain data, nothing that runs."""
    try:
        data = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as err:
        raise BadFile(f"{path}: {err.strerror}") from None
    except Exception as err:
        raise BadFile(f"{path}: no checkpoint: {str(err).splitlines()[0] if str(err) else type(err).__name__}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadFile(f"{path}: no file of {FORMAT}")
    floats: dict[str, Any] = _floats(data, torch.Tensor, lambda x: x.item() if x.dtype == torch.float64 and x.dim() == 0 else x)
    return floats


def save(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Writes tensors and plain data."""
    # The safe reader of PyTorch 1.13 takes no floats, so they are written as tensors.
    data = _floats(data, float, lambda x: torch.tensor(x, dtype=torch.float64))
    whole = io.BytesIO()  # PyTorch's writer ends the process when a disk is full
    torch.save({"format": FORMAT, **data}, whole)
    write_atomic(path, lambda f: f.write(whole.getbuffer()))


def _floats(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """The value with what is of that kind in it changed."""
    if isinstance(value, dict):
        return {k: _floats(v, kind, change) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_floats(v, kind, change) for v in value)
    return change(value) if isinstance(value, kind) else value


class Loaded(NamedTuple):
    """A model with its words, and what is known of how it was made."""

    model: Model
    tokenizer: Tokenizer
    about: dict[str, Any]


def model_state(model: Model, tokenizer: Tokenizer) -> dict[str, Any]:
    """What load_model needs."""
    config = vars(model.config)
    return {"config": dict(config), "weights": model.weights(), **tokenizer.state()}


def save_model(path: str | os.PathLike[str], model: Model, tokenizer: Tokenizer, about: dict[str, Any]) -> None:
    """Writes a trained model."""
    save(path, {"kind": "model", "about": about, **model_state(model, tokenizer)})


def model_file(path: str | os.PathLike[str]) -> Path:
    """The file of a run's folder that has its model: the last checkpoint when it was cut off."""
    path = Path(path)
    if not path.is_dir():
        return path
    whole, part = path / "model.pt", path / "checkpoint.pt"
    return part if part.exists() and not whole.exists() else whole


def load_model(path: str | os.PathLike[str] | PretrainedConfig, device: str = "auto", bf16: bool = False) -> Loaded:
    """Reads a model of save_model, or of a run's folder (model_file), or a pretrained one. Raises BadFile."""
    if isinstance(path, PretrainedConfig):
        from .pretrained import load_pretrained

        return load_pretrained(path, {}, pick_device(device), bf16)
    path = model_file(path)
    return read_model(load(path), path, device, bf16)


def read_model(data: dict[str, Any], path: Any, device: str = "auto", bf16: bool = False) -> Loaded:
    """A model of what load gave."""
    about = data.get("about", {"step": data.get("step")})  # a checkpoint's
    if data.get("form") == "text":
        from .pretrained import load_pretrained

        try:
            loaded = load_pretrained(make(PretrainedConfig, data["config"], str(path)), data["weights"], pick_device(device), bf16)
        except (KeyError, RuntimeError) as err:
            raise BadFile(f"{path}: no model: {err}") from None
        return loaded._replace(about=about)
    try:
        tokenizer = Tokenizer(data["vocabulary"], data.get("form", "words"), data.get("slots", 0))
        model = Decoder(make(ModelConfig, data["config"], str(path)), len(tokenizer), tokenizer.parts())
        model.load_state_dict(data["weights"])
    except (KeyError, ValueError, RuntimeError) as err:
        raise BadFile(f"{path}: no model: {err}") from None
    model.bf16 = bf16
    return Loaded(model.to(pick_device(device)), tokenizer, about)


def pick_device(name: str) -> torch.device:
    """The device of a setting."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device: there is no GPU that this PyTorch can use")
    return torch.device(name)


class Run:
    """A run's folder. Ending a ``with`` block closes its files.

    identity: what the run is made of; a folder of another run is refused.
    """

    def __init__(self, out: str | os.PathLike[str], identity: dict[str, Any], columns: list[str]):
        self.progress: Progress | None = None
        self.out, self.identity, self.columns = Path(out), identity, columns
        self.out.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self.out)
        for part in self.out.glob(".*.part"):  # of a process that was killed
            part.unlink()
        self._check()
        self.done = (self.out / "model.pt").exists()
        self._files: list[Any] = []

    def _check(self) -> None:
        path = self.out / "config.json"
        if not path.exists():
            if any(self.out.glob("*.pt")):
                raise ConfigError(f"{self.out}: it has a model, and no config.json that says of which run")
            write_json(path, self.identity)
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as err:
            raise BadFile(f"{path}: no JSON: {err}") from None
        if before != json.loads(json.dumps(self.identity)):
            raise ConfigError("\n".join(_differences(before, self.identity, str(path))))

    def resume(self) -> dict[str, Any] | None:
        """The last checkpoint, or None at the beginning; rows of later steps are dropped."""
        path = self.out / "checkpoint.pt"
        state = load(path) if path.exists() else None
        step = state["step"] if state else 0
        for name, columns in (("metrics.csv", self.columns), ("timing.csv", TIMING)):
            self._files.append(_cut_csv(self.out / name, columns, step))
        self._files.append(_cut_events(self.out / "events.jsonl", step))
        self._last = time.monotonic()
        return state

    def row(self, values: dict[str, Any], tokens: int) -> None:
        """Adds a step's row; values of columns that are missing stay empty."""
        now = time.monotonic()
        seconds, self._last = now - self._last, now
        metrics, timing, _ = self._files
        metrics.write(csv_row([values.get(name) for name in self.columns]))
        if self.progress is None:
            self.progress = Progress(self.identity.get("kind", "training"), self.identity.get("config", {}).get("steps", 0))
        told = [f"{name} {values[name]:.3f}" for name in ("loss", "reward", "valid") if isinstance(values.get(name), float)]
        self.progress.set(values["step"], ", ".join(told))
        timing.write(csv_row([values["step"], seconds, tokens, tokens / seconds if seconds > 0 else None]))

    def event(self, step: int, kind: str, **told: Any) -> None:
        """Notes something that happened at a step."""
        self._files[2].write(json.dumps({"step": step, "event": kind, **told}) + "\n")
        if kind == "warning":
            if self.progress is not None:
                self.progress.close()
            print(f"warning: step {step}: {told.get('message', '')}", file=sys.stderr, flush=True)

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Keeps what going on after state["step"] needs. The rows come to disk first."""
        for f in self._files:
            f.flush()
            os.fsync(f.fileno())
        save(self.out / "checkpoint.pt", {"kind": "checkpoint", **state})

    def finish(self, model: Model, tokenizer: Tokenizer, about: dict[str, Any]) -> None:
        """Writes the trained model and drops the checkpoint."""
        save_model(self.out / "model.pt", model, tokenizer, {**self.identity, **about})
        (self.out / "checkpoint.pt").unlink(missing_ok=True)
        self.done = True

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *exc: Any) -> None:
        if self.progress is not None:
            self.progress.close()
        for f in self._files:
            f.close()
        self._lock.close()


def _locked(out: Path) -> Any:
    """A file that holds the folder for as long as it is open; a kill lets it go, too. Two
    processes in one folder would take each other's rows and checkpoints away."""
    lock = open(out / ".lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise ConfigError(f"{out}: another process is training into this folder") from None
    return lock


TIMING = ["step", "seconds", "tokens", "tokens_per_second"]


def _differences(before: Any, now: Any, where: str, name: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            yield from _differences(before.get(key), now.get(key), where, f"{name}.{key}" if name else key)
    elif before != now:
        yield f"{where}: the run began with {name} = {json.dumps(before)}, not {json.dumps(now)}: use another folder"


def csv_row(values: list[Any]) -> str:
    """A line; numbers with at most nine digits, nothing for None."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        ["" if v is None else f"{v:.9g}" if isinstance(v, float) else int(v) if isinstance(v, bool) else v for v in values])
    return out.getvalue()


def _cut_csv(path: Path, columns: list[str], step: int) -> Any:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    head = csv_row(columns)
    if lines and step and lines[0] != head:
        raise BadFile(f"{path}: its columns are not those of this run")
    kept = [line for line in lines[1:] if line.endswith("\n") and int(line.split(",", 1)[0]) <= step]
    if len(kept) != step:
        raise BadFile(f"{path}: {len(kept)} rows up to step {step} of the checkpoint")
    return _rewrite(path, [head, *kept])


def _cut_events(path: Path, step: int) -> Any:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return _rewrite(path, [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step])


def _rewrite(path: Path, lines: list[str]) -> Any:
    write_atomic(path, lambda f: f.write("".join(lines).encode()))
    return open(path, "a", encoding="utf-8", buffering=1)
