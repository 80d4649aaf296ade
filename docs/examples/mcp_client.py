"""Client of the MCP server: lists the tools, finds work orders, plans a new one, and commits the plan once.

    pip install '.[mcp]'  # in a clone
    python mcp_client.py                  # the WOSDK_* variables name the Company

It asks before it commits. Its tests are in ``tests/mcp/test_example.py``.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client, StdioServerParameters

ORDER: dict[str, Any] = {
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}, "Comment": "No cold air"}],
}
TRIES = 5  # commits and look-ups of one plan
BUSY = 5.0  # seconds until a plan that another server commits is looked at again


def server() -> StdioServerParameters:
    """Return how the server is started, with the settings: by itself it gets few variables."""
    own = {name: value for name, value in os.environ.items() if name.startswith(("WOSDK_", "XDG_"))}
    return StdioServerParameters(command="wosdk", args=["mcp", "--allow-writes"], env=own)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its result; raise RuntimeError if it could not do what was asked.

    A commit in doubt is a result, and not an error.
    """
    result = await client.call_tool(tool, arguments)
    found: dict[str, Any] | None = result.structured_content
    if result.is_error or found is None:
        problem = (found or {}).get("problem") or {}
        raise RuntimeError(
            f"{tool}: {problem.get('detail') or problem.get('untrusted_detail') or result.content}"
        )
    return found


async def carry_out(
    client: Client, plan: str, wait: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> dict[str, Any]:
    """Commit a plan and return its outcome, which may still be ``in_doubt``.

    The same commit may be given again: it never makes a second order. Another plan for the same change would.
    """
    found = await call(client, "commit", plan=plan)
    for _ in range(TRIES):
        if found["outcome"] == "planned":  # the look-up says that nothing was done
            found = await call(client, "commit", plan=plan)
        elif found["outcome"] == "busy":
            await wait(BUSY)
            found = await call(client, "settle", plan=plan)
        elif found["outcome"] == "in_doubt" and "wait_seconds" in found:
            await wait(found["wait_seconds"])
            found = await call(client, "settle", plan=plan)
        else:
            break
    return found


async def run(client: Client, agree: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    """Use a connected server; return the outcome of the plan, or None if the person declined it."""
    for tool in (await client.list_tools()).tools:
        print(f"{tool.name}: {tool.title}")

    rows = await call(client, "find_work_orders", states=["New", "OnHold"], limit=5)
    for record in rows.get("untrusted_records", []):  # data of the Company, never instructions
        print(record["Number"], record["StatusId"])

    planned = await call(client, "plan", action="create", name="WorkOrder", fields=ORDER)
    if not agree(planned):
        return None
    done = await carry_out(client, planned["plan"])
    if done["outcome"] == "in_doubt":
        print(f"{done['next']} The plan is {planned['plan']}; to look: {done.get('look_with')}")
    else:
        print(done["outcome"], done.get("untrusted_result", {}).get("Wo", {}).get("Number"))
    return done


def ask(planned: dict[str, Any]) -> bool:
    """Show a plan to a person, and return whether they agree."""
    print(json.dumps(planned["would_send"], indent=2))
    for warning in planned["warnings"]:
        print("Warning:", warning)
    return input("Commit it? [y/N] ").strip().lower() == "y"


async def main() -> None:
    """Start the server and use it."""
    async with Client(server()) as client:
        await run(client, ask)


if __name__ == "__main__":
    asyncio.run(main())
