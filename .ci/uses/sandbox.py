"""A Company in the process, over a real socket."""

import asyncio

import wosdk_async as wosdk
from wosdk_async.sandbox import LocalCompany


async def main(local: LocalCompany) -> None:
    async with wosdk.Client.from_env(local.variables) as client:
        assert (await client.company().get(wosdk.Customer, 512)).name


with LocalCompany() as company:
    asyncio.run(main(company))
