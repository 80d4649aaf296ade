"""At which port of the server a Company is served, once it has moved."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

import attrs

from wosdk_async.sandbox.faults.target import RequestMatch, header

__all__ = ["MovedHosts"]

_PORTS = {"http": 80, "https": 443}
_SECOND = 8900  # without a socket any other port will do


@attrs.define
class MovedHosts:
    """The homes of Companies that have moved; one that never did is served at every port.

    Args:
        ports: those the server listens at, the first one first; empty without a socket.
    """

    ports: Sequence[int] = ()
    _homes: dict[str | None, int] = attrs.field(factory=dict, init=False)

    def move(self, target: RequestMatch, scope: MutableMapping[str, Any]) -> None:
        """Let the request's Company move on to the port after its home."""
        home = self._homes.get(target.company, _port(scope))
        ports = self.ports if home in self.ports else [home, *(self.ports or [_SECOND])]
        self._homes[target.company] = ports[(ports.index(home) + 1) % len(ports)]

    def clear(self) -> None:
        self._homes.clear()

    def wrong(self, target: RequestMatch, scope: MutableMapping[str, Any]) -> bool:
        """Whether the request came to an address that its Company has left."""
        home = self._homes.get(target.company)
        elsewhere = home is not None and _port(scope) != home
        return elsewhere and not target.operations & {"token", "discovery", "other"}

    def redirect(self, target: RequestMatch, scope: MutableMapping[str, Any]) -> None:
        """Let a discovery look as if it came to the Company's home, so that it names that."""
        home = self._homes.get(target.company)
        if home is None or "discovery" not in target.operations:
            return
        host = (header(scope, b"host") or "localhost").rpartition(":")
        name = host[0] if host[2].isdecimal() and host[0] else "".join(host)
        others = [pair for pair in scope["headers"] if pair[0] != b"host"]
        scope["headers"] = [(b"host", f"{name}:{home}".encode()), *others]


def _port(scope: MutableMapping[str, Any]) -> int:
    digits = (header(scope, b"host") or "").rpartition(":")[2]
    return int(digits) if digits.isdecimal() else _PORTS.get(scope["scheme"], 80)
