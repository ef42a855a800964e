"""Words of PDDL as tokens: ``(stack``, ``a``, ``)``, ``[PLAN]``, a line's end.

A vocabulary is made once, of training rows and of names that later tasks may use, and is
kept with the model. A word outside it is an error with its place, never an "unknown"
token: a model that cannot see a name would be measured on something else.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, Sequence

from ..errors import PlanproofError

_WORD = re.compile(r"\([^\s()]+|\)|[^\s()]+|\n|\(")

PAD, BEGIN, END = "<pad>", "<begin>", "<end>"
SPECIAL = (PAD, BEGIN, END)


class UnknownToken(PlanproofError):
    """A text has a word that the vocabulary lacks; ``path:line:col`` where it is known."""


def words(text: str) -> list[str]:
    """The tokens of a text as strings. Blanks other than line ends separate only."""
    return _WORD.findall(text)


class Tokenizer:
    """Texts to numbers and back. Numbers 0, 1, 2 are padding, the begin and the end."""

    pad, begin, end = 0, 1, 2

    def __init__(self, vocabulary: Sequence[str]):
        if tuple(vocabulary[:3]) != SPECIAL or len(set(vocabulary)) != len(vocabulary):
            raise ValueError("a vocabulary begins with the special tokens and has no token twice")
        self.vocabulary = tuple(vocabulary)
        self._numbers = {word: i for i, word in enumerate(self.vocabulary)}

    @classmethod
    def build(cls, texts: Iterable[str], names: Iterable[str] = ()) -> "Tokenizer":
        """The vocabulary of these texts and, besides, names of objects. Its order depends
        on the set of words only."""
        found = {word for text in texts for word in words(text)} | set(names)
        return cls(SPECIAL + tuple(sorted(found - set(SPECIAL))))

    def __len__(self) -> int:
        return len(self.vocabulary)

    def encode(self, text: str, where: str = "text") -> list[int]:
        """The numbers of a text. Raises UnknownToken, with ``where`` and all unknown words."""
        try:
            return [self._numbers[word] for word in _WORD.findall(text)]
        except KeyError:
            raise UnknownToken("\n".join(self._unknown(text, where))) from None

    def _unknown(self, text: str, where: str):
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
        out: list[str] = []
        blank = False
        for number in numbers:
            if number == self.end:
                break
            word = self.vocabulary[number]
            if blank and word != ")" and word != "\n":
                out.append(" ")
            out.append(word)
            blank = word != "\n"
        return "".join(out)

    def state(self) -> dict[str, Any]:
        """Plain data that Tokenizer(**state) takes."""
        return {"vocabulary": list(self.vocabulary)}


__all__ = ["Tokenizer", "UnknownToken", "words"]
