"""HTTP/2 is offered; the Company, which has no TLS, is spoken to in HTTP/1.1."""

import asyncio

import h2

import wosdk_async as wosdk


async def main() -> None:
    async with wosdk.Client.from_env(http2=True) as client:
        assert (await client.company().get(wosdk.Customer, 512)).name


assert h2.__version__
asyncio.run(main())
