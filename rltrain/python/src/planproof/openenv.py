"""Clients of the oracle's OpenEnv environments; ``openenv`` is imported when one is made.

The server is the Go oracle (``planproof oracle --listen``), sessions are WebSockets::

    from planproof.openenv import PlanOnceEnv
    with PlanOnceEnv(base_url="http://127.0.0.1:8700").sync() as env:
        prompt = env.reset(task="blocksworld:3-5").observation.prompt
        result = env.step("<plan>...</plan>")          # result.reward, result.done

An oracle that cannot judge answers with an error, which the client raises: never a reward
of 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Mapping, TypeVar

__all__ = ["BoxnetReplanEnv", "Observation", "PlanAdaptEnv", "PlanOnceEnv", "PlanStepEnv", "State", "make_client"]


@dataclass(frozen=True)
class Observation:
    """What an episode tells; the server's /schema has the same members."""

    #: The task's hash; after a reset what is asked, and the system message if the task has one.
    task: str = ""
    prompt: str = ""
    system: str = ""
    #: When the episode is over: docs/ORACLE.md, score. Why, in words.
    verdict: str = ""
    components: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    #: Of plan_step: the state in words and as facts, the steps that can come next, how many were
    #: executed, and the step that was, as PDDL. Of boxnet_replan: the next turn, the number and the step,
    #: as JSON.
    state: str = ""
    facts: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    executed: int = 0
    step: str = ""
    #: Of plan_adapt: the constraints that the last plan violates, those told for the first time and
    #: those told again, and why the episode is over. How actions are read.
    disclosed: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    end: str = ""
    reader: str = ""


@dataclass(frozen=True)
class State:
    """What is known of an episode from outside."""

    episode_id: str = ""
    step_count: int = 0
    task: str = ""
    #: The steps that were executed, of plan_step.
    plan: tuple[str, ...] = ()
    done: bool = False


T = TypeVar("T", Observation, State)


def _read(kind: type[T], told: Mapping[str, Any]) -> T:
    """A message's members as one of the classes above; others, of a later server, are left out."""
    known = {f.name for f in fields(kind)}
    members: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items() if name in known and value is not None}
    return kind(**members)


_NAMES = {"plan_once": "PlanOnceEnv", "plan_step": "PlanStepEnv", "plan_adapt": "PlanAdaptEnv",
          "boxnet_replan": "BoxnetReplanEnv"}


def make_client(base: type, kind: str, result: type) -> type:
    """The client of one environment, as a subclass of openenv's EnvClient."""
    member = "action" if kind in ("plan_step", "boxnet_replan") else "plan"

    class PlanEnvClient(base):  # type: ignore[misc]
        """A session. reset takes task, seed, spec, max_steps, episode_id and, of plan_adapt, profile;
        step takes a text."""

        def _set_base_url(self, base_url: str) -> None:
            url = base_url.rstrip("/")
            super()._set_base_url(url if url.endswith("/" + kind) else f"{url}/{kind}")

        def _step_payload(self, action: Any) -> dict[str, Any]:
            if isinstance(action, str):
                return {member: action}
            if isinstance(action, Mapping):
                return dict(action)
            raise TypeError(f"an action of {kind} is a text or a dict, not {type(action).__name__}")

        def _parse_result(self, payload: Mapping[str, Any]) -> Any:
            observation = _read(Observation, payload.get("observation") or {})
            return result(observation=observation, reward=payload.get("reward"), done=bool(payload.get("done")))

        def _parse_state(self, payload: Mapping[str, Any]) -> Any:
            return _read(State, payload)

    PlanEnvClient.__name__ = PlanEnvClient.__qualname__ = _NAMES[kind]
    return PlanEnvClient


def __getattr__(name: str) -> Any:
    if name in _NAMES.values():
        from openenv.core.client_types import StepResult
        from openenv.core.env_client import EnvClient

        for kind in _NAMES:
            made = make_client(EnvClient, kind, StepResult)
            globals()[made.__name__] = made
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
