"""Clients of the oracle, for threads and for asyncio.

::

    score(list) ──────────────► chunks ─┐
    submit(item) ─► 2 ms or 64 items ───┴─► retries ─► HTTP pool | child process

Both clients share everything below them, may be used by any number of threads and event
loops, survive fork() (a child makes connections and a process of its own) and pickle (by
their settings).
"""

from __future__ import annotations

import asyncio
import atexit
import itertools
import os
import queue
import threading
import time
import uuid
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Iterable, Mapping, Sequence, overload

from . import schema
from ._http import HTTPTransport, default_url
from ._stdio import StdioTransport
from .binary import find_binary
from .answers import read_answers, without_answer
from .errors import OracleUnavailable, PlanproofError, TransportError
from .operations import AsyncOperations, Operations
from .retry import Breaker, Policy
from .schema import Answer, Ask, OnError, Reader, Result, Spec, Task, as_item, ask_score, check_on_error, encode_item

#: A waiting item is sent after this many seconds, or when this many wait.
BATCH_SECONDS = 0.002
BATCH_ITEMS = 64

_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


class Client(Operations):
    """A client for threads.

    url: of an oracle, ``http://host:port``, ``https://...`` or ``unix:/path``; without
        it $PLANPROOF_URL, and without that a child process is started when the first
        response is scored.
    spec: the reward, the oracle's own if None ($PLANPROOF_SPEC).
    reader: how answers are read, ``strict`` or ``natural`` (docs/EXTRACTION.md), where an
        item does not say; the oracle's own choice if None, which is strict.
    tasks: a file of tasks for the child process ($PLANPROOF_TASKS).
    deadline: seconds that a call may take with all its retries.
    on_error: what becomes of a response that has no score: ``raise`` an
        OracleUnavailable or RequestRefused, ``none`` gives score None, ``zero`` 0.0.
        Its ``status`` tells in any case. OracleRefuses is raised whatever it is: an oracle
        that cannot use its tasks answers nobody.
    breaker: see Breaker; None never stops.

    Raises ValueError for a setting that is none, and BinaryMissing if there is neither a URL nor a
    binary.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        spec: Spec | None = None,
        reader: Reader | None = None,
        tasks: "str | os.PathLike[str] | None" = None,
        binary: str | None = None,
        args: Sequence[str] = (),
        token: str | None = None,
        cafile: str | None = None,
        deadline: float = 60.0,
        on_error: OnError = "raise",
        pool: int = 4,
        policy: Policy = Policy(),
        breaker: Breaker | None = None,
    ):
        self._settings: dict[str, Any] = dict(
            url=url, spec=spec, reader=reader, tasks=tasks, binary=binary, args=tuple(args), token=token, cafile=cafile,
            deadline=deadline, on_error=on_error, pool=pool, policy=policy, breaker=breaker,
        )
        self.on_error = check_on_error(on_error)
        self.spec = spec if spec is not None else os.environ.get("PLANPROOF_SPEC") or None
        self.reader = None if reader is None else schema.check_reader(reader)
        self.deadline, self.policy, self.breaker = deadline, policy, breaker
        self._pool_size = max(1, pool)
        url = url or default_url()
        if url:
            token = token or os.environ.get("PLANPROOF_TOKEN") or None
            cafile = cafile or os.environ.get("PLANPROOF_CAFILE") or None
            self._transport: HTTPTransport | StdioTransport = HTTPTransport(url, token, cafile, pool)
        else:
            argv = [find_binary(binary), "oracle", "--stdio"]
            tasks = tasks or os.environ.get("PLANPROOF_TASKS") or None
            if tasks:
                argv += ["--tasks", os.fspath(tasks)]
            self._transport = StdioTransport(argv + list(args))
        self._fresh()
        _clients.add(self)

    def _fresh(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._queue: "queue.SimpleQueue[_Waiting | None]" = queue.SimpleQueue()
        self._batcher: threading.Thread | None = None
        self._run = uuid.uuid4().hex[:12]
        self._numbers = itertools.count()
        self._closed = False

    def _after_fork(self) -> None:
        """In a forked child no thread of the parent runs, and its locks may be held."""
        self._fresh()
        self._transport.reset()

    def _enter(self) -> None:
        if self._pid != os.getpid():  # a fork that Python did not see
            self._after_fork()
        if self._closed:
            raise PlanproofError("the client is closed")
        if self.breaker is not None:
            self.breaker.check()

    # -- scoring -----------------------------------------------------------------------

    @overload
    def score(  # type: ignore[overload-overlap]
        self,
        items: Answer,
        *,
        task: Task | None = None,
        spec: Spec | None = None,
        step_rewards: bool = False,
        reader: Reader | None = None,
        on_error: OnError | None = None,
        deadline: float | None = None,
    ) -> Result: ...

    @overload
    def score(
        self,
        items: Iterable[Answer],
        *,
        task: Task | None = None,
        spec: Spec | None = None,
        step_rewards: bool = False,
        reader: Reader | None = None,
        on_error: OnError | None = None,
        deadline: float | None = None,
    ) -> list[Result]: ...

    def score(
        self,
        items: Answer | Iterable[Answer],
        *,
        task: Task | None = None,
        spec: Spec | None = None,
        step_rewards: bool = False,
        reader: Reader | None = None,
        on_error: OnError | None = None,
        deadline: float | None = None,
    ) -> Result | list[Result]:
        """Scores a response (a Result) or several (a list of Results, in order).

        A response is a completion together with ``task``, a ``(task, completion)`` or
        ``(task, completion, finish)`` tuple, a mapping of these names, or an Item.
        ``step_rewards``: tell scores step by step, too, for rewards of kind shaped.
        ``reader``: of items that name none, instead of the client's.

        Raises OracleUnavailable if a response has no score after all retries, and RequestRefused if
        the request, a task or a row is wrong, both unless ``on_error`` says otherwise; CircuitOpen
        if the breaker is open; OracleRefuses or BinaryMissing if no oracle can be started;
        PlanproofError if the client is closed; TypeError or ValueError for an argument that is
        none.
        """
        one = isinstance(items, (str, Mapping, tuple))
        answers: Iterable[Any] = [items] if one else items
        read = [encode_item(0, as_item(item, task)) for item in answers]
        results: list[Result] = self._ask(read, self._score_ask(spec, step_rewards, reader), on_error, deadline)
        return results[0] if one else results

    def _score_ask(self, spec: Any, step_rewards: bool = False, reader: str | None = None) -> Ask:
        return ask_score(self.spec if spec is None else spec, step_rewards, reader or self.reader)

    def submit(self, item: Answer, *, task: Task | None = None, spec: Spec | None = None, step_rewards: bool = False,
               reader: Reader | None = None, deadline: float | None = None) -> "Future[Result]":
        """Asks for one response's Result; it is sent with others that come within 2 ms.

        The future's result may lack a score whatever ``on_error`` is: settle decides. It raises
        RequestRefused, OracleRefuses or CircuitOpen. This call raises CircuitOpen, TypeError, and
        PlanproofError if the client is closed.
        """
        return self._submit(encode_item(0, as_item(item, task)), self._score_ask(spec, step_rewards, reader), deadline)

    def _ask(self, encoded: list[str], ask: Ask, on_error: str | None, deadline: float | None) -> list[Any]:
        """What the oracle answers about encoded items, in order."""
        on_error = check_on_error(on_error or self.on_error)
        self._enter()
        results = self._all(encoded, ask, self.deadline if deadline is None else deadline)
        self._count(results)
        return schema.settle(results, on_error)

    def _submit(self, encoded: str, ask: Ask, deadline: float | None) -> "Future[Any]":
        """The same for one item, sent with others that are asked the same within 2 ms."""
        self._enter()
        waiting = _Waiting(encoded, ask, time.monotonic() + (self.deadline if deadline is None else deadline))
        with self._lock:
            if self._batcher is None:
                self._batcher = threading.Thread(
                    target=_batch, args=(weakref.ref(self), self._queue), name="planproof-batch", daemon=True)
                self._batcher.start()
        self._queue.put(waiting)
        return waiting.future

    def score_one(self, item: Answer, *, task: Task | None = None, spec: Spec | None = None, on_error: OnError | None = None) -> Result:
        """Scores one response together with those that other threads have: for callers
        that have one at a time in many threads. Raises what score does."""
        settling = check_on_error(on_error or self.on_error)
        return schema.settle([self.submit(item, task=task, spec=spec).result()], settling)[0]

    def _count(self, results: Sequence[Any]) -> None:
        if self.breaker is None:
            return
        missing = [r for r in results if r.raw["status"] in ("unavailable", "timeout")]
        self.breaker.count(len(missing), len(results), missing[0].raw["message"] if missing else "")
        self.breaker.check()

    def _all(self, encoded: Sequence[str], ask: Ask, seconds: float) -> list[Any]:
        deadline = time.monotonic() + seconds
        results: list[Any] = []
        start = 0
        while start < len(encoded):
            end, size = start, 0
            while end < len(encoded) and end - start < schema.MAX_ITEMS and (end == start or size + len(encoded[end]) <= schema.MAX_BYTES):
                size += len(encoded[end]) + 16
                end += 1
            results += self._chunk(encoded[start:end], ask, deadline)
            start = end
        return results

    def _chunk(self, encoded: Sequence[str], ask: Ask, deadline: float) -> list[Any]:
        """Answers to one request. Items that are unavailable are asked for again, alone;
        what has no answer in the end has that status."""
        results: list[Any] = [None] * len(encoded)
        left = list(range(len(encoded)))
        failures, why = 0, "the deadline is over"
        while left:
            retry_after = None
            try:
                got = self._exchange([encoded[i] for i in left], ask, deadline)
            except TransportError as err:
                why, retry_after = str(err), err.retry_after
                if err.fresh and failures == 0 and time.monotonic() < deadline:
                    failures = 1
                    continue
            else:
                for index, result in zip(left, got):
                    results[index] = result
                left = [i for i in left if results[i].raw["status"] == "unavailable"]
                if left:
                    why = results[left[0]].raw["message"]
            failures += 1
            wait = self.policy.wait(failures, retry_after)
            if not left or failures >= self.policy.tries or time.monotonic() + wait >= deadline:
                break
            time.sleep(wait)
        for index in left:
            if results[index] is None:
                results[index] = without_answer(ask, "unavailable", f"no answer from {self._transport!r} in {failures} tries: {why}")
        return results

    def _exchange(self, encoded: list[str], ask: Ask, deadline: float) -> list[Any]:
        request_id = f"{self._run}-{next(self._numbers)}"
        ms = max(1, min(600_000, int((deadline - time.monotonic()) * 1000)))
        numbered = [f'{{"id": {i}{text[8:]}' for i, text in enumerate(encoded)]
        body = schema.encode_request(request_id, ask, ms, numbered)
        reply = self._transport.exchange(body, request_id, deadline, ask.op)
        return list(read_answers(reply, ask, request_id, len(encoded)))

    # -- batching ----------------------------------------------------------------------

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self._pool_size, "planproof")
            return self._executor

    def _send(self, batch: list["_Waiting"]) -> None:
        """Asks about items that wait, those that are asked the same together."""
        groups: dict[str, list[_Waiting]] = {}
        for waiting in batch:
            if waiting.future.set_running_or_notify_cancel():
                groups.setdefault(repr(waiting.ask), []).append(waiting)
        for group in groups.values():
            try:
                seconds = max(w.deadline for w in group) - time.monotonic()
                results = self._all([w.encoded for w in group], group[0].ask, seconds)
                for waiting, result in zip(group, results):
                    waiting.future.set_result(result)
                self._count(results)
            except BaseException as err:
                for waiting in group:
                    if not waiting.future.done():
                        waiting.future.set_exception(err)

    # -- life --------------------------------------------------------------------------

    def close(self) -> None:
        """Ends connections, threads and the child process. What waits is still scored."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            batcher, executor = self._batcher, self._executor
        if batcher is not None:
            self._queue.put(None)
            batcher.join()
            executor = self._executor
        if executor is not None:
            executor.shutdown(wait=True)
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Without this the child of a client that is let go would live as long as we do.
        try:
            if self._pid == os.getpid():
                self._transport.close()
        except Exception:
            pass  # half made, or the interpreter is ending

    def __getstate__(self) -> dict[str, Any]:
        return self._settings

    def __setstate__(self, settings: dict[str, Any]) -> None:
        self.__init__(**settings)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport!r})"


