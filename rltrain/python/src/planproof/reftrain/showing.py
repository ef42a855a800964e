"""Tasks as token rows in slots, as training shows them over and over.

Slots are drawn anew each time (naming.py), and most of the work of turning a text into tokens would be
done again for nothing. In the form "facts" an atom is one token, so that other slots are other numbers
for the same tokens: a text is read once, and after that its numbers are exchanged by a table.
"""

from __future__ import annotations

from typing import Sequence

from .data import Row
from .naming import Naming, objects, slots
from .tokens import Tokenizer

#: Numbers of a text, and where its labelled lists of facts begin and end.
_Read = tuple[list[int], list[tuple[int, int]]]


class Showing:
    """Token rows of prompts and gold answers, for one tokenizer."""

    def __init__(self, tokenizer: Tokenizer):
        self.tokenizer = tokenizer
        # By texts: ids are of one file, and training takes several.
        self._read: dict[tuple[str, str], tuple[_Read, _Read]] = {}
        self._best: dict[tuple[str, str], list[list[int]]] = {}
        self._tables: dict[tuple[str, ...], list[int]] = {}

    def tokens(self, row: Row, name: Naming) -> tuple[list[int], list[int]]:
        """The prompt and the gold answer of a row, in the slots of a naming of its objects."""
        t = self.tokenizer
        if t.form != "facts":
            return t.prompt(name.to(row.prompt), f"{row.id}: prompt"), t.answer(name.to(row.answer), f"{row.id}: answer")
        prompt, answer = self._first(row)
        table = self._table(tuple(name.names.values()))
        return _exchanged(prompt, table), _exchanged(answer, table)

    def sets(self, row: Row, name: Naming) -> list[list[int]]:
        """For each token of the gold answer those that are as good: of a step, the steps of ``row.best``. For the form
        "facts", in which a step is one token."""
        t, key = self.tokenizer, (row.prompt, row.answer)
        table = self._table(tuple(name.names.values()))
        if key not in self._best:
            first, left = Naming(dict(zip(objects(row.prompt), slots(t.slots)))), iter(row.best)
            known = {word: i for i, word in enumerate(t.vocabulary)}
            self._best[key] = [[number] if t.vocabulary[number][0] != "(" else
                               [number, *(n for step in next(left) if (n := known.get(first.to(step)[:-1])) not in (None, number))]
                               for number in self._first(row)[1][0]]
        return [[table[number] for number in numbers] for numbers in self._best[key]]

    def _first(self, row: Row) -> tuple[_Read, _Read]:
        """The prompt and the answer in the first slots."""
        t, key = self.tokenizer, (row.prompt, row.answer)
        if key not in self._read:
            first = Naming(dict(zip(objects(row.prompt), slots(t.slots))))
            self._read[key] = (self._lists(t.prompt(first.to(row.prompt), f"{row.id}: prompt")), self._lists(t.answer(first.to(row.answer), f"{row.id}: answer")))
        return self._read[key]

    def _table(self, chosen: tuple[str, ...]) -> list[int]:
        """For each token in the first slots, that in the chosen ones; others become padding."""
        if chosen not in self._tables:
            new, words = dict(zip(slots(self.tokenizer.slots), chosen)), self.tokenizer.vocabulary
            numbers = {word: i for i, word in enumerate(words)}
            known = set(slots(self.tokenizer.slots))
            out = [self.tokenizer.pad] * len(words)
            for i, word in enumerate(words):
                parts = word.split(" ")
                if all(part in new or part not in known for part in parts):
                    out[i] = numbers[" ".join(new.get(part, part) for part in parts)]
            self._tables[chosen] = out
        return self._tables[chosen]

    def _lists(self, numbers: list[int]) -> _Read:
        """The numbers with the places of lists such as ``state: (clear o1) (on o1 o2)``: Naming.to sorts them."""
        words = [self.tokenizer.vocabulary[number] for number in numbers]
        found = []
        for i, word in enumerate(words):
            if word[:-1].isalpha() and word[:-1].islower() and word[-1] == ":" and (i == 0 or words[i - 1] in ("\n", "<begin>")):
                end = i + 1
                while end < len(words) and words[end][0] == "(":
                    end += 1
                if end > i + 2 and (end == len(words) or words[end] in ("\n", "<end>")):
                    found.append((i + 1, end))
        return numbers, found


def _exchanged(read: _Read, table: Sequence[int]) -> list[int]:
    numbers, lists = read
    out = [table[number] for number in numbers]
    for start, end in lists:
        out[start:end] = sorted(out[start:end])  # as texts: the vocabulary is sorted
    return out


__all__ = ["Showing"]
