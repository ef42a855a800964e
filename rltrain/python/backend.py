"""Builds this package: wheels with the planproof binary inside, and the source distribution.

    pip install rltrain/python      from a checkout: needs Go
    pip install planproof-*.tar.gz  from a source distribution, which brings the Go code along: needs Go
    wheel.py                        wheels for other platforms (make wheels)

pip and build call the hooks of PEP 517 and PEP 660 at the end of this file. It needs only
Python, and leaves nothing behind in the source tree: no build/, so no stale module can get
into a wheel. The same source gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NoReturn

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]

HERE = Path(__file__).resolve().parent

#: Platforms as Go names them, with the tags of their wheels. The binary is static
#: (CGO_ENABLED=0): a Linux wheel runs with any libc. Go 1.26 needs macOS 12.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}

#: A binary to put into the wheel instead of compiling one, or "none" for a package without.
ENV = "PLANPROOF_BUILD_BINARY"

NO_GO = f"""
planproof cannot be installed from source here: {{why}}.
Its command is written in Go and has to be compiled. Do one of these:
  - install a wheel, which needs no compiler: a file that `make wheels` made on another machine,
    or what your package index has (pip install --only-binary=planproof planproof);
  - install Go 1.25 or newer (https://go.dev/dl) and try again;
  - {ENV}=/path/to/planproof pip install ... puts a binary in that you have;
  - {ENV}=none pip install ... installs only the Python code: set PLANPROOF_URL to a
    running oracle, or PLANPROOF_BIN to a binary, to use it.
"""


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((HERE / "pyproject.toml").read_text())["project"]


def go_module() -> Path | None:
    """The folder of the Go module: go/ of a source distribution, or the checkout's root."""
    return next((folder for folder in (HERE / "go", HERE.parents[1]) if (folder / "go.mod").is_file()), None)


def _git(*args: str) -> str:
    """What git says about the checkout, "" without git or outside one."""
    try:
        return subprocess.run(["git", *args], cwd=HERE, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def version(binary: Path | None = None) -> str:
    """The version of what is built. At the commit tagged v<VERSION> it is VERSION's; before, a
    development version that grows with every commit, so that pip replaces what an earlier
    one installed. It ends with the hash of what no commit names: a binary, or changes."""
    if (HERE / "PKG-INFO").is_file():
        return re.search(r"^Version: (.*)$", (HERE / "PKG-INFO").read_text(), re.M)[1]  # type: ignore[index]
    release = (HERE / "src/planproof/VERSION").read_text().strip()
    count = _git("rev-list", "--count", "HEAD")
    if not count:
        return release
    changes = "" if binary is None else hashlib.sha256(binary.read_bytes()).hexdigest()
    if binary is None and _git("status", "--porcelain"):
        changes = hashlib.sha256(_git("diff", "HEAD").encode()).hexdigest()
    if f"v{release}" in _git("tag", "--points-at", "HEAD").split() and not changes:
        return release
    return f"{release}.dev{count}+g{_git('rev-parse', '--short=12', 'HEAD')}" + (f".d{changes[:8]}" if changes else "")


def compile_binary(platform: str, target: Path) -> None:
    """Compiles the command as `make build` does."""
    module = go_module()
    if module is None:
        _stop("there is no Go code beside the Python code")
    if shutil.which("go") is None:
        _stop("there is no `go` on PATH")
    said = module / "COMMIT"  # of a source distribution
    commit = said.read_text().strip() if said.is_file() else _git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    system, machine = platform.split("/")
    done = subprocess.run(
        ["go", "build", "-pgo=auto", "-trimpath", "-tags", "urfave_cli_no_docs", "-ldflags", f"-s -w -X main.commit={commit}",
         "-o", str(target), "./cmd/planproof"],
        cwd=module, env={**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine})
    if done.returncode != 0:
        _stop(f"`go build` for {platform} failed, see above")


def _stop(why: str) -> NoReturn:
    sys.exit(NO_GO.format(why=why))


def this_platform() -> str:
    """The platform to build for: Go's, from its variables, or else this machine's."""
    if shutil.which("go"):
        named = subprocess.run(["go", "env", "GOOS", "GOARCH"], capture_output=True, text=True).stdout.split()
        if len(named) == 2:
            return "/".join(named)
    system, _, machine = sysconfig.get_platform().rpartition("-")
    system = next((name for name, start in (("linux", "linux"), ("darwin", "macosx"), ("windows", "win")) if system.startswith(start)), system)
    return f"{system}/{ {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(machine, machine) }"


def metadata(version: str) -> str:
    """METADATA of a wheel and PKG-INFO of a source distribution: core metadata 2.4."""
    told = project()
    lines = ["Metadata-Version: 2.4", f"Name: {told['name']}", f"Version: {version}", f"Summary: {told['description']}",
             f"Keywords: {','.join(told['keywords'])}", f"Author: {', '.join(author['name'] for author in told['authors'])}",
             f"License-Expression: {told['license']}"]
    lines += [f"License-File: {name}" for name in told["license-files"]]
    lines += [f"Classifier: {name}" for name in told["classifiers"]]
    lines += [f"Project-URL: {name}, {url}" for name, url in told["urls"].items()]
    lines.append(f"Requires-Python: {told['requires-python']}")
    for extra, needs in told["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / told["readme"]).read_text()])


def entry_points() -> str:
    """entry_points.txt of a wheel."""
    told = project()
    groups = {"console_scripts": told["scripts"], **told["entry-points"]}
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in entries.items()) for group, entries in groups.items())


def sources() -> dict[str, bytes]:
    """The files of the Python code by their paths below src/."""
    left_out = {"_bin", "__pycache__", ".mypy_cache"}
    return {
        path.relative_to(HERE / "src").as_posix(): path.read_bytes()
        for path in sorted((HERE / "src").rglob("*"))
        if path.is_file() and not left_out & {*path.parts} and not any(part.endswith(".egg-info") for part in path.parts)
    }


def make_wheel(output: Path, platform: str, binary: Path | None = None, *, with_binary: bool = True) -> Path:
    """Writes the wheel for a platform and returns its path. binary: one that is built already.
    Without a binary the wheel is for every platform."""
    files = sources()
    program = "planproof/_bin/planproof" + (".exe" if platform.startswith("windows") else "")
    named = version(binary)
    if with_binary:
        with tempfile.TemporaryDirectory() as folder:
            if binary is None:
                compile_binary(platform, binary := Path(folder) / "planproof")
            files[program] = binary.read_bytes()
    return _write_wheel(output, files, named, TAGS[platform] if with_binary else "any", program)


def _write_wheel(output: Path, files: dict[str, bytes], version: str, tag: str, program: str = "") -> Path:
    name = project()["name"]
    info = f"{name}-{version}.dist-info"
    files = {**files, f"{info}/METADATA": metadata(version).encode(), f"{info}/entry_points.txt": entry_points().encode()}
    files |= {f"{info}/licenses/{path}": (HERE / path).read_bytes() for path in project()["license-files"]}
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: planproof\nRoot-Is-Purelib: {str(tag == 'any').lower()}\n"
                              + "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))).encode()
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


def go_files(module: Path) -> list[Path]:
    """What compiling the command reads of our own module, whatever the platform: the Go
    files and embedded files of its packages, and the profile."""
    listing = subprocess.run(
        ["go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{range $.EmbedFiles}}{{$.Dir}}/{{.}}\n{{end}}{{$.Dir}}\n{{end}}{{end}}", "./cmd/planproof"],
        cwd=module, capture_output=True, text=True, check=True, env={**os.environ, "CGO_ENABLED": "0"})
    paths = {module / "go.mod", module / "go.sum", module / "cmd/planproof/default.pgo"}
    for path in map(Path, filter(None, listing.stdout.splitlines())):
        paths |= {path} if path.is_file() else {file for file in path.glob("*.go") if not file.name.endswith("_test.go")}
    return sorted(paths)


def make_sdist(output: Path) -> Path:
    """Writes the source distribution, with the Go code below go/, and returns its path."""
    module = go_module()
    if module is None or shutil.which("go") is None:
        sys.exit("a source distribution is made in a checkout, with Go: it lists what the command is compiled from")
    told, named = project(), version()
    files = {f"src/{path}": data for path, data in sources().items()}
    files |= {path: (HERE / path).read_bytes() for path in ("backend.py", "wheel.py", "pyproject.toml", told["readme"], *told["license-files"])}
    files |= {f"go/{path.relative_to(module).as_posix()}": path.read_bytes() for path in go_files(module)}
    files["go/COMMIT"] = (_git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") + "\n").encode()
    files["PKG-INFO"] = metadata(named).encode()
    output.mkdir(parents=True, exist_ok=True)
    root = f"{told['name']}-{named}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    target = output / f"{root}.tar.gz"
    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as out:
        out.write(packed.getvalue())
    return target


# -- the hooks of PEP 517 and PEP 660 -----------------------------------------------------


def _given_binary() -> tuple[Path | None, bool]:
    """The binary of the environment, and whether the package gets any."""
    given = os.environ.get(ENV, "")
    if given in ("", "none"):
        return None, given == ""
    if not Path(given).is_file():
        sys.exit(f"{ENV} is {given!r}, which is no file")
    return Path(given).resolve(), True


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel for this machine."""
    binary, wanted = _given_binary()
    platform = this_platform()
    if platform not in TAGS and wanted:
        sys.exit(f"there is no wheel for {platform}: planproof is built for {', '.join(TAGS)}")
    return make_wheel(Path(wheel_directory), platform, binary, with_binary=wanted).name


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Writes the metadata alone: without this hook pip would compile everything to read them."""
    named = version(_given_binary()[0])
    folder = Path(metadata_directory) / f"{project()['name']}-{named}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(named))
    (folder / "entry_points.txt").write_text(entry_points())
    return folder.name


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds a wheel that points to src/. It has no binary: PLANPROOF_BIN or PATH says which."""
    return _write_wheel(Path(wheel_directory), {"planproof.pth": f"{HERE / 'src'}\n".encode()}, version(), "any").name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Builds the source distribution."""
    return make_sdist(Path(sdist_directory)).name
