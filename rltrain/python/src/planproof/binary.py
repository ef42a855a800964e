"""Where the planproof binary is."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from .errors import BinaryMissing

ENV = "PLANPROOF_BIN"


def find_binary(explicit: str | os.PathLike | None = None) -> str:
    """The path of the binary: the argument, $PLANPROOF_BIN, the one in this wheel
    (whose version is this package's), or the first on PATH."""
    for name, source in ((explicit, "binary"), (os.environ.get(ENV), f"${ENV}")):
        if name:
            found = shutil.which(os.fspath(name))
            if found is None:
                raise BinaryMissing(f"{source} is {os.fspath(name)!r}, which is no program")
            return found
    bundled = Path(__file__).with_name("_bin") / ("planproof.exe" if os.name == "nt" else "planproof")
    if bundled.is_file():
        if not os.access(bundled, os.X_OK):  # zip archives lose the bit
            bundled.chmod(bundled.stat().st_mode | stat.S_IXUSR)
        return str(bundled)
    found = shutil.which("planproof")
    if found is None:
        raise BinaryMissing(
            "no planproof binary: set PLANPROOF_URL to a running oracle "
            f"(planproof oracle --listen), or {ENV} to the binary, or put it on PATH"
        )
    return found
