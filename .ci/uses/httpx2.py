"""A client of httpx2 sends."""

import asyncio

import httpx2

import wosdk_async as wosdk


async def main() -> None:
    async with httpx2.AsyncClient() as own, wosdk.Client.from_env(http_client=own) as client:
        assert (await client.company().get(wosdk.Customer, 512)).name


asyncio.run(main())