class _Waiting:
    __slots__ = ("encoded", "ask", "deadline", "future")

    def __init__(self, encoded: str, ask: Ask, deadline: float):
        self.encoded, self.ask, self.deadline = encoded, ask, deadline
        self.future: "Future[Any]" = Future()


def _batch(owner: "weakref.ref[Client]", waiting: "queue.SimpleQueue[_Waiting | None]") -> None:
    """Collects items for as long as the first may wait, and hands them to the pool. It
    holds no reference to the client while it waits, so that the client can go."""
    while True:
        try:
            first = waiting.get(timeout=5.0)
        except queue.Empty:
            if owner() is None:
                return
            continue
        if first is None:
            return
        batch, last, ends = [first], False, time.monotonic() + BATCH_SECONDS
        while len(batch) < BATCH_ITEMS and not last:
            try:
                item = waiting.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                break
            if item is None:
                last = True
            else:
                batch.append(item)
        client = owner()
        if client is None:
            return
        client._pool().submit(client._send, batch)
        del client
        if last:
            return


class AsyncClient(AsyncOperations):
    """A client for asyncio: the settings are Client's.

    Items that are awaited at the same time go in one request. Cancelling a call gives
    up its items only; nothing else waits for them.
    """

    def __init__(self, url: str | None = None, *, client: Client | None = None, **settings: Any):
        self.client = client if client is not None else Client(url, **settings)

    @overload
    async def score(  # type: ignore[overload-overlap]
                    self, items: Answer, *, task: Task | None = None, spec: Spec | None = None, step_rewards: bool = False,
                    reader: Reader | None = None, on_error: OnError | None = None, deadline: float | None = None) -> Result: ...

    @overload
    async def score(self, items: Iterable[Answer], *, task: Task | None = None, spec: Spec | None = None, step_rewards: bool = False,
                    reader: Reader | None = None, on_error: OnError | None = None, deadline: float | None = None) -> list[Result]: ...

    async def score(self, items: Answer | Iterable[Answer], *, task: Task | None = None, spec: Spec | None = None, step_rewards: bool = False,
                    reader: Reader | None = None, on_error: OnError | None = None, deadline: float | None = None) -> Result | list[Result]:
        """As Client.score, and raises what that does."""
        client = self.client
        if isinstance(items, (str, Mapping, tuple)):
            one: Result = await self._await(encode_item(0, as_item(items, task)), client._score_ask(spec, step_rewards, reader), on_error, deadline)
            return one
        client._enter()
        answers: list[Any] = list(items)
        return await asyncio.get_running_loop().run_in_executor(client._pool(), lambda: client.score(
            answers, task=task, spec=spec, step_rewards=step_rewards, reader=reader, on_error=on_error, deadline=deadline))

    async def _await(self, encoded: str, ask: Ask, on_error: str | None, deadline: float | None) -> Any:
        on_error = check_on_error(on_error or self.client.on_error)
        return schema.settle([await asyncio.wrap_future(self.client._submit(encoded, ask, deadline))], on_error)[0]

    async def close(self) -> None:
        """Ends what the client holds."""
        await asyncio.get_running_loop().run_in_executor(None, self.client.close)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


