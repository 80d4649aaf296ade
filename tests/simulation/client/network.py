"""Sockets, names and hosts in memory."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.simulation.client.plan import World
from tests.simulation.client.tls_wire import TLSWire, server_context
from tests.simulation.client.wire import Wire

if TYPE_CHECKING:
    from tests.simulation.client.service import Peer

_HANG = 20.0  # seconds until a look-up fails because the name server does not respond


class Socket:
    """Replacement for a socket: a file descriptor number, valid until the socket is closed."""

    def __init__(self, network: Network, number: int) -> None:
        self._network = network
        self._number = number
        self.host = ""

    def fileno(self) -> int:
        """Return the number; -1 once the socket is closed."""
        return self._number if self._number in self._network.sockets else -1

    def setblocking(self, flag: bool) -> None:
        assert not flag

    def close(self) -> None:
        self._network.sockets.pop(self._number, None)


class Network:
    """Hosts by address, and all connections to them. ``note(what, ...)`` is called for every event."""

    def __init__(self, rng: random.Random, world: World, note: Callable[..., None]) -> None:
        self.note = note
        self.sockets: dict[int, Socket] = {}
        self.wires: list[Wire] = []
        """All connections of the run, in the order of opening."""
        self.names: dict[str, list[str]] = {}
        self.hosts: dict[str, Callable[[Wire], Peer]] = {}
        self.down: set[str] = set()
        """Addresses that refuse new connections."""
        self.blackhole: set[str] = set()
        """Addresses that neither accept nor refuse connections."""
        self.rng = rng
        self._world = world
        self._numbers = 100
        self._events = 0
        self._by_socket: dict[int, Wire] = {}
        self.loop: asyncio.AbstractEventLoop

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop

    def event(self) -> int:
        """Return a new event number."""
        self._events += 1
        return self._events

    def latency(self) -> float:
        """Return the travel time of the next bytes in seconds."""
        return self._world.pace * (0.0002 + self.rng.random() * 0.004)

    def socket(self) -> Socket:
        self._numbers += 1
        made = self.sockets[self._numbers] = Socket(self, self._numbers)
        return made

    def look_up(self, host: str) -> tuple[float, list[Any] | OSError]:
        """Return the duration of a host look-up, and the addresses or an error."""
        world, seconds = self._world, self.latency()
        if world.broken_look_ups and self.rng.random() < world.broken_look_ups:
            self.note("no look-up", host)
            seconds += _HANG if world.silent_look_ups else 0.0
            return seconds, socket.gaierror(socket.EAI_AGAIN, "the name server does not respond")
        if host not in self.names:
            return seconds, socket.gaierror(socket.EAI_NONAME, f"no such host: {host}")
        return seconds, list(self.names[host])

    async def connect(self, sock: Socket, address: str) -> None:
        """Connect a socket to an address. Raises OSError if the address is unreachable."""
        await asyncio.sleep(self.latency() * 2)
        if address in self.blackhole:
            await asyncio.sleep(130)
            raise TimeoutError(f"{address} does not respond")
        if address in self.down or address not in self.hosts:
            raise ConnectionRefusedError(f"{address} refuses")
        sock.host = address

    def open(self, sock: Socket, protocol: asyncio.BaseProtocol, opened: asyncio.Future[None]) -> Wire:
        """Open a connection over ``sock``, which must be connected."""
        wire = self._wire(sock, protocol, len(self.wires) + 1)
        self.wires.append(wire)
        self._by_socket[sock.fileno()] = wire
        wire.server = self.hosts[sock.host](wire)
        self.note("open", wire.number, sock.host)
        self.loop.call_soon(wire.begin, opened)
        return wire

    def _wire(self, sock: Socket, protocol: asyncio.BaseProtocol, number: int) -> Wire:
        world = self._world
        if not world.tls:
            return Wire(self, sock, sock.host, protocol, number)
        broken = bool(world.broken_handshakes) and self.rng.random() < world.broken_handshakes
        context = server_context(tuple(self.names))
        polite = world.tls == "polite"
        fault = "" if not broken else "silent" if world.silent_handshakes else "ends"
        return TLSWire(self, sock, sock.host, protocol, number, context, polite=polite, fault=fault)

    def readable(self, number: int) -> bool:
        """Return whether a read of this socket would return at once."""
        wire = self._by_socket.get(number)
        return wire is None or wire.readable
