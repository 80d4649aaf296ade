"""Exports to Parquet and Excel."""

import asyncio

import wosdk_async as wosdk
from wosdk_async.jobs import Export


async def main() -> None:
    async with wosdk.Client.from_env() as client:
        for name in ("customers.parquet", "customers.xlsx"):
            summary = await Export(wosdk.Customer, name, company=client.company())
            assert summary.rows > 0
            assert summary.path.stat().st_size > 0


asyncio.run(main())
