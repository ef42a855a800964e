"""The operations of both clients beside score, and episodes made of them."""

from __future__ import annotations

import asyncio
from typing import Any, Iterable, Mapping, Sequence

from .answers import A, Answer, Check, Extraction, Mask, Solution, Start, Truth, Turn, Verdict, encode_question
from .schema import Ask, Reader, Result, Task, check_reader

Steps = Sequence[str]
Profile = Mapping[str, int]


def _ask_of(kind: type[Answer], spec: Any, reader: str | None) -> Ask:
    head = {"spec": spec} if kind.SPEC and spec is not None else {}
    if kind.READER and reader is not None:
        head["reader"] = check_reader(reader)
    return Ask(kind.OP, head)


class Operations:
    """What Client can be asked beside score. Retries, deadlines and on_error are those of
    score: what has no answer raises, or with ``on_error="none"`` (or ``"zero"``) has
    another status than ``ok``. All of it may be repeated: nothing changes in the oracle.
    ``reader`` is that of extract, reset and step, the client's if None."""

    def extract(self, task: Task, completion: Any, **how: Any) -> Extraction:
        """The plan that a response commits to."""
        return self.batch(Extraction, [(task, completion)], **how)[0]

    def validate(self, task: Task, plan: str | Steps, **how: Any) -> Verdict:
        """The judgement of a plan, a text or a list of steps."""
        return self.batch(Verdict, [(task, plan)], **how)[0]

    def truth(self, task: Task, schedule: str | None = None, **how: Any) -> Truth:
        """What is known of the task's optimal plans, under a cost schedule if one is named."""
        return self.batch(Truth, [(task, schedule)], **how)[0]

    def solve(self, task: Task, question: Mapping[str, Any] | None = None, **how: Any) -> Solution:
        """A cheapest plan, or that there is none. The question is what docs/ORACLE.md says, such as
        ``{"certificate": True}`` for a proof or ``{"step": "(stack a b)"}`` for a state where a step can be taken."""
        return self.batch(Solution, [(task, question)], **how)[0]

    def check_certificate(self, task: Task, certificate: bytes, **how: Any) -> Check:
        """Whether a certificate proves what it claims of a task."""
        return self.batch(Check, [(task, certificate)], **how)[0]

    def mask(self, task: Task, prefix: Steps = (), **how: Any) -> Mask:
        """The steps that can come after a prefix of a plan."""
        return self.batch(Mask, [(task, prefix)], **how)[0]

    def reset(self, task: Task, *, profile: Profile | None = None, **how: Any) -> Start:
        """The first observation of an episode of plan_step, or with a profile of plan_adapt."""
        return self.batch(Start, [(task, profile)], **how)[0]

    def step(self, task: Task, prefix: Steps, action: str, *, gold: Any = None, budget: Any = None,
             profile: Profile | None = None, **how: Any) -> Turn:
        """What a step, in PDDL or in words, leads to after a prefix of a plan; with a profile, what an
        answer with a whole plan leads to after the answers before."""
        return self.batch(Turn, [(task, prefix, action, gold, budget, profile)], **how)[0]

    def batch(self, kind: type[A], items: Iterable[Any], *, spec: Any = None, reader: Reader | None = None,
              on_error: str | None = None, deadline: float | None = None) -> list[A]:
        """Asks many questions in one request: ``batch(Verdict, [(task, plan), ...])``. An
        item is a tuple of the arguments of the method above, or a dict of them."""
        if spec is None:
            spec = self.spec  # type: ignore[attr-defined]
        asked = [encode_question(kind, item) for item in items]
        ask = _ask_of(kind, spec, reader or self.reader)  # type: ignore[attr-defined]
        answers: list[A] = self._ask(asked, ask, on_error, deadline)  # type: ignore[attr-defined]
        return answers

    def episode(self, task: Task, *, spec: Any = None, max_steps: int = 100, reader: Reader | None = None) -> "Episode":
        """Begins an episode of plan_step."""
        return Episode(self, task, spec, max_steps, reader)

    def adaptive(self, task: Task, *, profile: Profile | None = None, spec: Any = None, reader: Reader | None = None) -> "AdaptiveEpisode":
        """Begins an episode of plan_adapt. The profile is {"seed": 1, "rounds": 2}: which constraints are
        hidden, and how many (1 low, 2 mid, 3 high)."""
        return AdaptiveEpisode(self, task, profile, spec, reader)

    def replan(self, task: Mapping[str, Any], *, spec: Any = None) -> "ReplanEpisode":
        """Begins an episode of boxnet_replan. The task is a row that ``planproof boxnet solve --json`` has
        written, or ``boxnet generate``."""
        return ReplanEpisode(self, task, spec)