def _forked() -> None:
    for client in list(_clients):
        client._after_fork()


def _exit() -> None:
    for client in list(_clients):
        if client._pid == os.getpid():
            client._transport.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
atexit.register(_exit)

# -- the clients of this process ---------------------------------------------------------

_shared: dict[str, Client] = {}
_shared_lock = threading.Lock()


def shared_client(**settings: Any) -> Client:
    """The one client of this process with these settings. Adapters use it, so that all
    calls of a training process share connections and batches."""
    key = repr(sorted((name, value) for name, value in settings.items() if value is not None))
    key += repr([os.environ.get(f"PLANPROOF_{n}") for n in ("URL", "SPEC", "TASKS", "TOKEN", "BIN")])
    with _shared_lock:
        client = _shared.get(key)
        if client is None or client._closed:
            client = _shared[key] = Client(**{n: v for n, v in settings.items() if v is not None})
        return client


def _forked_lock() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked_lock)


@overload
def score(  # type: ignore[overload-overlap]
    items: Answer,
    *,
    task: Task | None = None,
    spec: Spec | None = None,
    step_rewards: bool = False,
    reader: Reader | None = None,
    on_error: OnError = "raise",
    url: str | None = None,
    tasks: str | None = None,
    binary: str | None = None,
    args: Sequence[str] = (),
    token: str | None = None,
    cafile: str | None = None,
    deadline: float | None = None,
    pool: int | None = None,
) -> Result: ...


