"""Creates that end in doubt because the service closed an idle connection at that moment.

    python -m benchmarks.stale [--calls 5000] [--idle 20 60] [--distance MILLISECONDS]

The client pauses for 20 to 60 ms before each create. The server closes a connection that was idle for as
long, so that nearly every close races with a call: the worst case. With ``--idle 4000 5000`` it waits
longer than the 3 s for which the client sends creates over an idle connection. The server responds
to whatever it reads, so only the race causes a doubt. ``--distance`` is how long a close takes to arrive.
"""

from __future__ import annotations

import asyncio
import random

import attrs

import wosdk_async as wosdk
from benchmarks.server import NO_ID, TOKEN, created, http_response
from tests.support import arguments
from tests.support.serving import read_request, serving

PAUSE = (0.02, 0.06)  # seconds
ID_END = len(NO_ID) + 2  # RequestId with the quote and the brace behind it


class Counts:
    """Figures of the server."""

    carried_out = 0
    closed = 0


@attrs.frozen
class Server:
    """Server that closes connections that were idle for a time between ``idle``, in seconds."""

    idle: tuple[float, float]
    distance: float

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Respond until a pause is longer than this connection's limit, then close it."""
        port = writer.get_extra_info("sockname")[1]
        bodies = {b"WoCreateCommand": created(), b"GetCompanyWsdkUrlCommand": discovery(port)}
        try:
            while True:
                async with asyncio.timeout(random.uniform(*self.idle)):
                    head, request = await read_request(reader)
                await asyncio.sleep(self.distance)
                target = next((name for name in bodies if name in head), b"")
                Counts.carried_out += target == b"WoCreateCommand"
                body = bodies.get(target, TOKEN)
                if target == b"WoCreateCommand":
                    body = body[:-ID_END] + request[-ID_END:]  # both end with their RequestId
                writer.write(http_response(body))
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            Counts.closed += 1
        finally:
            await asyncio.sleep(self.distance)


def discovery(port: int) -> bytes:
    """Return the body of the locator's response."""
    return b'{"CommandResult": {"Url": "http://127.0.0.1:%d/"}}' % port


async def measure(calls: int, idle: tuple[float, float], distance: float) -> None:
    """Send the creates and print how many ended in doubt."""
    async with serving(Server(idle, distance).serve) as port:
        doubts, unsent = await create(calls, f"http://127.0.0.1:{port}")
    lost = calls - Counts.carried_out - unsent
    print(f"{calls} creates, {Counts.closed} connections closed while idle")
    print(f"{doubts} in doubt ({doubts / calls:.4%}), {lost} never carried out; {unsent} not sent")


async def create(calls: int, url: str) -> tuple[int, int]:
    """Send the creates and return how many ended in doubt, and how many were not sent."""
    left, doubts, unsent = iter(range(calls)), 0, 0
    async with wosdk.Client(
        region=wosdk.Region("stale", url, f"{url}/OAuth/token"), credentials=wosdk.Credentials("id", "secret")
    ) as client:
        company = client.company("Bench")

        async def work() -> None:
            nonlocal doubts, unsent
            for _ in left:
                await asyncio.sleep(random.uniform(*PAUSE))
                try:
                    await company.run("WoCreateCommand", {}, check=False)
                except wosdk.InDoubtError:
                    doubts += 1
                except wosdk.NotSentError:  # all attempts found their connection closed
                    unsent += 1

        await asyncio.gather(*(work() for _ in range(32)))
    return doubts, unsent


def main() -> None:
    """Read the arguments and measure."""
    parser = arguments.parser("benchmarks.stale", __doc__)
    parser.add_argument("--calls", type=arguments.count, default=5000, metavar="N", help="creates to send")
    parser.add_argument(
        "--distance", type=float, default=0.0, metavar="MS", help="time that a close takes to arrive"
    )
    parser.add_argument(
        "--idle", type=float, nargs=2, default=(20.0, 60.0), metavar="MS", help="shortest and longest pause"
    )
    args = parser.parse_args()
    low, high = (each / 1000 for each in args.idle)
    asyncio.run(measure(args.calls, (low, high), args.distance / 1000))


if __name__ == "__main__":
    main()