class AsyncOperations:
    """The same for AsyncClient. Questions that are awaited at the same time travel together."""

    async def extract(self, task: Task, completion: Any, **how: Any) -> Extraction:
        """As Client.extract."""
        return await self._one(Extraction, (task, completion), **how)

    async def validate(self, task: Task, plan: str | Steps, **how: Any) -> Verdict:
        """As Client.validate."""
        return await self._one(Verdict, (task, plan), **how)

    async def truth(self, task: Task, schedule: str | None = None, **how: Any) -> Truth:
        """As Client.truth."""
        return await self._one(Truth, (task, schedule), **how)

    async def solve(self, task: Task, question: Mapping[str, Any] | None = None, **how: Any) -> Solution:
        """As Client.solve."""
        return await self._one(Solution, (task, question), **how)

    async def check_certificate(self, task: Task, certificate: bytes, **how: Any) -> Check:
        """As Client.check_certificate."""
        return await self._one(Check, (task, certificate), **how)

    async def mask(self, task: Task, prefix: Steps = (), **how: Any) -> Mask:
        """As Client.mask."""
        return await self._one(Mask, (task, prefix), **how)

    async def reset(self, task: Task, *, profile: Profile | None = None, **how: Any) -> Start:
        """As Client.reset."""
        return await self._one(Start, (task, profile), **how)

    async def step(self, task: Task, prefix: Steps, action: str, *, gold: Any = None, budget: Any = None,
                   profile: Profile | None = None, **how: Any) -> Turn:
        """As Client.step."""
        return await self._one(Turn, (task, prefix, action, gold, budget, profile), **how)

    async def batch(self, kind: type[A], items: Iterable[Any], **how: Any) -> list[A]:
        """As Client.batch."""
        client, items = self.client, list(items)  # type: ignore[attr-defined]
        client._enter()
        return await asyncio.get_running_loop().run_in_executor(client._pool(), lambda: client.batch(kind, items, **how))

    async def _one(self, kind: type[A], item: tuple[Any, ...], *, spec: Any = None, reader: Reader | None = None,
                   on_error: str | None = None, deadline: float | None = None) -> A:
        if spec is None:
            spec = self.client.spec  # type: ignore[attr-defined]
        ask = _ask_of(kind, spec, reader or self.client.reader)  # type: ignore[attr-defined]
        answer: A = await self._await(encode_question(kind, item), ask, on_error, deadline)  # type: ignore[attr-defined]
        return answer

    async def episode(self, task: Task, *, spec: Any = None, max_steps: int = 100, reader: Reader | None = None) -> "AsyncEpisode":
        """As Client.episode."""
        episode = AsyncEpisode.__new__(AsyncEpisode)
        episode._begin(self, task, spec, max_steps, reader)
        episode.observation = (await self.reset(task, reader=reader, on_error="raise")).observation
        return episode

    async def adaptive(self, task: Task, *, profile: Profile | None = None, spec: Any = None, reader: Reader | None = None) -> "AsyncAdaptiveEpisode":
        """As Client.adaptive."""
        episode = AsyncAdaptiveEpisode()
        episode._begin(self, task, {} if profile is None else dict(profile), spec, reader)
        episode.observation = (await episode._first()).observation
        return episode

    async def replan(self, task: Mapping[str, Any], *, spec: Any = None) -> "AsyncReplanEpisode":
        """As Client.replan."""
        episode = AsyncReplanEpisode()
        episode._begin(self, task, None, spec, None)
        episode.observation = (await episode._first()).observation
        return episode


class _EpisodeState:
    """What both kinds of episodes keep. The oracle keeps nothing: an episode goes on when
    the oracle was killed and started again, and a call that raised OracleUnavailable has
    changed nothing and may be repeated."""

    def _begin(self, client: Any, task: Task, spec: Any, max_steps: int, reader: Reader | None = None) -> None:
        if max_steps < 1:
            raise ValueError("max_steps is at least 1")
        self._client, self.task, self.spec, self.max_steps, self.reader = client, task, spec, max_steps, reader
        #: The steps that were executed, as PDDL; how many actions were taken, executed or not.
        self.plan: list[str] = []
        self.actions = 0
        self.done = False
        #: The reward of the last action: 0 until the episode is over.
        self.reward: float | None = None
        self.observation: Mapping[str, Any] = {}

    def _open(self) -> None:
        if self.done:
            raise ValueError("the episode is over")

    def _take(self, turn: Turn) -> bool:
        """Notes a turn; says whether the episode ends here although its goal does not hold."""
        last = not turn.done and self.actions + 1 >= self.max_steps
        if not last:
            self._note(turn.observation, turn.reward, turn.done)
        return last

    def _note(self, observation: Mapping[str, Any], reward: float | None, done: bool) -> None:
        if observation.get("step"):
            self.plan.append(observation["step"])
        self.actions += 1
        self.observation, self.reward, self.done = observation, reward, done

    def _answer(self, turn: Turn) -> str:
        step = turn.observation.get("step")
        return "<plan>\n" + "\n".join(self.plan + ([step] if step else [])) + "\n</plan>"

    def _finish(self, turn: Turn, result: Result) -> None:
        told = {**turn.observation, "verdict": result.verdict, "components": result.components}
        told["message"] = told.get("message") or result.message
        self._note(told, result.score, True)


