"""Task rows (docs/ORACLE.md, Tasks): what ``planproof prompt --json`` and the exporters write."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

from ._adapt import content_text, read_json
from .schema import Reader, Task, check_reader


@dataclass(frozen=True)
class Row:
    """One task: its name, what the oracle knows it by, the messages that a model sees,
    and what it must not see."""

    id: str
    task: Task
    system: str | None
    prompt: str
    gold: Mapping[str, Any] | None = field(default=None, repr=False)
    #: How answers to the prompt are read, "strict" or "natural"; None if the row does not say.
    reader: Reader | None = None


def read_rows(path: str | Path) -> list[Row]:
    """Reads a file of rows. Raises ValueError with all bad ones (of more than 20 with 20), each with its line."""
    folder, rows, faults = Path(path).parent, [], []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                rows.append(row_of(read_json(line), folder, f"{Path(path).stem}-{number}"))
            except (ValueError, OSError, TypeError) as err:
                faults.append(f"{path}:{number}: {err}")
    if faults:
        raise ValueError("\n".join(faults[:20] + [f"and {len(faults) - 20} more"] * (len(faults) > 20)))
    if not rows:
        raise ValueError(f"{path}: no rows")
    return rows


def row_of(data: Any, folder: Path = Path("."), name: str = "") -> Row:
    """Reads one row."""
    if not isinstance(data, Mapping):
        raise ValueError("the row is no object")
    system, prompt = _prompt(data.get("prompt"))
    gold = data.get("gold")
    reader = data.get("reader")
    return Row(str(data.get("id") or name), _task(data, folder), system, prompt, gold if isinstance(gold, Mapping) else None,
               check_reader(reader) if isinstance(reader, str) else None)


def task_hash(domain: str, problem: str) -> str:
    """The name of a task by its texts, as rows and the oracle have it (docs/ORACLE.md)."""
    return "sha256:" + hashlib.sha256(f"{domain}\0{problem}".encode(errors="surrogatepass")).hexdigest()


def wrong_hash(data: Mapping[str, Any]) -> str | None:
    """What is wrong with the hash of a row with texts, None if it has none or the right one:
    a row that was altered is about another task than it says."""
    told, domain, problem = data.get("task"), data.get("domain_text"), data.get("problem_text")
    if not isinstance(told, str) or not told.startswith("sha256:") or not isinstance(domain, str) or not isinstance(problem, str):
        return None
    is_ = task_hash(domain, problem)
    return None if told == is_ else f"the row's task is {told[:80]}, and its texts have the hash {is_}"


def _task(data: Mapping[str, Any], folder: Path) -> Task:
    domain, problem = data.get("domain_text"), data.get("problem_text")
    if domain and problem:
        if wrong := wrong_hash(data):
            raise ValueError(wrong)
        return {"domain": domain, "problem": problem}
    if data.get("task"):
        task: Task = data["task"]
        return task
    if data.get("domain") and data.get("problem"):
        return {name: (folder / data[name]).read_text(encoding="utf-8") for name in ("domain", "problem")}
    raise ValueError("the row has no task: domain_text and problem_text, task, or domain and problem")


def _prompt(value: Any) -> tuple[str | None, str]:
    if isinstance(value, str) and value:
        return None, value
    if isinstance(value, Mapping) and value.get("text"):
        return value.get("system") or None, value["text"]
    if isinstance(value, list) and value:
        system = [content_text(m.get("content")) for m in value if m.get("role") == "system"]
        others = [content_text(m.get("content")) for m in value if m.get("role") != "system"]
        if len(others) == 1:
            return "\n".join(system) or None, others[0]
        raise ValueError("the prompt is a chat of more than one message")
    raise ValueError("the row has no prompt: planproof prompt --json writes rows with one")


def gold_answer(gold: Mapping[str, Any] | None) -> str | None:
    """The gold plan as an answer that is read whatever the task's words are."""
    steps = (gold or {}).get("plan")
    if not isinstance(steps, list):
        return None
    return "<plan>\n" + "\n".join(map(str, steps)) + "\n</plan>"
