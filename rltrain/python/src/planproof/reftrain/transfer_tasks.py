"""Tasks of domains that a small model never saw: the schemas stand in the prompt, and nothing has a name of its own.

A prompt has a line for each action, then the first state and the goal::

    tope talu:x0:x1 zapuma:x1:x2 -> talu:x0:x2 - talu:x0:x1
    init talu:vulutu:zivevo zapuma:zivevo:binebi
    goal talu:vulutu:binebi

and an answer a line for each step, the action and what it asks for, ``tope talu:vulutu:zivevo zapuma:zivevo:binebi``,
which the judge gets as ``(tope vulutu zivevo binebi)``. Each time a task is shown, actions become ``a1``,
``a2``, ..., predicates ``p1``, ... and objects ``o1``, ..., drawn anew from pools that all domains share, and actions and
facts are put in their order. So a model can only read what an action asks for and does. A fact is one token, the
sum of its parts (ModelConfig.composed).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from typing import Any, Sequence

from ..client import Client
from .data import Row
from .naming import ACTIONS, PLACES, PREDICATES, VARIABLES, NoSlots, naming
from .stats import bootstrap, mean
from .tokens import SPECIAL, Tokenizer

_NAME = re.compile(r"[()]|[^\s()]+")


def parse(text: str) -> list[Any]:
    """The first list of a text in brackets; names in small letters."""
    stack: list[list[Any]] = [[]]
    for word in _NAME.findall(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(word.lower())
    first: list[Any] = stack[0][0]
    return first


def _part(whole: Sequence[Any], name: str) -> list[Any]:
    """What stands behind a keyword: a section of a list, or the member after a word."""
    for i, member in enumerate(whole):
        if isinstance(member, list) and member and member[0] == name:
            return member[1:]
        if member == name:
            found: list[Any] = whole[i + 1]
            return found
    return []


def _facts(condition: Sequence[Any]) -> list[list[str]]:
    return [list(fact) for fact in condition[1:]] if condition[:1] == ["and"] else [list(condition)] if condition else []


def prompt(domain: str, problem: str) -> str:
    """The schemas, the first state and the goal of a task. Only conjunctions of facts can be written."""
    lines = []
    for section in parse(domain):
        if isinstance(section, list) and section[0] == ":action":
            names = [word for word in _part(section, ":parameters") if word.startswith("?")]
            to = {name: f"x{i}" for i, name in enumerate(names)}
            told = [":".join(to.get(word, word) for word in fact) for fact in _facts(_part(section, ":precondition"))]
            effects = [fact for fact in _facts(_part(section, ":effect"))]
            added = [":".join(to.get(word, word) for word in fact) for fact in effects if fact[0] != "not"]
            deleted = [":".join(to.get(word, word) for word in fact[1]) for fact in effects if fact[0] == "not"]
            lines.append(" ".join([section[1], *told, "->", *added, "-", *deleted]))
    whole = parse(problem)
    lines.append(" ".join(["init", *(":".join(fact) for fact in _part(whole, ":init"))]))
    lines.append(" ".join(["goal", *(":".join(fact) for fact in _facts(_part(whole, ":goal")[0]))]))
    return "\n".join(lines) + "\n"


def rows(whole: Sequence[Row], objects: int, hardest: float) -> list[Row]:
    """The rows as this module tells them, those up to an optimal cost and within the pools; the sample of statistics
    is the domain."""
    out = []
    for row in whole:
        text = prompt(row.domain_text, row.problem_text)
        if row.difficulty > hardest or row.gold is None:
            continue
        try:
            naming(text, objects, "")
        except NoSlots:
            continue
        schemas = _schemas(text)
        if any(len(schema.binds) < schema.places for schema in schemas.values()):
            continue  # an action has an object that it asks nothing of
        answer = "".join(schemas[step[1:-1].split()[0]].told(step[1:-1].split()[1:]) + "\n" for step in row.gold["plan"])
        domain = row.id.rpartition("-")[0]
        out.append(replace(row, prompt=text, prompt_unconstrained=text, answer=answer, base_structure=domain, bin=f"{row.difficulty:g}"))
    return out


def vocabulary(objects: int) -> Tokenizer:
    """All facts over the pools, and all names."""
    words = {"\n", "->", "-", "init", "goal", *(f"a{i}" for i in range(1, ACTIONS + 1))}
    for names in ([f"o{i}" for i in range(1, objects + 1)], [f"x{i}" for i in range(VARIABLES)]):
        words |= {":".join([f"p{i}", *chosen]) for i in range(1, PREDICATES + 1) for n in range(PLACES + 1) for chosen in permutations(names, n)}
    words |= {f"o{i}" for i in range(1, objects + 1)}
    return Tokenizer(SPECIAL + tuple(sorted(words)), "words", objects)


def surprise(loaded: Any, whole: Sequence[Row], seed: int) -> dict[str, Any]:
    """How well gold answers are foretold: the mean of -log p over their tokens, with a 95 % interval by bootstrap over
    domains, and the share of tokens that are the likeliest. It tells models apart before they solve anything."""
    import torch

    from .model import pad_right
    from .sample import answer_pass

    words = loaded.tokenizer
    named = [(row, naming(row.prompt, words.slots, f"surprise {seed} {row.id}")) for row in whole]
    by_domain: dict[str, list[float]] = {}
    hits = 0
    for row, name in named:
        ids, _ = pad_right([words.answer(name.to(row.answer))], words.pad, loaded.model.device)
        with torch.no_grad():
            logps, _, stream = answer_pass(loaded.model, [words.prompt(name.to(row.prompt))], ids)
            hits += int((loaded.model.logits(stream).argmax(-1) == ids).sum())
        by_domain.setdefault(row.base, []).extend((-logps[0]).tolist())
    every = [x for values in by_domain.values() for x in values]
    return {"nats": mean(every), "nats_interval": bootstrap(list(by_domain.values())), "likeliest": hits / len(every)}


class _Schema:
    """What an action asks for, and how a step is written by it."""

    def __init__(self, line: str):
        before, _, after = line.partition(" -> ")
        self.name, *self.facts = before.split(" ")
        #: The variables, those that it asks something of, and how many variables it has.
        self.binds = sorted({word for fact in self.facts for word in fact.split(":")[1:]}, key=lambda word: int(word[1:]))
        self.places = 1 + max((int(word[1:]) for fact in [*self.facts, *after.split(" ")] for word in fact.split(":")[1:]), default=-1)

    def told(self, objects: Sequence[str]) -> str:
        """A step in an answer."""
        return " ".join([self.name, *(":".join([fact.split(":")[0], *(objects[int(word[1:])] for word in fact.split(":")[1:])]) for fact in self.facts)])

    def read(self, facts: Sequence[str]) -> list[str] | None:
        """The objects of a step, None if the facts are not what the action asks for of the same objects."""
        found: dict[str, str] = {}
        if len(facts) != len(self.facts):
            return None
        for asked, given in zip(self.facts, facts):
            predicate, *words = asked.split(":")
            name, *objects = given.split(":")
            if name != predicate or len(objects) != len(words) or any(found.setdefault(word, o) != o for word, o in zip(words, objects)):
                return None
        return [found[word] for word in self.binds]


def _schemas(text: str) -> dict[str, _Schema]:
    return {line.split(" ")[0]: _Schema(line) for line in text.split("\n") if " -> " in line}


def response(text: str, asked: str) -> str:
    """An answer to a prompt as the judge reads it; a step that cannot be read stays as it is, and no plan has it."""
    schemas, steps = _schemas(asked), []
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        name, *facts = line.split(" ")
        objects = schemas[name].read(facts) if name in schemas else None
        steps.append(f"({line})" if objects is None else f"({' '.join([name, *objects])})")
    return "<plan>\n" + "\n".join(steps) + "\n</plan>"


class Judge:
    """A client that puts answers into the form it reads."""

    def __init__(self, client: Client):
        self.client = client

    def score(self, items: Sequence[Any], **how: Any) -> Any:
        """The results of Client.score."""
        return self.client.score([item._replace(completion=response(item.completion, prompt(item.task["domain"], item.task["problem"]))) for item in items], **how)


__all__ = ["Judge", "parse", "prompt", "response", "rows", "surprise", "vocabulary"]
