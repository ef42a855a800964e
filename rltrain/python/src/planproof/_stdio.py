"""The oracle as a child process: one JSON document a line in each direction."""

from __future__ import annotations

import collections
import os
import re
import select
import subprocess
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import IO, Any, Mapping

from .errors import OracleRefuses, TransportError
from .schema import MAX_REPLY, decode_json

#: How long after a request's deadline its answer may come: the oracle itself keeps the
#: deadline, so a child that is silent for longer hangs.
GRACE = 2.0

#: The exit code of an oracle that cannot use what it was given, and how its own words begin.
#: A program of Go that breaks down has the same code, whatever it said before.
BAD_INPUT = 2
_OWN_WORDS = re.compile(rb"planproof: |[^ ].*: error\[")
_BROKEN_DOWN = re.compile(rb"planproof: internal error|panic: |fatal error: |runtime: |goroutine \d+ \[")

#: Lines of its errors that are kept, from the first and up to the last.
FIRST_LINES, LAST_LINES = 50, 20


def _enlarge(pipe: int) -> None:
    """Gives a pipe 1 MB where the system can: fewer switches for large batches."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
    except (ImportError, AttributeError, OSError):
        pass


class _Child:
    """A running oracle. Answers come in the order of the requests."""

    def __init__(self, argv: list[str]):
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            # An interrupt from the keyboard is for the trainer, which may want a last score.
            start_new_session=True,
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._pipes: tuple[IO[bytes], IO[bytes], IO[bytes]] = self.process.stdin, self.process.stdout, self.process.stderr
        self.stdin = self.process.stdin.fileno()
        os.set_blocking(self.stdin, False)
        for stream in self._pipes[:2]:
            _enlarge(stream.fileno())
        self.pending: collections.deque[Future[bytes]] = collections.deque()
        self.lock = threading.Lock()  # over pending, and over the order of what is written
        self.dead = False
        self.answered = False
        self.own_words = self.broken_down = False
        self.refusal: str | None = None  # once dead
        self.first_errors: list[bytes] = []
        self.errors: collections.deque[bytes] = collections.deque(maxlen=LAST_LINES)
        self._reader = threading.Thread(target=self._read, name="planproof-stdout", daemon=True)
        self._logger = threading.Thread(target=self._log, name="planproof-stderr", daemon=True)
        self._logger.start()  # first: the reader waits for it when a child dies at once
        self._reader.start()

    def send(self, line: bytes, deadline: float) -> "Future[bytes]":
        """Writes a line. The future gets the answer, or is told why there is none."""
        future: "Future[bytes]" = Future()
        with self.lock:
            if self.dead:
                raise self._gone("the oracle has died")
            self.pending.append(future)
            view = memoryview(line)
            while view:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self.stdin], [], left)[1]:
                    self.process.kill()  # half a line is in the pipe
                    raise TransportError("the oracle reads no requests")
                try:
                    view = view[os.write(self.stdin, view):]
                except BlockingIOError:
                    continue
                except OSError:
                    self.process.kill()  # if it has not ended; _end tells why
                    break
        return future

    def _read(self) -> None:
        why = "the oracle ended"
        buffer = bytearray()
        out = self._pipes[1]
        while True:
            try:
                data = out.read(1 << 20)
            except (OSError, ValueError) as err:
                why = f"the oracle's output cannot be read: {err}"
                break
            if not data:
                break
            start = len(buffer)
            buffer += data
            while (end := buffer.find(b"\n", start)) >= 0:
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                start = 0
                with self.lock:
                    future = self.pending.popleft() if self.pending else None
                if future is None:
                    why = "the oracle says what nobody asked"
                    break
                self.answered = True
                future.set_result(line)
            else:
                if len(buffer) <= MAX_REPLY:
                    continue
                why = f"a reply of more than {MAX_REPLY} bytes"
            break
        self._end(why)

    def _end(self, why: str) -> None:
        self.kill()
        self._logger.join(1.0)
        said = b"".join([*self.first_errors, *self.errors]).decode("utf-8", "replace").strip()
        code = self.process.returncode
        why += f" (exit code {code})" + (f": {said[-1000:]}" if said else "")
        with self.lock:
            self.dead = True
            if code == BAD_INPUT and not self.answered and self.own_words and not self.broken_down:
                self.refusal = said
            pending, self.pending = self.pending, collections.deque()
        for future in pending:
            future.set_exception(self._gone(why))
        for stream in self._pipes[:2]:
            try:
                stream.close()
            except OSError:
                pass

    def _gone(self, why: str) -> Exception:
        """What a request is told that a dead child does not answer."""
        return TransportError(why) if self.refusal is None else OracleRefuses(self.refusal)

    def _log(self) -> None:
        for line in self._pipes[2]:
            self.own_words = self.own_words or _OWN_WORDS.match(line) is not None
            self.broken_down = self.broken_down or _BROKEN_DOWN.match(line) is not None
            (self.first_errors if len(self.first_errors) < FIRST_LINES else self.errors).append(line[:1000])
        self._pipes[2].close()

    def kill(self) -> None:
        """Ends the process. Pending requests fail."""
        try:
            self.process.kill()
            self.process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            pass

    def disown(self) -> None:
        """Lets go of the parent's child after a fork: our copies of the pipes would keep
        it alive when the parent has gone."""
        self.process.returncode = 0  # not ours to wait for
        for stream in self._pipes:
            try:
                stream.close()
            except (OSError, ValueError):
                pass


class StdioTransport:
    """Starts ``argv`` when it is first needed, and again when it has died."""

    def __init__(self, argv: list[str]):
        self._argv = argv
        self._child: _Child | None = None
        self._lock = threading.Lock()
        #: How many processes were started.
        self.starts = 0

    def reset(self) -> None:
        """Forgets the child and the locks of the parent, after a fork."""
        self._lock = threading.Lock()
        child, self._child = self._child, None
        if child is not None:
            child.disown()

    def close(self) -> None:
        """Ends the child."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.kill()

    @property
    def pid(self) -> int | None:
        """The child's process id, None before the first request."""
        child = self._child
        return child.process.pid if child else None

    def _live(self) -> _Child:
        with self._lock:
            child = self._child
            if child is None or child.dead or child.process.poll() is not None:
                try:
                    child = _Child(self._argv)
                except OSError as err:
                    raise TransportError(f"{self._argv[0]} cannot be started: {err}") from None
                self._child = child
                self.starts += 1
            return child

    def exchange(self, body: bytes, request_id: str, deadline: float, op: str = "score") -> Mapping[str, Any]:
        """One try; the operation is in the body. Raises TransportError if another may succeed,
        OracleRefuses if the oracle cannot use what it is started with."""
        child = self._live()
        future = child.send(body + b"\n", deadline + GRACE)
        try:
            line = future.result(max(0.0, deadline + GRACE - time.monotonic()))
        except (FutureTimeout, TimeoutError):
            with child.lock:
                hangs = bool(child.pending) and child.pending[0] is future
            if hangs:  # else it works on another request; ours is answered to nobody
                child.kill()
            raise TransportError("no answer in time") from None
        try:
            reply = decode_json(line)
            if reply.get("request_id", request_id) != request_id:
                raise TransportError("the reply is to another request")
        except TransportError:
            child.kill()  # requests and replies no longer match
            raise
        return reply

    def __repr__(self) -> str:
        return " ".join(self._argv)
