"""Words of PDDL as tokens: ``(stack``, ``a``, ``)``, ``[PLAN]``, a line's end.

Texts of flat atoms only, such as compact prompts and plans, take about half as many tokens in
the form "atoms": there an atom ends where the next one or a line's end comes, and of two
atoms the second stands on a line of its own if the first began its line (a plan), else beside it
(the facts of a prompt). What is meant otherwise has its bracket and line's end as tokens.
The form "facts" goes one step on: an atom is one token, ``(on o1 o2``. That needs slots for names
(naming.py), whose atoms can be listed: with six slots, blocksworld has about a hundred and fifty.

A vocabulary is made once, of training rows and of names that later tasks may use, and is
kept with the model. A word outside it is an error with its place, never an "unknown"
token: a model that cannot see a name would be measured on something else.
"""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any, Iterable, Iterator, Sequence

from ..errors import PlanproofError
from .naming import slots as slot_names

_WORD = re.compile(r"\([^\s()]+|\)|[^\s()]+|\n|\(")
_PART = re.compile(r" |(?<=\w)[:,](?=[\w-])")

PAD, BEGIN, END = "<pad>", "<begin>", "<end>"
SPECIAL = (PAD, BEGIN, END)


class UnknownToken(PlanproofError):
    """A text has a word that the vocabulary lacks; ``path:line:col`` where it is known."""


#: How texts become tokens.
FORMS = ("words", "atoms", "facts")

#: Most tokens of a vocabulary in the form "facts".
MOST_FACTS = 20_000


def words(text: str) -> list[str]:
    """The tokens of a text as strings. Blanks other than line ends separate only."""
    return _WORD.findall(text)


def atoms(text: str) -> list[str] | None:
    """The tokens of a text in the form "atoms", None if it has brackets in brackets, or lines
    that end within."""
    pieces, out = _WORD.findall(text), []
    opened = closed = False  # within an atom; after one whose bracket is not written yet
    first: str | None = None  # what the line began with
    for i, piece in enumerate(pieces):
        if piece == ")":
            if not opened:
                return None
            opened, closed = False, True
        elif piece == "\n":
            if opened:
                return None
            if closed and first == "atom" and i + 1 < len(pieces) and pieces[i + 1][0] == "(":
                first = "next"
                continue
            out.append(piece)
            closed, first = False, None
        elif piece[0] == "(":
            if opened or piece == "(":
                return None
            if closed and first == "atom":
                out.append(")")
            out.append(piece)
            opened, closed = True, False
            first = "atom" if first in (None, "next") else first
        else:
            if closed:
                out.append(")")
            out.append(piece)
            closed, first = False, first or "word"
    return None if opened else out


def facts(text: str) -> list[str] | None:
    """The tokens of a text in the form "facts": those of atoms, each atom's joined by blanks."""
    told = atoms(text)
    if told is None:
        return None
    out: list[str] = []
    opened = False
    for token in told:
        if opened and token not in ("\n", ")") and token[0] != "(":
            out[-1] += " " + token
            continue
        opened = token[0] == "("
        out.append(token)
    return out


def in_all_slots(fact: str, slots: Sequence[str]) -> Iterator[str]:
    """A token with every choice of different slots for the different ones in it."""
    parts = fact.split(" ")
    own = sorted({part for part in parts[1:] if part in slots})
    for chosen in permutations(slots, len(own)):
        new = dict(zip(own, chosen))
        yield " ".join(new.get(part, part) for part in parts)


def text_of_atoms(tokens: Iterable[str]) -> str:
    """Undoes atoms, for texts with single blanks."""
    out: list[str] = []
    opened, first = False, None
    for token in tokens:
        if token == "\n":
            out.append(")\n" if opened else "\n")
            opened, first = False, None
        elif token[0] == "(":
            if opened:
                out.append(")\n" if first == "atom" else ") ")
            elif first:
                out.append(" ")
            out.append(token)
            opened, first = True, first or "atom"
        elif token == ")":
            out.append(token)
            opened, first = False, first or "word"
        else:
            out.append(f" {token}" if first else token)
            first = first or "word"
    return "".join(out) + (")" if opened else "")


