"""Sessions of TLS: one that a host gave is offered to it again, which spares a part of the next handshake."""

from __future__ import annotations

import ssl

__all__ = ["SessionCache"]

_Key = tuple[ssl.SSLContext, str, int]


class SessionCache:
    """Sessions by the context that made them, the name that was verified, and the port.

    It belongs to a pool, and so to one loop; only the context is shared by the loops of several threads.

    Python takes a session for any name, and verifies nothing when it is resumed. So one must never be offered
    under another name than it was made with.

    Args:
        most: how many are kept. 0 for a program's own context, which it may change at any time: what was
            trusted before, or a client certificate, would go on in its sessions.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._sessions: dict[_Key, ssl.SSLSession] = {}

    def get(self, context: ssl.SSLContext, host: str, port: int) -> ssl.SSLSession | None:
        """Return the session to offer, if there is one."""
        return self._sessions.get((context, host, port))

    def keep(self, context: ssl.SSLContext, host: str, port: int, session: ssl.SSLSession | None) -> None:
        """Keep the newest session of a host."""
        if session is None or not self._most:
            return
        if len(self._sessions) >= self._most:
            self._sessions.clear()
        self._sessions[context, host, port] = session

    def forget(self, context: ssl.SSLContext, host: str, port: int) -> None:
        """Forget the session of a host, after an error of TLS."""
        self._sessions.pop((context, host, port), None)

    def drop(self, context: ssl.SSLContext, host: str, port: int, offered: ssl.SSLSession | None) -> None:
        """Forget the session ``offered`` to a host; a newer one stays."""
        if self._sessions.get((context, host, port)) is offered:
            self.forget(context, host, port)
