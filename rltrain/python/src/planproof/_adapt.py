"""What the adapters share: reading data set rows and messages."""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

from .errors import RequestRefused
from .schema import Item, Task, check_reader


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, also for a name given twice in an object,
    of which ``json.loads`` takes the last: the oracle refuses such rows as well."""
    return json.loads(text, object_pairs_hook=_object)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(members)
    if len(out) < len(members):
        seen: set[str] = set()
        for name, _ in members:
            if name in seen:
                raise ValueError(f"the member {json.dumps(name, ensure_ascii=False)} is given twice")
            seen.add(name)
    return out


def completion_text(completion: Any) -> str:
    """The text of an answer: itself, or the last message of the assistant in a chat."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, (list, tuple)):
        for message in reversed(completion):
            role = _get(message, "role")
            if role in ("assistant", None):
                return content_text(_get(message, "content"))
        return ""
    return content_text(_get(completion, "content"))


def content_text(content: Any) -> str:
    """The text of a message's content: a text, or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(str(_get(part, "text") or "") if not isinstance(part, str) else part for part in content)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def read_task(value: Any) -> Task:
    """The task of a data set row: a hash or name, its texts, or JSON with one of these,
    ``{"task": ...}`` or ``{"domain": ..., "problem": ...}``, as the exporters write."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = read_json(value)
        except ValueError as err:
            raise RequestRefused("bad_request", f"the row's task is no JSON: {err}") from None
    if isinstance(value, Mapping):
        if value.get("task"):
            return read_task(value["task"])
        for domain, problem in (("domain_text", "problem_text"), ("domain", "problem")):
            if value.get(domain) and value.get(problem):
                return {"domain": value[domain], "problem": value[problem]}
    elif isinstance(value, str) and value:
        return value
    raise RequestRefused("bad_request", f"the row names no task: {str(value)[:200]!r}")


def read_item(row: Any, completion: str, finish: Any = None, known: Mapping[str, Any] = {}) -> Item:
    """An item of a row that names a task and may tell ``gold``, ``budget`` and ``reader``, also as JSON;
    ``known`` are columns of the same names beside it.

    finish: "length" if the completion was cut off, another text if it was not. None is not
    known, as many trainers do not say it, and counts as cut off: it matters only where the plan's
    block was opened and not closed, and there the same answer must not have two rewards.
    """
    task = read_task(row)
    if isinstance(row, str) and row.lstrip()[:1] == "{":
        row = read_json(row)
    told = row if isinstance(row, Mapping) else {}
    gold, budget, reader = (_loaded(told.get(name, known.get(name))) for name in ("gold", "budget", "reader"))
    return Item(task, completion, finish if isinstance(finish, str) and finish else "length", gold if isinstance(gold, Mapping) else None, budget,
                reader=check_reader(reader) if isinstance(reader, str) else None)


def plain(value: Any) -> Any:
    """A value with dicts and lists for mappings and sequences of other kinds, such as a
    configuration's."""
    if isinstance(value, Mapping):
        return {str(name): plain(value[name]) for name in value}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(v) for v in value]
    return value


def _loaded(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_json(value)
        except ValueError:
            return value
    return value
