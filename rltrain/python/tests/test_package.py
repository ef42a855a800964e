"""The package itself: light imports, and a wheel that works where nothing else is."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.support import PACKAGE, TASK, binary

import planproof

HEAVY = "torch transformers trl verl ray verifiers reasoning_gym openenv numpy pandas pyarrow datasets".split()


class Imports(unittest.TestCase):
    def test_nothing_heavy(self):
        modules = sorted("planproof." + p.stem for p in (PACKAGE / "src/planproof").glob("*.py") if p.stem != "__init__")
        code = "import sys, importlib\n" + "".join(
            f"importlib.import_module({m!r})\n" for m in ["planproof", *modules] if "_plugin" not in m and not m.endswith(("_verifiers_v1", "reasoning_gym", "verl_trainer"))
        ) + f"bad = [m for m in {HEAVY!r} if m in sys.modules]\nassert not bad, bad\n"
        code += "assert not __import__('threading').active_count() > 1\n"
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")})


class Version(unittest.TestCase):
    def test_is_the_binarys_and_the_oracles(self):
        said = subprocess.run([binary(), "--version"], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(said[:3], ["planproof", "version", planproof.__version__])
        reply = subprocess.run([binary(), "oracle", "--stdio"], input='{"schema":"planproof.score/1","items":[]}\n', check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(reply.stdout.splitlines()[-1])["oracle"]["version"], planproof.__version__)


@unittest.skipUnless(sys.version_info >= (3, 11), "wheel.py needs tomllib")
class Wheel(unittest.TestCase):
    def test_installed_wheel_scores(self):
        with tempfile.TemporaryDirectory() as folder:
            made = [subprocess.run([sys.executable, str(PACKAGE / "wheel.py"), "--binary", binary(), "--output", folder + d],
                                   check=True, capture_output=True, text=True).stdout.strip() for d in ("/a", "/b")]
            self.assertEqual(*(Path(m).read_bytes() for m in made))
            self.assertTrue(Path(made[0]).name.startswith(f"planproof-{planproof.__version__}-"))
            pip = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile",
                                  "--disable-pip-version-check", "--target", folder + "/site", made[0]], capture_output=True, text=True)
            if "No module named pip" in pip.stderr:
                self.skipTest("pip is missing")
            self.assertEqual(pip.returncode, 0, pip.stderr)
            env = {k: v for k, v in os.environ.items() if not k.startswith("PLANPROOF")}
            code = f"import planproof; r = planproof.score('<plan></plan>', task={TASK!r}); print(r.score, r.status, planproof.__file__)"
            out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120,
                                 env={**env, "PATH": "/usr/bin:/bin", "PYTHONPATH": folder + "/site"})
            self.assertEqual(out.stdout.split()[:2], ["0", "ok"])
            self.assertTrue(out.stdout.split()[2].startswith(folder))


if __name__ == "__main__":
    unittest.main()
