"""Sockets, names and connections in memory.

What a side writes is under way for a while, arrives in pieces, and waits in the socket until the loop of the
client reads it: between the two it is seen only by who asks the socket (:meth:`Network.readable`).
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    from benchmarks.simulate.loop import VirtualLoop

__all__ = ["Exchanged", "Network", "Socket", "Unit", "Wire"]

_MOST = 64 * 1024  # bytes that are read at once
_BACKLOG_READ = 0.1  # how often the loop reads a little later than it could
_WHOLE_LATER = 0.004  # seconds


class Server(Protocol):
    """The other end of a connection."""

    def received(self, data: bytes) -> None: ...
    def ended(self) -> None: ...


@attrs.define(eq=False)
class Unit:
    """One response on its way to the client: whose it is, what it looks like, when its first byte arrived.

    ``strange`` is one that no service sends: a gateway's page, a 408, JSON that breaks off.
    """

    key: str
    form: str
    names_request: bool
    strange: bool = False
    surplus: bool = False
    arrived: int = 0


@attrs.define(eq=False)
class Exchanged:
    """What was sent over one connection; events are numbered through all of them, in the order of time."""

    written: list[int] = attrs.field(factory=list)
    """When each request left."""
    requests: list[tuple[str, str]] = attrs.field(factory=list)
    """Kind and key of those that came in whole, in the same order."""
    units: list[Unit] = attrs.field(factory=list)


class Socket:
    """Stands in for a socket: a number that is open until it is closed."""

    def __init__(self, network: Network, number: int) -> None:
        self._network = network
        self._number = number
        self.host = ""

    def fileno(self) -> int:
        return self._number if self._number in self._network.sockets else -1

    def setblocking(self, flag: bool) -> None:
        assert not flag

    def close(self) -> None:
        self._network.sockets.pop(self._number, None)


class Network:
    """Hosts by address, and what is between them and the client.

    ``note(what, ...)`` is told of everything that happens.
    """

    def __init__(self, draw: random.Random, pace: float, note: Callable[..., None]) -> None:
        self.note = note
        self.sockets: dict[int, Socket] = {}
        self.wires: list[Wire] = []
        """All connections that there ever were, in the order of their opening."""
        self.names: dict[str, list[str]] = {}
        self.hosts: dict[str, Callable[[Wire], Server]] = {}
        self.down: set[str] = set()
        """Addresses that refuse new connections."""
        self.deaf: set[str] = set()
        """Addresses that do not even refuse."""
        self.draw = draw
        self._pace = pace
        self._numbers = 100
        self._events = 0
        self._by_socket: dict[int, Wire] = {}
        self.loop: VirtualLoop

    def attach(self, loop: VirtualLoop) -> None:
        """Belong to ``loop``."""
        self.loop = loop

    def event(self) -> int:
        """The number of what happens now."""
        self._events += 1
        return self._events

    def latency(self) -> float:
        """Seconds that something is under way."""
        return self._pace * (0.0002 + self.draw.random() * 0.004)

    def socket(self) -> Socket:
        self._numbers += 1
        made = self.sockets[self._numbers] = Socket(self, self._numbers)
        return made

    def addresses(self, host: str) -> list[str]:
        if host not in self.names:
            raise OSError(f"no such host: {host}")
        return self.names[host]

    async def connect(self, sock: Socket, address: str) -> None:
        await asyncio.sleep(self.latency() * 2)
        if address in self.deaf:
            await asyncio.sleep(130)
            raise TimeoutError(f"{address} does not answer")
        if address in self.down or address not in self.hosts:
            raise ConnectionRefusedError(f"{address} refuses")
        sock.host = address

    def open(self, sock: Socket, protocol: asyncio.BaseProtocol, opened: asyncio.Future[None]) -> Wire:
        """A connection over ``sock``, which is connected."""
        wire = Wire(self, sock, protocol, len(self.wires) + 1)
        self.wires.append(wire)
        self._by_socket[sock.fileno()] = wire
        wire.server = self.hosts[sock.host](wire)
        self.note("open", wire.number, sock.host)
        self.loop.call_soon(wire.begin, opened)
        return wire

    def readable(self, number: int) -> bool:
        wire = self._by_socket.get(number)
        return wire is None or wire.readable


class Wire(asyncio.Transport):
    """One connection: the client's transport, and what the service at the other end does to it."""

    def __init__(self, network: Network, sock: Socket, protocol: asyncio.BaseProtocol, number: int) -> None:
        super().__init__({"socket": sock})
        self.network = network
        self.number = number
        self.host = sock.host
        self.exchanged = Exchanged()
        self.server: Server
        self._loop = network.loop
        self._socket = sock
        self._protocol: Any = protocol
        self._up: deque[bytes | None] = deque()
        self._down: deque[tuple[str, bytes, list[Unit]]] = deque()
        self._up_at = self._down_at = 0.0
        self._inbox = bytearray()
        self._end = ""
        """What comes after the inbox: "fin" or "rst"."""
        self._stalled: list[bytes] | None = None
        self._closing = self._lost = self._reads = self._paused = False

    def __repr__(self) -> str:
        return f"<Wire {self.number} to {self.host}>"

    # --- the client's transport -----------------------------------------------------------------

    def begin(self, opened: asyncio.Future[None]) -> None:
        if not self._lost:
            self._protocol.connection_made(self)
        if not opened.done():
            opened.set_result(None)

    def write(self, data: Any) -> None:
        if self._closing or self._lost:
            return
        self.exchanged.written.append(self.network.event())
        self.network.note("write", self.number, len(data))
        if self._end == "rst":  # the reset is there, and was not read yet
            self._fail(BrokenPipeError("broken pipe"))
        elif self._stalled is not None:
            self._stalled.append(bytes(data))
        else:
            self._send(bytes(data))

    def get_write_buffer_size(self) -> int:
        return sum(map(len, self._stalled or ()))

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self.network.note("close", self.number)
            self._send(None)
            self._loop.call_soon(self._gone, None)

    def abort(self) -> None:
        self._fail(None)

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._see()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def _fail(self, error: Exception | None) -> None:
        if self._lost or (self._closing and error is None):
            return
        if not self._closing:
            self._closing = True
            self.network.note("abort", self.number, type(error).__name__)
            self._send(None)
            self._loop.call_soon(self._gone, error)

    def _gone(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = True
            self._protocol.connection_lost(error)
            self._socket.close()

    # --- up: to the service ---------------------------------------------------------------------

    def _send(self, data: bytes | None) -> None:
        self._up.append(data)
        self._up_at = max(self._up_at, self._loop.time() + self.network.latency())
        self._loop.call_at(self._up_at, self._deliver_up)

    def _deliver_up(self) -> None:
        data = self._up.popleft()  # in order, whichever of two timers ran first
        if data is None:
            self.server.ended()
        else:
            self.server.received(data)

    def stall(self, seconds: float) -> None:
        """Take nothing for so long."""
        if self._stalled is None:
            self._stalled = []
            self._loop.call_later(seconds, self._flow)

    def _flow(self) -> None:
        waiting, self._stalled = self._stalled, None
        for data in waiting or ():
            if not self._closing:
                self._send(data)

    # --- down: to the client --------------------------------------------------------------------

    def push(self, data: bytes, units: list[Unit]) -> None:
        """Send a piece, in which ``units`` begin."""
        self._later("", data, units)

    def finish(self, how: str) -> None:
        """End it: "fin" or "rst"."""
        self._later(how, b"", [])

    def _later(self, end: str, data: bytes, units: list[Unit]) -> None:
        self._down.append((end, data, units))
        self._down_at = max(self._down_at, self._loop.time() + self.network.latency())
        self._loop.call_at(self._down_at, self._deliver_down)

    def _deliver_down(self) -> None:
        end, data, units = self._down.popleft()
        if self._end or self._lost:
            return
        for unit in units:
            unit.arrived = self.network.event()
            self.exchanged.units.append(unit)
        if end == "rst" and self.network.draw.random() < 0.5:
            self._inbox.clear()  # some systems drop what was not read yet
        self._end = end
        self._inbox += data
        self.network.note("arrive", self.number, end or len(data))
        self._see()

    @property
    def readable(self) -> bool:
        return bool(self._inbox or self._end)

    def _see(self) -> None:
        """The loop will find the socket readable; now and then it is busy with something else."""
        if not self._reads and self.readable and not self._closing and not self._paused:
            self._reads = True
            draw = self.network.draw.random
            if draw() < _BACKLOG_READ:
                self._loop.call_later(draw() * _WHOLE_LATER, self._read)
            else:
                self._loop.call_soon(self._read)

    def _read(self) -> None:
        self._reads = False
        if self._closing or self._paused:
            return
        if self._inbox:
            room = self._protocol.get_buffer(-1)
            count = min(len(room), len(self._inbox), _MOST)
            room[:count] = self._inbox[:count]
            del self._inbox[:count]
            self._protocol.buffer_updated(count)
        elif self._end == "rst":
            self._fail(ConnectionResetError("connection reset by peer"))
        elif not self._protocol.eof_received():
            self.close()
        if self._inbox or self._end:
            self._see()
