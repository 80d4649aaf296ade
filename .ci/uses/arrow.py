"""A query as a table that pyarrow takes."""

import asyncio

import pyarrow

import wosdk_async as wosdk


async def main() -> None:
    async with wosdk.Client.from_env() as client:
        table = await client.company().query(wosdk.Customer).select("Id", "Name").table()
    assert pyarrow.table(table).column_names[:2] == ["Id", "Name"]
    assert len(table)


asyncio.run(main())
