"""Preference pairs of a policy's own responses, for DPO and CA-DPO (CARL, appendix E).

Responses are sampled from the whole prompts, for CA-DPO also from the prompts without their
constraints; the oracle judges all of them on the whole task, and planproof.groups.pairs, whose
rules are those of ``planproof pairs``, chooses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from .. import groups
from ..client import Client
from .data import DataError, Row, decode, read_text
from .evaluate import Sample, judge
from .naming import naming
from .tokens import Tokenizer, UnknownToken


@dataclass(frozen=True)
class Pair:
    """A preference: to ``prompt``, the whole one, rather ``chosen`` than ``rejected``."""

    id: str
    prompt: str
    chosen: str
    rejected: str


def collect(rows: Sequence[Row], sample: Sample, client: Client, *, unconstrained: bool, samples: int = 8,
            loaded: bool = False, batch: int = 64, told: Callable[[int], None] = lambda done: None) -> list[groups.Sampled]:
    """``samples`` judged responses to each prompt, and with ``unconstrained`` as many to each
    prompt without its constraints. One list serves both rules: DPO ignores the latter.
    ``told`` hears of how many rows it is done."""
    if unconstrained and any(not row.prompt_unconstrained for row in rows):
        raise ValueError("there are rows without the column prompt_unconstrained")
    out: list[groups.Sampled] = []
    for start in range(0, len(rows), batch):
        part = rows[start:start + batch]
        for masked in (False, True)[: 1 + unconstrained]:
            answers = sample([row.prompt_unconstrained if masked else row.prompt for row in part], samples)
            flat = [(row, completion) for row, group in zip(part, answers, strict=True) for completion in group]
            verdicts = judge(client, [row for row, _ in flat], [completion for _, completion in flat], loaded=loaded)
            # A response that was cut off has no end that could be trained on.
            out += [groups.Sampled(row.id, text, v.valid, masked) for (row, (text, finish)), v in zip(flat, verdicts)
                    if finish != "length"]
        told(start + len(part))
    return out


def in_tokens(tokenizer: Tokenizer, rows: Sequence[Row], sampled: Sequence[groups.Sampled]) -> list[groups.Sampled]:
    """The answers that the model's tokens can tell. Sampled ones may have a word in a place where no text has it."""
    names = {row.id: naming(row.prompt, tokenizer.slots, "any") for row in rows}
    kept = []
    for answer in sampled:
        try:
            tokenizer.answer(names[answer.prompt].to(answer.text))
        except UnknownToken:
            continue
        kept.append(answer)
    return kept


def choose(rows: Sequence[Row], sampled: Sequence[groups.Sampled], rule: str, *, count: int = 0, per_prompt: int = 4,
           seed: int = 0) -> list[Pair]:
    """At most ``count`` pairs (0: no bound), in turn from all prompts. ``rule``: ``dpo`` (valid
    against invalid) or ``ca-dpo`` (valid against one to the prompt without its constraints)."""
    known = {row.id: row for row in rows}
    picked = groups.pairs(sampled, rule, count=count, per_prompt=per_prompt, seed=seed)
    return [Pair(sampled[c].prompt, known[sampled[c].prompt].prompt, sampled[c].text, sampled[r].text) for c, r in picked]


def write_pairs(path: str | Path, pairs: Sequence[Pair]) -> None:
    """Writes them as TRL reads them (planproof.trl.load_dpo), as a whole or not at all."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    part.write_text("".join(json.dumps(vars(pair)) + "\n" for pair in pairs), encoding="utf-8")
    part.replace(path)


def read_pairs(path: str | Path) -> list[Pair]:
    """Reads what write_pairs or ``planproof pairs`` wrote. Raises DataError with every fault."""
    out: list[Pair] = []
    errors: list[str] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        data = decode(line, f"{path}:{number}", errors)
        if data is None:
            continue
        lacks = [c for c in ("prompt", "chosen", "rejected") if not isinstance(data.get(c), str)]
        if lacks:
            errors.append(f"{path}:{number}:1: error[missing]: a pair without {', '.join(lacks)}")
            continue
        out.append(Pair(str(data.get("id", number)), data["prompt"], data["chosen"], data["rejected"]))
    if errors:
        raise DataError(errors)
    return out


__all__ = ["Pair", "choose", "collect", "in_tokens", "read_pairs", "write_pairs"]