@overload
def score(
    items: Iterable[Answer],
    *,
    task: Task | None = None,
    spec: Spec | None = None,
    step_rewards: bool = False,
    reader: Reader | None = None,
    on_error: OnError = "raise",
    url: str | None = None,
    tasks: str | None = None,
    binary: str | None = None,
    args: Sequence[str] = (),
    token: str | None = None,
    cafile: str | None = None,
    deadline: float | None = None,
    pool: int | None = None,
) -> list[Result]: ...


def score(
    items: Answer | Iterable[Answer],
    *,
    task: Task | None = None,
    spec: Spec | None = None,
    step_rewards: bool = False,
    reader: Reader | None = None,
    on_error: OnError = "raise",
    url: str | None = None,
    tasks: str | None = None,
    binary: str | None = None,
    args: Sequence[str] = (),
    token: str | None = None,
    cafile: str | None = None,
    deadline: float | None = None,
    pool: int | None = None,
) -> Result | list[Result]:
    """Scores a response, or several, with this process's client: see Client.score, also for
    what it raises. The other settings are Client's.

    >>> score("<plan>...</plan>", task="blocksworld:3-5").score    # doctest: +SKIP
    """
    client = shared_client(url=url, tasks=tasks, binary=binary, args=tuple(args) or None, token=token, cafile=cafile, deadline=deadline, pool=pool)
    answers: Any = items
    scored: Result | list[Result] = client.score(answers, task=task, spec=spec, step_rewards=step_rewards, reader=reader, on_error=on_error)
    return scored


__all__ = ["AsyncClient", "Client", "OracleUnavailable", "score", "shared_client"]
