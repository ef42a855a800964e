"""The package itself: light imports, and a wheel that works where nothing else is."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from tests.support import PACKAGE, TASK, binary

import planproof

HEAVY = "gymnasium skyrl_gym openrlhf slime rllm nemo_rl torch transformers trl verl ray verifiers reasoning_gym openenv numpy pandas pyarrow datasets peft tokenizers safetensors gguf".split()


class Imports(unittest.TestCase):
    def test_nothing_heavy(self):
        modules = sorted("planproof." + p.stem for p in (PACKAGE / "src/planproof").glob("*.py") if p.stem != "__init__")
        code = "import sys, importlib\n" + "".join(
            f"importlib.import_module({m!r})\n" for m in ["planproof", *modules] if "_plugin" not in m and not m.endswith(("_verifiers_v1", "reasoning_gym", "verl_trainer", ".gymnasium", ".skyrl", ".up"))
        ) + f"bad = [m for m in {HEAVY!r} if m in sys.modules]\nassert not bad, bad\n"
        code += "assert not __import__('threading').active_count() > 1\n"
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")})


class Version(unittest.TestCase):
    def test_is_the_binarys_and_the_oracles(self):
        said = subprocess.run([binary(), "--version"], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(said[:3], ["planproof", "version", planproof.__version__])
        reply = subprocess.run([binary(), "oracle", "--stdio"], input='{"schema":"planproof.score/1","items":[]}\n', check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(reply.stdout.splitlines()[-1])["oracle"]["version"], planproof.__version__)


def run(*argv, check=True, **how):
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, **how)
    if check and done.returncode != 0:
        raise AssertionError(f"{argv} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def wheel(output, *how):
    return Path(run(sys.executable, PACKAGE / "wheel.py", "--output", output, *how).stdout.strip())


def clean_environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("PLANPROOF", "PYTHON"))}, "PATH": "/usr/bin:/bin", **more}


@unittest.skipUnless(sys.version_info >= (3, 11), "the backend needs tomllib")
class Build(unittest.TestCase):
    """What pip and build make of the package, without a network."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def environment(self):
        if run(sys.executable, "-m", "pip", "--version", check=False).returncode != 0:
            self.skipTest("pip is missing")
        run(sys.executable, "-m", "venv", "--without-pip", self.folder / "venv")
        return self.folder / "venv/bin/python"

    def pip(self, python, *what, check=True, **env):
        return run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index", "--no-compile",
                   "--disable-pip-version-check", *what, check=check, env=clean_environment(**env))

    def test_installed_wheel(self):
        made = [wheel(self.folder / d, "--binary", binary()) for d in ("a", "b")]
        self.assertEqual(*(path.read_bytes() for path in made))
        python = self.environment()
        self.pip(python, made[0])
        said = run(binary(), "--version").stdout
        for command in ([python.parent / "planproof"], [python, "-m", "planproof"]):
            self.assertEqual(run(*command, "--version", env=clean_environment()).stdout, said)
            none = run(*command, "validate", TASK, "-", check=False, input="", env=clean_environment())
            self.assertEqual(none.returncode, 1, none.stderr)  # the empty plan: the exit code is the binary's
        code = f"import planproof; r = planproof.score('<plan></plan>', task={TASK!r}); print(r.score, r.status)"
        self.assertEqual(run(python, "-c", code, env=clean_environment()).stdout.split(), ["0", "ok"])
        code = "import json, importlib.metadata as m; d = m.distribution('planproof'); print(json.dumps([d.metadata.json, [str(f) for f in d.files]]))"
        told, files = json.loads(run(python, "-c", code, env=clean_environment()).stdout)
        self.assertTrue(told["version"].startswith(planproof.__version__), told["version"])
        self.assertEqual(told["license_expression"], "Apache-2.0")
        for name in ("author", "project_url", "classifier", "summary", "keywords", "description"):
            self.assertTrue(told.get(name), name)
        self.assertTrue(any(f.endswith("licenses/LICENSE") for f in files), files)

    def test_an_upgrade_replaces_the_binary(self):
        """Two binaries never have one version: pip would leave the old one in place."""
        python = self.environment()
        for text in ("one", "another"):
            made = self.folder / "binary"
            made.write_text(text)
            self.pip(python, wheel(self.folder / "dist", "--binary", made))
            [installed] = (self.folder / "venv").glob("lib/*/site-packages/planproof/_bin/planproof")
            self.assertEqual(installed.read_text(), text)

    def test_nothing_is_left_in_the_source(self):
        """An install from a checkout leaves no build/, from which the next would take modules that are gone."""
        source = self.folder / "checkout/rltrain/python"
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "dist", "build", "*.egg-info", "_bin"))
        gone = source / "src/planproof/gone.py"
        gone.write_text("")
        (self.folder / "binary").write_text("any")
        before = {path.relative_to(source) for path in source.rglob("*")}
        python = self.environment()
        self.pip(python, source, PLANPROOF_BUILD_BINARY=str(self.folder / "binary"))
        self.assertEqual({p.relative_to(source) for p in source.rglob("*") if "__pycache__" not in p.parts}, before)
        gone.unlink()
        self.pip(python, "--force-reinstall", source, PLANPROOF_BUILD_BINARY=str(self.folder / "binary"))
        self.assertEqual(list((self.folder / "venv").rglob("gone.py")), [])

    def test_editable(self):
        python = self.environment()
        self.pip(python, "-e", PACKAGE)
        self.assertEqual(run(python, "-c", "import planproof; print(planproof.__file__)", env=clean_environment()).stdout.strip(),
                         str(PACKAGE / "src/planproof/__init__.py"))
        # Without a binary the command says so; it does not take itself for one.
        path = f"{python.parent}:/usr/bin:/bin"
        none = run(python.parent / "planproof", "--version", check=False, env=clean_environment(PATH=path), timeout=60)
        self.assertEqual((none.returncode, none.stdout), (2, ""))
        self.assertIn("no planproof binary", none.stderr)
        there = run(python.parent / "planproof", "--version", env=clean_environment(PATH=path + ":" + str(Path(binary()).parent)))
        self.assertEqual(there.stdout, run(binary(), "--version").stdout)

    @unittest.skipUnless(shutil.which("go"), "a source distribution is made with Go")
    def test_source_distribution(self):
        archive = wheel(self.folder, "--sdist")
        python = self.environment()
        refused = self.pip(python, archive, check=False)
        self.assertNotEqual(refused.returncode, 0)
        for words in ("no `go` on PATH", "https://go.dev/dl", "install a wheel", "PLANPROOF_BUILD_BINARY=none"):
            self.assertIn(words, refused.stdout + refused.stderr)
        self.pip(python, archive, PLANPROOF_BUILD_BINARY="none")
        code = "import importlib.metadata as m; print(m.version('planproof'))"
        self.assertEqual(f"planproof-{run(python, '-c', code, env=clean_environment()).stdout.strip()}.tar.gz", archive.name)
        with tarfile.open(archive) as files:
            files.extractall(self.folder, filter="data")
        # Every package and embedded file that the command is compiled from is there.
        module = self.folder / archive.name.removesuffix(".tar.gz") / "go"
        faults = run("go", "list", "-deps", "-e", "-f", "{{with .Error}}{{.}}{{end}}", "./cmd/planproof", cwd=module)
        self.assertEqual(faults.stdout.strip(), "")


