"""How far long work is: one line on a terminal that is written over, and nothing elsewhere.
Standard library only.
"""

from __future__ import annotations

import sys
import time
from typing import Any

#: Seconds between two states that are shown.
EVERY = 0.1


class Progress:
    """``what: done/total``, the seconds since the start, and what else is told. Ending a
    ``with`` block removes the line."""

    def __init__(self, what: str, total: int, out: Any = None):
        self.what, self.total = what, total
        self._out = sys.stderr if out is None else out
        self._on = bool(getattr(self._out, "isatty", lambda: False)())
        self._began = time.monotonic()
        self._shown, self._last = 0, -EVERY

    def set(self, done: int, told: str = "") -> None:
        """Shows a state, unless the one before is too fresh and this is not the last."""
        now = time.monotonic()
        if not self._on or now - self._last < EVERY and done < self.total:
            return
        self._last = now
        line = f"{self.what}: {done}/{self.total}, {now - self._began:.0f} s" + (f", {told}" if told else "")
        self._write("\r" + line.ljust(self._shown))
        self._shown = len(line)

    def close(self) -> None:
        """Removes the line."""
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except OSError:  # the terminal has gone; the work goes on
            self._on = False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


__all__ = ["Progress"]