class Tokenizer:
    """Texts to numbers and back. Numbers 0, 1, 2 are padding, the begin and the end."""

    pad, begin, end = 0, 1, 2

    def __init__(self, vocabulary: Sequence[str], form: str = "words", slots: int = 0):
        if form not in FORMS:
            raise ValueError(f"{form!r} is none of {', '.join(FORMS)}")
        self.form = form
        #: How many slots for names there are (naming.py); 0: texts have names of their own.
        self.slots = slots
        if tuple(vocabulary[:3]) != SPECIAL or len(set(vocabulary)) != len(vocabulary):
            raise ValueError("a vocabulary begins with the special tokens and has no token twice")
        self.vocabulary = tuple(vocabulary)
        self._numbers = {word: i for i, word in enumerate(self.vocabulary)}
        self._words = {part for word in self.vocabulary for part in word.split(" ")}

    @classmethod
    def build(cls, texts: Iterable[str], names: Iterable[str] = (), slots: int = 0, whole: bool = False) -> "Tokenizer":
        """The vocabulary of these texts and, besides, names of objects. Its order depends
        on the set of words only. The form is "atoms" if all texts can be told in it; with
        ``whole`` it is "facts", with every slot in every place. Raises UnknownToken."""
        texts = list(texts)
        if whole:
            return cls._of_facts(texts, slots)
        names = [*names, *slot_names(slots)]
        found = {word for text in texts for word in words(text)} | set(names)
        form = "atoms" if all(atoms(text) is not None for text in texts) else "words"
        return cls(SPECIAL + tuple(sorted(found - set(SPECIAL))), form, slots)

    @classmethod
    def _of_facts(cls, texts: Sequence[str], slots: int) -> "Tokenizer":
        if slots == 0:
            raise UnknownToken("whole atoms need slots for names, so that all atoms are known")
        found: set[str] = set(slot_names(slots))
        for text in texts:
            told = facts(text)
            if told is None:
                raise UnknownToken(f"whole atoms need texts of flat atoms, not {text[:40]!r} ...")
            for token in told:
                for new in in_all_slots(token, slot_names(slots)) if token not in found else ():
                    found.add(new)
                    if len(found) > MOST_FACTS:
                        raise UnknownToken(f"whole atoms: more than {MOST_FACTS} of them with {slots} slots")
        return cls(SPECIAL + tuple(sorted(found - set(SPECIAL))), "facts", slots)

    def parts(self) -> list[list[str]]:
        """The words of each token, those behind the first with their place: tokens with equal parts are alike. Between
        words stands a blank, or within a word of letters and digits a colon or a comma."""
        return [[word if i == 0 else f"{word} {i}" for i, word in enumerate(_PART.split(token))] for token in self.vocabulary]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str, where: str = "text") -> list[int]:
        """The numbers of a text. Raises UnknownToken, with ``where`` and all unknown words."""
        found = words(text)
        if self.form != "words" and all(word in self._words or word == ")" for word in found):
            told = atoms(text) if self.form == "atoms" else facts(text)
            if told is None:
                raise UnknownToken(f"{where}: error[nested_text]: brackets within brackets, which the model's texts never had")
            found = told
        try:
            return [self._numbers[word] for word in found]
        except KeyError:
            raise UnknownToken("\n".join(self._unknown(text, where))) from None

    def _unknown(self, text: str, where: str) -> Iterator[str]:
        told: set[str] = set()
        for match in _WORD.finditer(text):
            word = match.group()
            if word in self._words or word in told or self.form == "facts" and word == ")":
                continue
            told.add(word)
            start = text.rfind("\n", 0, match.start()) + 1
            line, col = text.count("\n", 0, match.start()) + 1, match.start() - start + 1
            yield f"{where}:{line}:{col}: error[unknown_token]: {word!r} is not in the vocabulary of {len(self)} tokens"
        if not told:  # words that are known, in an atom that is not
            for token in facts(text) or ():
                if token not in self._numbers:
                    yield f"{where}:1:1: error[unknown_token]: {token + ')'!r} is not in the vocabulary of {len(self)} tokens"

    def prompt(self, text: str, where: str = "prompt") -> list[int]:
        """What the model reads before it answers."""
        return [self.begin] + self.encode(text, where)

    def answer(self, text: str, where: str = "answer") -> list[int]:
        """What the model is to write."""
        return self.encode(text, where) + [self.end]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text up to the end token. For texts with single blanks, decode undoes encode."""
        numbers = list(numbers)
        if self.end in numbers:
            numbers = numbers[: numbers.index(self.end)]
        if self.form != "words":
            return text_of_atoms(part for number in numbers for part in self.vocabulary[number].split(" "))
        out: list[str] = []
        blank = False
        for number in numbers:
            word = self.vocabulary[number]
            if blank and word != ")" and word != "\n":
                out.append(" ")
            out.append(word)
            blank = word != "\n"
        return "".join(out)

    def state(self) -> dict[str, Any]:
        """Plain data that Tokenizer(**state) takes."""
        return {"vocabulary": list(self.vocabulary), "form": self.form, "slots": self.slots}

    def after_atoms(self, numbers: Sequence[int]) -> int:
        """Where the first token behind the last atom is: a line's end, if the form tells that an atom ends by what
        follows, else the bracket."""
        behind, opened = 0, False
        for i, number in enumerate(numbers):
            token = self.vocabulary[number]
            opened = token[0] == "(" or opened and token not in (")", "\n")
            if opened:
                behind = i + 1
        return behind

    def lines(self, numbers: Sequence[int]) -> list[int]:
        """The line of the decoded text, from 1, that each token stands on; an end of line belongs to
        its line, the end token to the last one."""
        out: list[int] = []
        line, opened, first = 1, False, None
        for number in numbers:
            token = self.vocabulary[number]
            if self.form != "words" and number != self.end and token[0] == "(":
                line += opened and first == "atom"
                opened, first = True, first or "atom"
            out.append(line)
            if token == "\n":
                line, opened, first = line + 1, False, None
            elif token == ")":
                opened = False
            elif token[0] != "(":
                first = first or "word"
        return out


__all__ = ["FORMS", "Tokenizer", "UnknownToken", "atoms", "facts", "in_all_slots", "text_of_atoms", "words"]
