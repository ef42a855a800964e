"""The words of a pretrained model: texts as its own tokenizer splits them, through the methods of Tokenizer.

A prompt is the text with a line's end behind it, or with ``chat`` a user's turn in the model's template. An answer ends
with the token with which the model ends its turns. Whatever the text, there is no word that the tokenizer lacks.
"""

from __future__ import annotations

from typing import Any, Sequence

from .tokens import Tokenizer


class TextTokenizer(Tokenizer):
    """``inner`` is a tokenizer of transformers, ``end`` the number of the token that ends an answer."""

    def __init__(self, inner: Any, end: int, slots: int = 0, chat: bool = False):
        self.inner, self.slots, self.chat = inner, slots, chat
        self.form = "text"
        self.pad = self.end = end

    def __len__(self) -> int:
        return len(self.inner)

    def encode(self, text: str, where: str = "text") -> list[int]:
        return list(self.inner(text, add_special_tokens=False)["input_ids"])

    def prompt(self, text: str, where: str = "prompt") -> list[int]:
        if self.chat:
            turn = [{"role": "user", "content": text}]
            return self.encode(self.inner.apply_chat_template(turn, add_generation_prompt=True, tokenize=False))
        numbers = list(self.inner(text if text.endswith("\n") else text + "\n")["input_ids"])
        while numbers and numbers[-1] == self.end:  # of tokenizers that end every text
            numbers.pop()
        return numbers

    def decode(self, numbers: Sequence[int]) -> str:
        numbers = list(numbers)
        if self.end in numbers:
            numbers = numbers[: numbers.index(self.end)]
        return str(self.inner.decode(numbers, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def state(self) -> dict[str, Any]:
        """The rest is in the model's files."""
        return {"form": self.form, "slots": self.slots}

    def parts(self) -> list[list[str]]:
        raise ValueError("the tokens of a text have no parts")

    def after_atoms(self, numbers: Sequence[int]) -> int:
        """Where the first token behind the last bracket is."""
        return max((i + 1 for i, number in enumerate(numbers) if ")" in self._piece(number)), default=0)

    def lines(self, numbers: Sequence[int]) -> list[int]:
        """The line, from 1, on which each token begins."""
        out, line = [], 1
        for number in numbers:
            out.append(line)
            line += self._piece(number).count("\n")
        return out

    def _piece(self, number: int) -> str:
        return str(self.inner.decode([number], clean_up_tokenization_spaces=False))


__all__ = ["TextTokenizer"]