@unittest.skipUnless(sys.version_info >= (3, 11) and shutil.which("git"), "needs tomllib and git")
class BuiltVersion(unittest.TestCase):
    def test_grows_with_commits_and_ends_at_the_tag(self):
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder) / "rltrain/python"
            (here / "src/planproof").mkdir(parents=True)
            shutil.copy(PACKAGE / "backend.py", here)
            (here / "src/planproof/VERSION").write_text("1.2.3\n")
            env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

            def git(*args):
                return run("git", *args, cwd=folder, env=env).stdout.strip()

            def version(of="None"):
                return run(sys.executable, "-c", f"import backend, pathlib; print(backend.version({of}))", cwd=here, env=env).stdout.strip()

            self.assertEqual(version(), "1.2.3")  # an archive without git
            git("init", "-q")
            for number in (1, 2):
                git("add", ".")
                git("commit", "-q", "--allow-empty", "-m", "x")
                self.assertEqual(version(), f"1.2.3.dev{number}+g{git('rev-parse', '--short=12', 'HEAD')}")
            git("tag", "v1.2.3")
            self.assertEqual(version(), "1.2.3")
            self.assertRegex(version("pathlib.Path('backend.py')"), r"^1\.2\.3\.dev2\+g[0-9a-f]{12}\.d[0-9a-f]{8}$")
            (here / "src/planproof/VERSION").write_text("1.2.4\n")
            self.assertRegex(version(), r"^1\.2\.4\.dev2\+g[0-9a-f]{12}\.d[0-9a-f]{8}$")


if __name__ == "__main__":
    unittest.main()
