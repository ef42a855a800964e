#!/usr/bin/env python3
"""Makes wheels of this package with the planproof binary inside, and the source distribution.

    python3 wheel.py                            # a wheel for this machine, into dist/
    python3 wheel.py --platform linux/arm64 --output /some/folder
    python3 wheel.py --all                      # make wheels: Linux and macOS on both processors, and the sdist

Needs Go (or --binary); nothing is fetched that the Go build does not need.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import backend

RELEASED = ("linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--platform", choices=sorted(backend.TAGS), help="else this machine's")
    what.add_argument("--all", action="store_true", help=f"wheels for {', '.join(RELEASED)}, and the source distribution")
    what.add_argument("--sdist", action="store_true", help="only the source distribution")
    parser.add_argument("--binary", type=Path, help="a binary for the platform that is built already")
    parser.add_argument("--output", type=Path, default=backend.HERE / "dist")
    args = parser.parse_args()
    if args.binary and (args.all or args.sdist):
        parser.error("--binary is for one platform")
    if not args.sdist:
        for platform in RELEASED if args.all else [args.platform or backend.this_platform()]:
            print(backend.make_wheel(args.output, platform, args.binary), flush=True)
    if args.all or args.sdist:
        print(backend.make_sdist(args.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
