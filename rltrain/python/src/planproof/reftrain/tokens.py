"""Words of PDDL as tokens: ``(stack``, ``a``, ``)``, ``[PLAN]``, a line's end.

Texts of flat atoms only, such as compact prompts and plans, take about half as many tokens in
the form "atoms": there an atom ends where the next one or a line's end comes, and of two
atoms the second stands on a line of its own if the first began its line (a plan), else beside it
(the facts of a prompt). What is meant otherwise has its bracket and line's end as tokens.

A vocabulary is made once, of training rows and of names that later tasks may use, and is
kept with the model. A word outside it is an error with its place, never an "unknown"
token: a model that cannot see a name would be measured on something else.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, Iterator, Sequence

from ..errors import PlanproofError
from .naming import slots as slot_names

_WORD = re.compile(r"\([^\s()]+|\)|[^\s()]+|\n|\(")

PAD, BEGIN, END = "<pad>", "<begin>", "<end>"
SPECIAL = (PAD, BEGIN, END)


class UnknownToken(PlanproofError):
    """A text has a word that the vocabulary lacks; ``path:line:col`` where it is known."""


#: How texts become tokens.
FORMS = ("words", "atoms")


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

    @classmethod
    def build(cls, texts: Iterable[str], names: Iterable[str] = (), slots: int = 0) -> "Tokenizer":
        """The vocabulary of these texts and, besides, names of objects. Its order depends
        on the set of words only. The form is "atoms" if all texts can be told in it."""
        texts = list(texts)
        names = [*names, *slot_names(slots)]
        found = {word for text in texts for word in words(text)} | set(names)
        form = "atoms" if all(atoms(text) is not None for text in texts) else "words"
        return cls(SPECIAL + tuple(sorted(found - set(SPECIAL))), form, slots)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str, where: str = "text") -> list[int]:
        """The numbers of a text. Raises UnknownToken, with ``where`` and all unknown words."""
        found = words(text)
        if self.form == "atoms" and all(word in self._numbers for word in found):
            told = atoms(text)
            if told is None:
                raise UnknownToken(f"{where}: error[nested_text]: brackets within brackets, which the model's texts never had")
            found = told
        try:
            return [self._numbers[word] for word in found]
        except KeyError:
            raise UnknownToken("\n".join(self._unknown(text, where))) from None

    def _unknown(self, text: str, where: str) -> Iterator[str]:
        told = set()
        for match in _WORD.finditer(text):
            word = match.group()
            if word in self._numbers or word in told:
                continue
            told.add(word)
            start = text.rfind("\n", 0, match.start()) + 1
            line, col = text.count("\n", 0, match.start()) + 1, match.start() - start + 1
            yield f"{where}:{line}:{col}: error[unknown_token]: {word!r} is not in the vocabulary of {len(self)} tokens"

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
        if self.form == "atoms":
            return text_of_atoms(self.vocabulary[number] for number in numbers)
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

    def lines(self, numbers: Sequence[int]) -> list[int]:
        """The line of the decoded text, from 1, that each token stands on; an end of line belongs to
        its line, the end token to the last one."""
        out: list[int] = []
        line, opened, first = 1, False, None
        for number in numbers:
            token = self.vocabulary[number]
            if self.form == "atoms" and number != self.end and token[0] == "(":
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


__all__ = ["FORMS", "Tokenizer", "UnknownToken", "atoms", "text_of_atoms", "words"]
