"""Rewards for any trainer: rows of a data set and answers in, results out.

The modules for OpenRLHF, slime, rLLM, NeMo-RL, SkyRL and gymnasium are thin layers over this
one, and so is a reward function of your own::

    from planproof.rewards import Judge

    judge = Judge(spec="valid")                       # settings are planproof.Client's
    results = judge(rows, answers)                    # one request for the batch
    rewards = [result.score for result in results]

The task of a row is found wherever a trainer puts it (see task_of). When the oracle is unavailable
after all retries the call raises OracleUnavailable, and CircuitOpen if that happens too often:
an outage never becomes a reward of 0.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import Any, Mapping, Sequence

from ._adapt import completion_text, read_item
from .client import Client, shared_client
from .errors import RequestRefused
from .retry import Breaker
from .schema import Item, Result, settle

#: Columns that name the task, the first of these that a row has.
COLUMNS = ("ground_truth", "label", "task", "task_sha")
#: Columns that hold another row with one of COLUMNS: verl's, SkyRL's, NeMo-RL's.
NESTED = ("reward_model", "reward_spec", "extra_env_info")


def task_of(row: Any) -> Any:
    """What names the task in a row: the row itself if it is a name, a hash or JSON as the exporters
    write; else its column ground_truth, label, task, task_sha, domain_text with problem_text, or
    one of these in reward_model, reward_spec or extra_env_info."""
    if not isinstance(row, Mapping):
        return row
    for name in COLUMNS:
        if row.get(name):
            return row[name]
    for name in NESTED:
        if isinstance(row.get(name), Mapping):
            return task_of(row[name])
    return row


def item_of(row: Any, completion: Any, finish: Any = None) -> Item:
    """An item to score: an answer, a text or a chat, to the task of a row, with the row's gold and
    budget. finish is "length" if the answer was cut off."""
    return read_item(task_of(row), completion_text(completion), finish, row if isinstance(row, Mapping) else {})


class Judge:
    """Scores answers to rows. spec and settings are planproof.Client's; without url it is
    $PLANPROOF_URL, or a child process. Any number of threads may call it."""

    def __init__(self, spec: Any = None, **settings: Any):
        self.spec, self.settings = spec, settings
        self.breaker = Breaker()

    @property
    def client(self) -> Client:
        """The client, shared by all of this process with these settings."""
        return shared_client(**self.settings)

    def __call__(self, rows: Sequence[Any], completions: Sequence[Any], finishes: Sequence[Any] | None = None) -> list[Result]:
        """The results, in order. Raises OracleUnavailable, RequestRefused (a bad row), CircuitOpen."""
        self.breaker.check()
        ends = finishes if finishes is not None else [None] * len(completions)
        items = [item_of(*row) for row in zip(rows, completions, ends, strict=True)]
        return self._settle(self.client.score(items, spec=self.spec, on_error="none"))

    async def one(self, row: Any, completion: Any, finish: Any = None) -> Result:
        """The result of one answer; those that are awaited at the same time travel together."""
        self.breaker.check()
        future = self.client.submit(item_of(row, completion, finish), spec=self.spec)
        return self._settle([await asyncio.wrap_future(future)])[0]

    def _settle(self, results: Sequence[Result]) -> list[Result]:
        missing = [r for r in results if r.status in ("unavailable", "timeout")]
        self.breaker.count(len(missing), len(results), missing[0].message if missing else "")
        self.breaker.check()
        return settle(results, "raise")


def metrics(result: Result) -> dict[str, float]:
    """Numbers for logs: ``valid``, and the parts of the score."""
    return {"valid": float(result.valid), **{name: float(value) for name, value in result.components.items()}}


def after_prompt(query: str, prompt: str) -> str:
    """What follows the prompt in a query, before which a tokenizer may have put a mark. Without the
    prompt nothing is scored: a prompt can hold the plan of an example."""
    _, found, response = query.partition(prompt)
    if not found:
        raise RequestRefused("bad_request", "the query does not contain its prompt, so where the response begins is unknown")
    return response


_MARKS = re.compile(r"(?:\s*(?:<\|[^|<>\s]+\|>|<｜[^｜<>]+｜>|</s>|<eos>|<end_of_turn>))+\s*\Z")


def ended(response: str, marks: Sequence[str] | None = None) -> tuple[str, str | None]:
    """A response that was decoded with its special tokens: the text without those at its end, and
    how it ended. marks are the texts of the tokens that end an answer, else $PLANPROOF_EOS (with
    blanks between them): a response without any was cut off ("length"). Without marks nothing is
    known of that, and None is returned for it."""
    told = list(marks) if marks is not None else os.environ.get("PLANPROOF_EOS", "").split()
    text = _MARKS.sub("", response)
    for mark in told:
        if response.rstrip().endswith(mark):
            return text.rstrip().removesuffix(mark), "stop"
    return text, "length" if told else None


__all__ = ["COLUMNS", "Judge", "after_prompt", "ended", "item_of", "metrics", "task_of"]
