"""The client alone: real calls, and words that name the extra where one is needed."""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path

import wosdk_async as wosdk
from wosdk_async import Customer, Location, Task, WoCreateCommand, WoItem, WorkOrder, WorkOrderType, WOType
from wosdk_async.jobs import Export, open_source

COMMAND = WoCreateCommand(
    work_order=WorkOrder(
        items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
        customer=Customer.ref(512),
        sub_type=WorkOrderType.ref(259),
        type_category=WOType.Request,
    )
)


async def says(extra: str, what: Callable[[], Awaitable[object] | object]) -> None:
    """Check that something asks for its extra."""
    try:
        result = what()
        if isinstance(result, Awaitable):
            await result
    except (ImportError, wosdk.WosdkError) as error:
        assert f"wosdk_async[{extra}]" in str(error), f"{extra}: {error}"
    else:
        raise AssertionError(f"{extra} is not asked for")


def sandbox() -> object:
    from wosdk_async.testing import Sandbox

    return Sandbox


def source(name: str, content: bytes) -> object:
    """Read a file of a format, which its first bytes tell."""
    Path(name).write_bytes(content)
    return list(open_source(name))


async def main() -> None:
    assert wosdk.__version__ == version("wosdk_async")
    async with wosdk.Client.from_env() as client:
        acme = client.company()
        assert (await acme.run(COMMAND)).wo is not None
        assert [order async for order in acme.query(WorkOrder).where(wosdk.fields(WorkOrder).id > 0)]
        await says("arrow", acme.query(WorkOrder).table)
        await says("export", lambda: Export(WorkOrder, "orders.parquet", company=acme).run())
    await says("sandbox", sandbox)
    await says("files", lambda: source("rows.xlsx", b"PK\x03\x04"))
    await says("parquet", lambda: source("rows.parquet", b"PAR1"))
    done = subprocess.run(["wosdk", "--help"], capture_output=True, text=True)
    assert (done.returncode, "wosdk_async[cli]" in done.stderr) == (2, True), done.stderr


asyncio.run(main())
