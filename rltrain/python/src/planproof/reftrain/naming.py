"""Names that a model never saw: objects get slots, drawn anew each time a task is shown. Where the prompt has
the schemas of a domain (transfer_tasks.py), so do actions and predicates.

A name carries no meaning, so none is learned. A compact prompt lists its objects in the line
``objects:``; each gets one of a few slots ``o1``, ``o2``, ..., which are all that the vocabulary
has, and what the model answers is told in the task's own names again::

    objects: red blue ...  ─to─►  objects: o2 o5 ...  ─model─►  (stack o5 o2)  ─back─►  (stack blue red)

Training draws other slots each time, so every slot is trained in every role, and a task with
names of its own is, for the model, like any other.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Mapping, Sequence

from ..errors import PlanproofError

_HEAD = re.compile(r"^objects:(.*)$", re.MULTILINE)
#: A word that can be a name: not the symbol behind a bracket, not a label.
_WORD = re.compile(r"(?<![^\s])[^\s()]+")
#: A labelled list of facts, whose order is that of the names.
_LIST = re.compile(r"^([a-z]+:) (\([^()\n]*\)(?: \([^()\n]*\))+)$", re.MULTILINE)


#: In the lines of schemas, and nowhere else.
_SCHEMA = " -> "
_ANY = re.compile(r"[^\s:]+")
#: How many actions, predicates and variables of an action a domain can have; most places of a fact.
ACTIONS, PREDICATES, VARIABLES, PLACES = 4, 8, 6, 2


class NoSlots(PlanproofError):
    """A prompt whose objects cannot get slots."""


def slots(count: int) -> list[str]:
    """The slots of a vocabulary with so many."""
    return [f"o{i}" for i in range(1, count + 1)]


def objects(prompt: str) -> list[str]:
    """The objects of a compact prompt in its order, types left out."""
    head = _HEAD.search(prompt)
    if head is None:
        raise NoSlots("slots for names need compact prompts (planproof export --style compact), with a line \"objects:\"")
    words = head.group(1).split()
    return [word for i, word in enumerate(words) if word != "-" and (i == 0 or words[i - 1] != "-")]


@dataclass(frozen=True)
class Naming:
    """Slots of one showing of a task: name to slot. The empty one changes nothing. Slots that no object has are named
    ``unnamed-1`` and so on, which is no object of the task: a slot told as it is could be an object's in the next
    showing, or the name of one."""

    names: Mapping[str, str]

    @cached_property
    def _own(self) -> dict[str, str]:
        return {slot: name for name, slot in self.names.items()}

    def to(self, text: str) -> str:
        """The text in slots. Facts in a labelled list are sorted anew: in the order of the own
        names they would say something about names that the model does not see."""
        if not self.names:
            return text
        return _LIST.sub(_sorted, _replaced(text, self.names))

    def back(self, text: str) -> str:
        """The text in the task's names."""
        return _replaced(text, self._own) if self.names else text


def _replaced(text: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda m: names.get(m.group(), m.group()), text)


def _sorted(found: "re.Match[str]") -> str:
    facts = found.group(2)[1:-1].split(") (")
    return f"{found.group(1)} " + " ".join(f"({fact})" for fact in sorted(facts))


def naming(prompt: str, count: int, seed: str) -> Naming:
    """Slots for the objects of a prompt, a pure function of ``seed``; of ``count`` 0 the empty one.
    Raises NoSlots."""
    if count == 0:
        return Naming({})
    if _SCHEMA in prompt.partition("\n")[0]:
        return _renaming(prompt, count, seed)
    names = objects(prompt)
    if len(names) > count:
        raise NoSlots(f"{len(names)} objects, but the model has {count} slots for names")
    drawn = random.Random(f"names {seed}").sample(slots(count), len(names))
    return Naming(dict(zip(names, drawn)) | unnamed(slots(count), drawn))


def unnamed(pool: Sequence[str], taken: Sequence[str], kind: str = "") -> dict[str, str]:
    """Names for what is left of a pool."""
    return {f"unnamed-{kind}{i}": slot for i, slot in enumerate((s for s in pool if s not in taken), 1)}


class Renaming(Naming):
    """A naming of one showing that reaches into facts, and sorts what has no order."""

    def to(self, text: str) -> str:
        """The text in names of the pools."""
        lines = [_ANY.sub(lambda m: self.names.get(m.group(), m.group()), line) for line in text.split("\n")]
        schemas = sorted(line for line in lines if _SCHEMA in line)
        return "\n".join([*schemas, *(_ordered(line) for line in lines if _SCHEMA not in line)])

    def back(self, text: str) -> str:
        """The text in the task's names."""
        return _ANY.sub(lambda m: self._own.get(m.group(), m.group()), text)


def _ordered(line: str) -> str:
    first, *facts = line.split(" ")
    return " ".join([first, *sorted(facts)]) if first in ("init", "goal") else line


def _renaming(prompt: str, objects: int, seed: str) -> Renaming:
    """Names of the pools for those of a prompt, a pure function of ``seed``. Raises NoSlots if a pool is too small."""
    kinds: dict[str, dict[str, None]] = {"a": {}, "p": {}, "o": {}}
    for line in prompt.split("\n"):
        first, *facts = line.split(" ")
        if _SCHEMA in line:
            kinds["a"][first] = None
        for predicate, *words in (fact.split(":") for fact in facts if fact not in ("->", "-")):
            kinds["p"][predicate] = None
            if _SCHEMA in line and any(int(word[1:]) >= VARIABLES for word in words) or len(words) > PLACES:
                raise NoSlots(f"{line}: more than {VARIABLES} variables, or than {PLACES} places")
            if _SCHEMA not in line:
                kinds["o"].update(dict.fromkeys(words))
    rng, names = random.Random(f"names {seed}"), {}
    for kind, size in (("a", ACTIONS), ("p", PREDICATES), ("o", objects)):
        if len(kinds[kind]) > size:
            raise NoSlots(f"{len(kinds[kind])} names for a pool of {size}")
        pool = [f"{kind}{i}" for i in range(1, size + 1)]
        for name, new in zip(kinds[kind], rng.sample(pool, len(kinds[kind]))):
            if name in names:
                raise NoSlots(f"{name!r} names two things")
            names[name] = new
        names |= unnamed(pool, list(names.values()), kind)
    return Renaming(names)


def namings(prompts: Sequence[str], count: int, seed: str) -> list[Naming]:
    """``naming`` for each of some prompts, all drawn apart."""
    return [naming(prompt, count, f"{seed} {i}") for i, prompt in enumerate(prompts)]


__all__ = ["ACTIONS", "PLACES", "PREDICATES", "VARIABLES", "Naming", "NoSlots", "Renaming", "naming", "namings", "objects", "slots"]
