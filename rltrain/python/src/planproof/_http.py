"""The oracle over HTTP: a pool of kept connections."""

from __future__ import annotations

import http.client
import io
import os
import socket
import ssl
import threading
import time
from typing import Any, Mapping
from urllib.parse import urlsplit

from .errors import RequestRefused, TransportError
from .retry import parse_retry_after
from .schema import MAX_REPLY, decode_json, raise_fault

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class _RawReader(io.RawIOBase):
    def __init__(self, sock: "_Deadlined"):
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.arm()
        return self._sock.raw.recv_into(buffer)


class _Deadlined:
    """A socket whose operations together end by a deadline, so that a server that
    sends a byte now and then cannot hold a training step."""

    def __init__(self, raw: socket.socket):
        self.raw = raw
        self.deadline = 0.0

    def arm(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.raw.settimeout(left)

    def sendall(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        while view:
            self.arm()
            view = view[self.raw.send(view[: 1 << 20]):]

    def makefile(self, mode: str = "rb", *args: Any, **kwargs: Any) -> io.BufferedReader:
        return io.BufferedReader(_RawReader(self), 1 << 16)

    def setsockopt(self, *args: Any) -> None:
        self.raw.setsockopt(*args)

    def close(self) -> None:
        self.raw.close()


class HTTPTransport:
    """Sends requests to ``http://host:port``, ``https://host:port`` or ``unix:/path``."""

    def __init__(self, url: str, token: str | None = None, cafile: str | None = None, pool: int = 4):
        self._token, self._pool_size = token, pool
        if url.startswith("unix:"):
            self._unix: str | None = url[len("unix:"):]
            self._host, self._port, self._tls, self._prefix = "localhost", None, None, ""
        else:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError(f"the oracle's URL is {url!r}; it is http://host:port, https://host:port or unix:/path")
            self._unix, self._host = None, parts.hostname
            self._port = parts.port or (443 if parts.scheme == "https" else 80)
            self._tls = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None
            self._prefix = parts.path.rstrip("/")
        self.reset()

    def reset(self) -> None:
        """Forgets connections and locks: in a forked child they are the parent's."""
        idle = getattr(self, "_idle", [])
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPConnection] = []
        for conn in idle:
            conn.close()

    def close(self) -> None:
        """Closes idle connections."""
        self.reset()

    def exchange(self, body: bytes, request_id: str, deadline: float, op: str = "score") -> Mapping[str, Any]:
        """One try of an operation. Raises TransportError if another may succeed, else
        RequestRefused."""
        conn = kept = self._take()
        try:
            if conn is None:
                conn = self._connect(deadline)
            conn.sock.deadline = deadline  # type: ignore[union-attr]
            headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
            if self._token:
                headers["Authorization"] = f"Bearer {self._token}"
            conn.request("POST", f"{self._prefix}/v1/{op}", body, headers)
            response = conn.getresponse()
            data = self._read(response)
        except TimeoutError:
            self._drop(conn)
            raise TransportError("no answer in time") from None
        except (OSError, http.client.HTTPException, ValueError) as err:
            self._drop(conn)
            idle = kept is not None and isinstance(err, (ConnectionError, http.client.BadStatusLine))
            raise TransportError(f"{type(err).__name__}: {err}", fresh=idle) from None
        except BaseException:
            self._drop(conn)  # interrupted: what comes next on it is an old reply
            raise
        if response.will_close:
            self._drop(conn)
        else:
            self._give(conn)
        return self._reply(response, data)

    def _reply(self, response: http.client.HTTPResponse, data: bytes) -> Mapping[str, Any]:
        status = response.status
        retry_after = parse_retry_after(response.getheader("Retry-After"))
        if status == 200:
            return decode_json(data)
        try:
            raise_fault(decode_json(data), retry_after)
        except TransportError as err:
            if status in _RETRIED or str(err).startswith(("busy", "stopping")):
                raise TransportError(f"HTTP {status}: {str(err)[:500]}", retry_after) from None
        if status in _RETRIED:
            raise TransportError(f"HTTP {status}", retry_after)
        raise RequestRefused(f"http_{status}", f"{response.reason}: {data[:200].decode('utf-8', 'replace')}")

    @staticmethod
    def _read(response: http.client.HTTPResponse) -> bytes:
        if (response.length or 0) > MAX_REPLY:
            raise ValueError(f"a reply of {response.length} bytes")
        data = response.read(MAX_REPLY + 1) if response.length is None else response.read()
        if len(data) > MAX_REPLY:
            raise ValueError(f"a reply of more than {MAX_REPLY} bytes")
        return data

    def _connect(self, deadline: float) -> http.client.HTTPConnection:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        if self._unix is not None:
            raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                raw.settimeout(left)
                raw.connect(self._unix)
            except BaseException:
                raw.close()
                raise
        else:
            raw = socket.create_connection((self._host, self._port), left)  # type: ignore[arg-type]
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is not None:
            try:
                raw = self._tls.wrap_socket(raw, server_hostname=self._host)
            except BaseException:
                raw.close()
                raise
        conn = http.client.HTTPConnection(self._host, self._port)
        conn.sock = _Deadlined(raw)
        conn.auto_open = 0
        return conn

    def _take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give(self, conn: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < self._pool_size:
                self._idle.append(conn)
                return
        conn.close()

    @staticmethod
    def _drop(conn: http.client.HTTPConnection | None) -> None:
        if conn is not None:
            conn.close()

    def __repr__(self) -> str:
        return f"unix:{self._unix}" if self._unix else f"http://{self._host}:{self._port}{self._prefix}"


def default_url() -> str | None:
    """$PLANPROOF_URL, or None."""
    return os.environ.get("PLANPROOF_URL") or None
