"""What must and must not type-check: mypy reports an ignore that nothing needs as an error, so each
wrong call below is one that it refuses. Nothing here is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping

    from planproof import AsyncClient, Client, score
    from planproof.schema import Item, Result

    def right(client: Client, chat: list[dict[str, Any]]) -> None:
        """One answer has one result, several have a list."""
        one: Result = client.score("<plan></plan>", task="blocksworld:3-5")
        one = client.score(("blocksworld:3-5", "x"), spec={"kind": "valid"}, deadline=1.5)
        one = client.score(("blocksworld:3-5", chat, "length"), on_error="none")
        one = client.score({"task": "blocksworld:3-5", "completion": "x"}, step_rewards=True)
        one = client.score(Item("blocksworld:3-5", "x"))
        many: list[Result] = client.score(["x", "y"], task="blocksworld:3-5")
        many = client.score([("blocksworld:3-5", "x"), Item("t", "y")])
        many = client.score(Item("t", text) for text in "xy")
        many = score([("t", "x")], url="http://127.0.0.1:1", on_error="zero")
        one = score("x", task={"domain": "d", "problem": "p"})
        reward: float | None = one.score
        parts: Mapping[str, float] = one.components
        length: int = one.plan_len
        reference: int | None = one.ref_len
        cost: float | str | None = one.cost
        print(reward, parts, length, reference, cost, many, one.verdict.upper(), one.ok, one.valid)

    async def right_async(client: AsyncClient, answers: Iterable[Item]) -> None:
        """The same with await."""
        one: Result = await client.score("x", task="t")
        many: list[Result] = await client.score(answers)
        print(one, many)

    def wrong(client: Client, result: Result) -> None:
        """Each line is refused."""
        score(3.5, tusk=1)  # type: ignore[call-overload]
        score("x", tusk=1)  # type: ignore[call-overload]
        client.score(3.5)  # type: ignore[call-overload]
        client.score("x", tusk="t")  # type: ignore[call-overload]
        client.score("x", task=3)  # type: ignore[call-overload]
        client.score("x", task="t", on_error="ignore")  # type: ignore[call-overload]
        client.score([3.5], task="t")  # type: ignore[list-item]
        client.score_one(3.5)  # type: ignore[arg-type]
        Client(on_error="ignore")  # type: ignore[arg-type]
        Client(tusk=1)  # type: ignore[call-arg]
        result.scored  # type: ignore[attr-defined]
        total: float = result.score  # type: ignore[assignment]
        steps: str = result.plan_len  # type: ignore[assignment]
        print(total, steps)
