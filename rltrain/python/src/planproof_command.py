"""The command ``planproof`` of an installed package: it becomes the binary.

It is a module of its own since importing planproof takes longer than most commands do.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

ENV = "PLANPROOF_BIN"


def locate(explicit: str | os.PathLike[str] | None = None) -> str:
    """The path of the binary: the argument, $PLANPROOF_BIN, the one in this package, or the
    first on PATH. Raises LookupError, which says what to do."""
    for name, source in ((explicit, "binary"), (os.environ.get(ENV), f"${ENV}")):
        if name:
            found = shutil.which(os.fspath(name))
            if found is None:
                raise LookupError(f"{source} is {os.fspath(name)!r}, which is no program")
            return found
    program = "planproof.exe" if os.name == "nt" else "planproof"
    bundled = Path(__file__).parent / "planproof" / "_bin" / program
    if bundled.is_file():
        if not os.access(bundled, os.X_OK):  # zip archives lose the bit
            bundled.chmod(bundled.stat().st_mode | stat.S_IXUSR)
        return str(bundled)
    for folder in os.get_exec_path():
        found = shutil.which(program, path=folder)
        if found is not None and not _is_this_command(found):
            return found
    raise LookupError(
        "no planproof binary: this package was installed without one. Install a wheel that has one (make wheels), set "
        f"PLANPROOF_URL to a running oracle (planproof oracle --listen), or {ENV} to the binary, or put it on PATH"
    )


def _is_this_command(path: str) -> bool:
    """Whether a program is a script that pip made for main: it would call itself for ever."""
    with open(path, "rb") as file:
        head = file.read(4096)
    return head.startswith(b"#!") and b"planproof_command" in head or os.name == "nt" and b"planproof_command" in Path(path).read_bytes()


def main() -> None:
    """Runs the binary with this process's arguments."""
    try:
        program = locate()
    except LookupError as err:
        print(f"planproof: {err}", file=sys.stderr)
        sys.exit(2)
    argv = [program, *sys.argv[1:]]
    if os.name == "nt":  # execv there would not wait
        sys.exit(subprocess.run(argv).returncode)
    os.execv(program, argv)