class Episode(_EpisodeState):
    """An episode of plan_step; Client.episode begins one.

    >>> episode = client.episode("blocksworld:3-5")                    # doctest: +SKIP
    >>> while not episode.done:                                        # doctest: +SKIP
    ...     episode.step(policy(episode.observation))
    """

    def __init__(self, client: Any, task: Task, spec: Any = None, max_steps: int = 100, reader: Reader | None = None):
        self._begin(client, task, spec, max_steps, reader)
        self.observation = client.reset(task, reader=reader, on_error="raise").observation

    def step(self, action: str) -> Mapping[str, Any]:
        """Takes an action and returns the observation; ``reward`` and ``done`` say the rest."""
        self._open()
        turn = self._client.step(self.task, self.plan, action, spec=self.spec, reader=self.reader, on_error="raise")
        if self._take(turn):
            self._finish(turn, self._client.score(self._answer(turn), task=self.task, spec=self.spec, reader=self.reader, on_error="raise"))
        return self.observation


class AsyncEpisode(_EpisodeState):
    """The same for asyncio; ``await AsyncClient.episode(task)`` begins one."""

    async def step(self, action: str) -> Mapping[str, Any]:
        """As Episode.step."""
        self._open()
        turn = await self._client.step(self.task, self.plan, action, spec=self.spec, reader=self.reader, on_error="raise")
        if self._take(turn):
            self._finish(turn, await self._client.score(self._answer(turn), task=self.task, spec=self.spec, reader=self.reader, on_error="raise"))
        return self.observation


class _AnswersEpisode:
    """An episode whose actions are answers. The oracle keeps nothing: every call carries the answers so
    far, and one that raised OracleUnavailable has changed nothing and may be repeated."""

    def _begin(self, client: Any, task: Task, profile: Profile | None, spec: Any, reader: Reader | None) -> None:
        self._client, self.task, self.spec, self.reader = client, task, spec, reader
        self.profile = profile
        #: The answers so far; whether the episode is over; the reward of the last answer, 0 until then.
        self.answers: list[str] = []
        self.done = False
        self.reward: float | None = None
        self.observation: Mapping[str, Any] = {}

    def _first(self) -> Any:
        return self._client.reset(self.task, profile=self.profile, reader=self.reader, on_error="raise")

    def _ask(self, answer: str) -> Any:
        if self.done:
            raise ValueError("the episode is over")
        return self._client.step(self.task, self.answers, answer, profile=self.profile, spec=self.spec, reader=self.reader, on_error="raise")

    def _note(self, answer: str, turn: Turn) -> Mapping[str, Any]:
        self.answers.append(answer)
        self.observation, self.reward, self.done = turn.observation, turn.reward, turn.done
        return self.observation


class AdaptiveEpisode(_AnswersEpisode):
    """An episode of plan_adapt, in which violated constraints come to light; Client.adaptive begins one."""

    def __init__(self, client: Any, task: Task, profile: Profile | None = None, spec: Any = None, reader: Reader | None = None):
        self._begin(client, task, {} if profile is None else dict(profile), spec, reader)
        self.observation = self._first().observation

    def propose(self, answer: str) -> Mapping[str, Any]:
        """Takes an answer with a whole plan and returns the observation: ``message``, ``disclosed``,
        ``repeated``, ``end``."""
        return self._note(answer, self._ask(answer))


class AsyncAdaptiveEpisode(_AnswersEpisode):
    """The same for asyncio; ``await AsyncClient.adaptive(task)`` begins one."""

    async def propose(self, answer: str) -> Mapping[str, Any]:
        """As AdaptiveEpisode.propose."""
        return self._note(answer, await self._ask(answer))


class ReplanEpisode(_AnswersEpisode):
    """An episode of boxnet_replan, in which several robots move one step a turn; Client.replan begins one."""

    def __init__(self, client: Any, task: Mapping[str, Any], spec: Any = None):
        self._begin(client, task, None, spec, None)
        self.observation = self._first().observation

    def step(self, answer: str) -> Mapping[str, Any]:
        """Takes an answer with thoughts and a block of JSON that holds one step, and returns the observation:
        ``state`` is the next turn, ``message`` why the episode is over."""
        return self._note(answer, self._ask(answer))


class AsyncReplanEpisode(_AnswersEpisode):
    """The same for asyncio; ``await AsyncClient.replan(row)`` begins one."""

    async def step(self, answer: str) -> Mapping[str, Any]:
        """As ReplanEpisode.step."""
        return self._note(answer, await self._ask(answer))


__all__ = ["AdaptiveEpisode", "AsyncAdaptiveEpisode", "AsyncEpisode", "AsyncOperations", "AsyncReplanEpisode", "Episode", "Operations", "Profile", "ReplanEpisode"]
