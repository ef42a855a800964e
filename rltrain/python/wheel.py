#!/usr/bin/env python3
"""Makes a wheel of this package with the planproof binary inside.

    python3 wheel.py                        # for this machine, into dist/
    python3 wheel.py --platform linux/arm64 --output /some/folder

The binary is static (CGO_ENABLED=0), so a Linux wheel runs on every distribution. The same
source gives the same bytes. Needs Go (or --binary) and Python >= 3.11; nothing is fetched
that the Go build does not need.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
    "windows/amd64": "win_amd64",
}


def go_binary(platform: str, target: Path) -> None:
    """Builds the binary as `make build` does."""
    system, machine = platform.split("/")
    git = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    commit = subprocess.run(git, cwd=HERE, capture_output=True, text=True).stdout.strip()
    subprocess.run(
        ["go", "build", "-pgo=auto", "-trimpath", "-ldflags", f"-s -w -X main.commit={commit}",
         "-o", str(target), "./cmd/planproof"],
        cwd=HERE.parents[1], check=True, env={**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine})


def metadata(project: dict, version: str) -> str:
    """The METADATA file: core metadata 2.1."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text()]
    return "\n".join(lines)


def build(platform: str, binary: Path | None, output: Path) -> Path:
    """Writes the wheel and returns its path."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name, version, tag = project["name"], (HERE / "src/planproof/VERSION").read_text().strip(), TAGS[platform]
    info = f"{name}-{version}.dist-info"
    files: dict[str, bytes] = {}
    for path in sorted((HERE / "src").rglob("*")):
        if path.is_file() and not {"_bin", "__pycache__"} & {*path.parts} and not any(p.endswith(".egg-info") for p in path.parts):
            files[path.relative_to(HERE / "src").as_posix()] = path.read_bytes()
    program = f"{name}/_bin/planproof" + (".exe" if platform.startswith("windows") else "")
    with tempfile.TemporaryDirectory() as folder:
        if binary is None:
            binary = Path(folder) / "planproof"
            go_binary(platform, binary)
        files[program] = binary.read_bytes()
    files[f"{info}/METADATA"] = metadata(project, version).encode()
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: planproof\nRoot-Is-Purelib: false\n"
                              + "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))).encode()
    points = "[console_scripts]\n" + "".join(f"{k} = {v}\n" for k, v in project["scripts"].items())
    for group, entries in project["entry-points"].items():
        points += f"\n[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items())
    files[f"{info}/entry_points.txt"] = points.encode()
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for path, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    output.mkdir(parents=True, exist_ok=True)
    wheel = output / f"{name}-{version}-py3-none-{tag}.whl"
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path == program else 0o100644) << 16
            archive.writestr(entry, data)
    part.replace(wheel)
    return wheel


def main() -> int:
    here = subprocess.run(["go", "env", "GOOS", "GOARCH"], capture_output=True, text=True).stdout.split()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=sorted(TAGS), default="/".join(here) or "linux/amd64")
    parser.add_argument("--binary", type=Path, help="a binary for the platform that is built already")
    parser.add_argument("--output", type=Path, default=HERE / "dist")
    args = parser.parse_args()
    print(build(args.platform, args.binary, args.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
