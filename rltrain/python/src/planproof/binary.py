"""Where the planproof binary is."""

from __future__ import annotations

import os

from planproof_command import ENV, locate

from .errors import BinaryMissing


def find_binary(explicit: str | os.PathLike[str] | None = None) -> str:
    """The path of the binary: the argument, $PLANPROOF_BIN, the one in this wheel
    (whose version is this package's), or the first on PATH. Raises BinaryMissing."""
    try:
        return locate(explicit)
    except LookupError as err:
        raise BinaryMissing(str(err)) from None


__all__ = ["ENV", "find_binary"]
