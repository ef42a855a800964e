"""What tests share: the binary of this checkout, and an oracle that misbehaves."""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parents[1]
if str(PACKAGE / "src") not in sys.path:
    sys.path.insert(0, str(PACKAGE / "src"))
for name in ("PLANPROOF_URL", "PLANPROOF_SPEC", "PLANPROOF_TASKS", "PLANPROOF_TOKEN"):
    os.environ.pop(name, None)

TASK = "blocksworld:3-5"
GOOD = {}  # task -> a valid plan, made by the planner


@functools.lru_cache(None)
def binary() -> str:
    """The binary of this checkout ($PLANPROOF_TEST_BIN if it is built already)."""
    given = os.environ.get("PLANPROOF_TEST_BIN")
    if given:
        return os.path.abspath(given)
    go = shutil.which("go")
    if go is None:
        raise unittest.SkipTest("Go is missing: the tests against the real oracle cannot build it")
    folder = tempfile.mkdtemp(prefix="planproof-test-")
    import atexit

    atexit.register(shutil.rmtree, folder, True)
    path = os.path.join(folder, "planproof")
    subprocess.run([go, "build", "-o", path, "./cmd/planproof"], cwd=CHECKOUT, check=True, timeout=300)
    return path


@functools.lru_cache(None)
def good_plan(task: str = TASK) -> str:
    """An answer with an optimal plan."""
    out = subprocess.run([binary(), "solve", task, "--json"], capture_output=True, check=True, timeout=60)
    plan = json.loads(out.stdout)["plan"]
    steps = plan["steps"] if isinstance(plan, dict) else plan
    lines = [s if isinstance(s, str) else "(" + " ".join([s["name"], *s["args"]]) + ")" for s in steps]
    return "<plan>\n" + "\n".join(lines) + "\n</plan>"


@functools.lru_cache(None)
def listens() -> bool:
    """Whether the binary serves HTTP."""
    out = subprocess.run([binary(), "oracle", "--help"], capture_output=True, text=True, timeout=30)
    return "--listen" in out.stdout


class RealOracle:
    """planproof oracle --listen on a free port of this machine."""

    def __init__(self, *args: str, port: int = 0):
        if not listens():
            raise unittest.SkipTest("this binary's oracle has no --listen")
        if not port:
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                port = s.getsockname()[1]
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([binary(), "oracle", "--listen", f"127.0.0.1:{port}", *args],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        self.close()
        raise AssertionError("the oracle does not start")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def reply_to(request: dict, score=lambda item: float("good" in item["completion"])) -> dict:
    """What a well-behaved oracle says: 1 for completions with the word good."""
    items = []
    for item in request["items"]:
        value = score(item)
        items.append({
            "id": item["id"], "status": "ok", "score": value, "components": {"valid": value},
            "verdict": "valid" if value else "goal", "plan_len": 1, "ref_len": None, "ref_optimal": False,
            "first_bad_step": -1, "cost": 1, "optimality_gap": None, "reader": "strict", "digest": "sha256:0",
            "reason": "valid" if value else "invalid", "message": "",
        })
    return {"schema": "planproof.score/1", "request_id": request["request_id"],
            "oracle": {"version": "fake", "build": "", "spec_sha": "sha256:0"}, "items": items}


class FakeOracle:
    """An HTTP oracle whose behaviour is a function (handler, request) -> reply or None.

    A dict is sent as JSON; None means that the function has answered by itself.
    """

    def __init__(self, behave=lambda handler, request: reply_to(request)):
        self.behave, self.requests, self.connections = behave, [], 0
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                fake.connections += 1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = json.loads(body)
                fake.requests.append(request)
                reply = fake.behave(self, request)
                if reply is not None:
                    self.answer(200, json.dumps(reply).encode())

            def answer(self, code, data, **headers):
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def fault(code: str, message: str = "why") -> bytes:
    """An error object."""
    return json.dumps({"schema": "planproof.error/1", "error": {"code": code, "message": message}}).encode()


#: A child process that answers like an oracle; the argument is Python run on each line,
#: which may put something else into say.
CHILD = """
import json, os, sys, time
sys.path.insert(0, %r)
from tests.support import reply_to
n = 0
for line in sys.stdin:
    n += 1
    request = json.loads(line)
    say = None
    exec(%%r)
    print(json.dumps(reply_to(request)) if say is None else say, flush=True)
""" % str(PACKAGE)


def fake_child(folder: str, body: str = "") -> str:
    """A program that plays the oracle over a pipe."""
    path = os.path.join(folder, "fake-planproof")
    with open(path, "w") as f:
        f.write("#!" + sys.executable + CHILD % body)
    os.chmod(path, 0o755)
    return path
