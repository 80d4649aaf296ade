"""An agent asks the server over pipes, with the client of the protocol's own library."""

import asyncio
import os

from mcp import Client, StdioServerParameters


async def main() -> None:
    server = StdioServerParameters(command="wosdk", args=["mcp"], env=dict(os.environ))
    async with Client(server) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"find_work_orders", "get_record"} <= names, names
        assert not {"plan", "commit"} & names, names
        found = await client.call_tool("get_record", {"entity": "Customer", "record": 512})
        assert not found.is_error, found
        assert found.structured_content, found


asyncio.run(main())
