"""One in-memory connection: the client's transport, and events on the way to the service and back.

Bytes travel for a while, arrive in pieces, and wait in the socket until the client's loop reads them. Until
then, only :attr:`Wire.readable` shows them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from tests.simulation.client.messages import Exchange, ResponseUnit

if TYPE_CHECKING:
    from tests.simulation.client.network import Network, Socket
    from tests.simulation.client.service import Peer

_MAX_READ = 64 * 1024  # bytes that the loop reads at once
_LATE_READS = 0.1  # share of reads that are late
_MAX_LATE = 0.004  # seconds


class Wire(asyncio.Transport):
    def __init__(
        self, network: Network, sock: Socket, host: str, protocol: asyncio.BaseProtocol, number: int
    ) -> None:
        super().__init__({"socket": sock})
        self.network = network
        self.number = number
        self.host = host
        self.exchange = Exchange()
        self.server: Peer
        self._loop = network.loop
        self._socket = sock
        self._protocol: Any = protocol
        self._up: deque[bytes | None] = deque()
        self._down: deque[tuple[str, bytes, list[ResponseUnit]]] = deque()
        self._up_at = self._down_at = 0.0
        self._rest = b""
        """Second half of a piece, to send before anything else."""
        self._inbox = bytearray()
        self._end = ""
        """How the connection ends after the inbox: "fin" or "rst"."""
        self._stalled: list[bytes] | None = None
        self._closing = self._lost = self._will_read = self._paused = False

    def __repr__(self) -> str:
        return f"<Wire {self.number} to {self.host}>"

    # --- the client's transport -----------------------------------------------------------------

    def begin(self, opened: asyncio.Future[None]) -> None:
        if not self._lost:
            self._protocol.connection_made(self)
            self._secure()
        if not opened.done():
            opened.set_result(None)

    def write(self, data: Any) -> None:
        if self._closing or self._lost:
            return
        self.exchange.written.append((self.network.event(), bytes(data)))
        self.network.note("write", self.number, len(data))
        if self._end == "rst":  # the reset has arrived but was not read yet
            self._fail(BrokenPipeError("broken pipe"))
        elif self._stalled is not None:
            self._stalled.append(bytes(data))
        else:
            self._send_up(bytes(data))

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the service does not accept yet."""
        return sum(map(len, self._stalled or ()))

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self.network.note("close", self.number)
            self._send_up(None)
            self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        self._fail(None)

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._schedule_read()

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
            self._send_up(None)
            self._loop.call_soon(self._lose, error)

    def _lose(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = True
            self._protocol.connection_lost(error)
            self._socket.close()

    # --- up: to the service ---------------------------------------------------------------------

    def _send_up(self, data: bytes | None) -> None:
        self._up.append(data)
        self._up_at = max(self._up_at, self._loop.time() + self.network.latency())
        self._loop.call_at(self._up_at, self._deliver_up)

    def _deliver_up(self) -> None:
        data = self._up.popleft()  # two timers of the same time may run in any order
        if data is None:
            self.server.closed()
        else:
            self.server.receive(data)

    def stall(self, seconds: float) -> None:
        """Let the service accept no bytes for ``seconds``."""
        if self._stalled is None:
            self._stalled = []
            self._loop.call_later(seconds, self._end_stall)

    def _end_stall(self) -> None:
        waiting, self._stalled = self._stalled, None
        for data in waiting or ():
            if not self._closing:
                self._send_up(data)

    # --- down: to the client --------------------------------------------------------------------

    def push(self, data: bytes, units: list[ResponseUnit], pause: float = 0.0) -> None:
        """Send a piece with bytes of these responses; after a ``pause``, if any, send its second half."""
        self._send(self._encode(data), units, pause)

    def _secure(self) -> None:
        """Do the TLS handshake, if any; without TLS the connection is open."""
        self.server.opened()

    def _encode(self, data: bytes) -> bytes:
        return data

    def _send(self, data: bytes, units: list[ResponseUnit], pause: float = 0.0) -> None:
        data = self._rest + data
        half = len(data) // 2 if pause else len(data)
        self._rest = data[half:]
        if data:
            self._send_down("", data[:half], units, behind=bool(pause))
        if self._rest:
            self._loop.call_later(pause, self._send, b"", units)

    def finish(self, how: str) -> None:
        self._send_down(how, b"", [])

    def _send_down(self, end: str, data: bytes, units: list[ResponseUnit], *, behind: bool = False) -> None:
        """Let bytes travel; with ``behind``, they arrive together with the bytes before them."""
        self._down.append((end, data, units))
        self._down_at = max(self._down_at, self._loop.time() + (0.0 if behind else self.network.latency()))
        self._loop.call_at(self._down_at, self._deliver_down)

    def _deliver_down(self) -> None:
        end, data, units = self._down.popleft()
        if self._end or self._lost:
            return
        for unit in units:
            unit.until = self._loop.time()
            if not unit.arrived:
                unit.arrived, unit.since = self.network.event(), unit.until
                self.exchange.units.append(unit)
        if end == "rst" and self.network.rng.random() < 0.5:
            self._inbox.clear()  # some systems drop unread data
        self._end = end
        self._inbox += data
        self.network.note("arrive", self.number, end or len(data))
        self._schedule_read()

    @property
    def readable(self) -> bool:
        return bool(self._inbox or self._end)

    def _schedule_read(self) -> None:
        """Schedule a read; some reads are late, as if the loop was busy."""
        if not self._will_read and self.readable and not self._closing and not self._paused:
            self._will_read = True
            random = self.network.rng.random
            if random() < _LATE_READS:
                self._loop.call_later(random() * _MAX_LATE, self._read)
            else:
                self._loop.call_soon(self._read)

    def _read(self) -> None:
        self._will_read = False
        if self._closing or self._paused:
            return
        if self._inbox:
            buffer = self._protocol.get_buffer(-1)
            count = min(len(buffer), len(self._inbox), _MAX_READ)
            buffer[:count] = self._inbox[:count]
            del self._inbox[:count]
            self._protocol.buffer_updated(count)
        elif self._end == "rst":
            self._fail(ConnectionResetError("connection reset by peer"))
        elif not self._protocol.eof_received():
            self.close()
        if self._inbox or self._end:
            self._schedule_read()
