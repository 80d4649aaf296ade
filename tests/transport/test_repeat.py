"""Only operations and commands that the catalogue calls safe are sent again without a response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wosdk_async
from tests.support.virtual import World, reply
from wosdk_async import Command, Contact, InDoubtError, NoAnswerError, RetryPolicy, WorkOrder, model
from wosdk_async.protocol.wire import Response

CATALOGUE = Path(wosdk_async.__file__).parent / "catalogue"
COMMANDS: dict[str, Any] = json.loads((CATALOGUE / "commands.json").read_text("utf-8"))
OPERATIONS: dict[str, Any] = json.loads((CATALOGUE / "operations.json").read_text("utf-8"))


class Broken(World):
    """Never gives a conclusive response, and counts how often each call was sent."""

    def __init__(self) -> None:
        super().__init__(self.page)
        self.sent = 0

    async def page(self, *_: Any) -> Response:
        self.sent += 1
        return reply(b"<html>", 502)

    async def attempts(self, call: Any) -> int:
        self.sent = 0
        with pytest.raises((NoAnswerError, InDoubtError)):
            await call
        return self.sent


def commands() -> list[type[Command[Any]]]:
    kinds = (getattr(model, name) for name in model.__all__)
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Command) and kind.path]


async def test_every_command_is_repeated_only_if_its_entry_says_so() -> None:
    """Sent twice when safe, once when not; a command that only has a name is not safe."""
    broken = Broken()
    acme = broken.company(retry=RetryPolicy(attempts=2, wait_initial=0.0))
    await acme.connect()
    broken.on_discovery = broken.page  # discovery is a command like others, but for where it goes
    seen = set()
    for kind in commands():
        safe = COMMANDS[kind.wire_name]["repeat"] == "safe"
        assert await broken.attempts(acme.run(kind(), check=False)) == (2 if safe else 1), kind
        seen.add(kind.wire_name)
    assert seen == {name for name, entry in COMMANDS.items() if "repeat" in entry}
    assert await broken.attempts(acme.run("NewCommand", {})) == 1


async def test_every_operation_is_repeated_only_if_its_entry_says_so() -> None:
    """Reads are repeated; create and update are not; a delete is when it may find nothing."""
    broken = Broken()
    acme = broken.company(retry=RetryPolicy(attempts=2, wait_initial=0.0))
    operations = {
        "retrieve": acme.get(WorkOrder, 1),
        "query": acme.query(WorkOrder, {}),
        "create": acme.create("Thing", {}),
        "update": acme.update(WorkOrder(id=1), po_number="x", check=False),
        "delete": acme.delete(Contact, 1),
    }
    for name, call in operations.items():
        assert await broken.attempts(call) == (2 if OPERATIONS[name]["repeat"] == "safe" else 1), name
    assert await broken.attempts(acme.delete(Contact, 1, missing_ok=True)) == 2
