"""Certificates that are trusted: those of the client, or those that the system and its environment name."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import read_regular
from wosdk_async.text.remedies import Remedy

__all__ = ["Place", "TLSContextProvider", "TLSSessions", "require_certificates", "tls_remedy"]

_MAX_BEFORE = 1 << 20  # bytes at the beginning of a file in which a certificate is looked for
_MAX_SESSIONS = 1024  # one for each host and port

Place = tuple[ssl.SSLContext, str, int]


class TLSSessions(dict[Place, ssl.SSLSession]):
    """TLS session cache: resume a host's session to shorten the next handshake.

    The key is the context, the verified name and the port: Python resumes a session under any name, and
    verifies nothing then. ``most`` is 0 for a context of the program: a resumed session would still trust
    what the context trusted before the program changed it.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, place: Place, session: ssl.SSLSession | None) -> None:
        """Keep the newest session of a host."""
        if session is None or not self._most:
            return
        if len(self) >= self._most:
            self.clear()
        self[place] = session

    def drop(self, place: Place, offered: ssl.SSLSession | None) -> None:
        """Forget the session ``offered`` to a host; a newer one stays."""
        if self.get(place) is offered:
            self.pop(place, None)


class TLSContextProvider:
    """TLS context of all connections: the program's own, or the system's, loaded when it is first needed.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` replace the system's certificates, as for all of OpenSSL.
    A system that has none (a slim container) gets those of certifi.
    """

    def __init__(self, own: ssl.SSLContext | None = None) -> None:
        self._is_own = own is not None
        self.sessions = TLSSessions(0 if self._is_own else _MAX_SESSIONS)
        """Sessions for the connections of one loop; only the context is shared by several threads."""
        self._context = own
        self._loading = asyncio.Lock()

    def authority_remedy(self) -> Remedy:
        """Return what to do about a certificate of an authority that is not trusted."""
        if self._is_own:
            return Remedy.AUTHORITY_IN_CONTEXT
        return Remedy.AUTHORITY_IN_FILE if os.environ.get("SSL_CERT_FILE") else Remedy.AUTHORITY

    async def context(self) -> ssl.SSLContext:
        """Return the context. Loading the system's takes 30 ms: once for all callers, in a thread.

        Raises:
            ConfigurationError: ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names what cannot be used.
        """
        async with self._loading:
            if self._context is None:
                self._context = await asyncio.to_thread(_system_context, *_named())
            return self._context


def _named() -> tuple[str, str, int]:
    """Return the values of the two variables, and when the file was changed: a new client reads it again."""
    file = os.environ.get("SSL_CERT_FILE", "")
    changed = os.stat(file).st_mtime_ns if os.path.exists(file) else 0
    return file, os.environ.get("SSL_CERT_DIR", ""), changed


@lru_cache(maxsize=8)  # two threads that ask first may each load one: that takes time, and no more
def _system_context(file: str, folders: str, _: int) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if file:  # OpenSSL has loaded it already, but ignores what it cannot read
        with _translated(file):
            context.load_verify_locations(file)
    if folders:
        _require_folder(folders)
    if not (file or folders or _has_certificates(context)):
        import certifi

        context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


def require_certificates() -> None:
    """Raise ConfigurationError for variables that name no certificates, without the time of loading them."""
    file, folders, _ = _named()
    if file:
        with _translated(file):
            content, _ = read_regular(file, _MAX_BEFORE, cut=True)
            if b"-----BEGIN " not in content:
                raise ValueError("no certificate found")
    if folders:
        _require_folder(folders)


@contextmanager
def _translated(file: str) -> Iterator[None]:
    """Raise ConfigurationError for a file that cannot be used."""
    try:
        yield
    except (OSError, ValueError) as error:  # ssl.SSLError too: no certificate in it
        why = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"SSL_CERT_FILE is {file!r}, which cannot be used ({why}); name a file of certificates in PEM, or"
            " unset it"
        ) from None


def _require_folder(folders: str) -> None:
    """Require that one of the folders can be read; OpenSSL ignores the others."""
    if not any(
        os.path.isdir(each) and os.access(each, os.R_OK | os.X_OK) for each in folders.split(os.pathsep)
    ):
        raise ConfigurationError(
            f"SSL_CERT_DIR is {folders!r}, which is not a readable folder; name one whose "
            "certificates were prepared by 'openssl rehash', or unset it"
        )


def _has_certificates(context: ssl.SSLContext) -> bool:
    """Return whether the system has certificates: loaded, or in a folder that OpenSSL looks into later."""
    folder = ssl.get_default_verify_paths().capath
    return bool(context.cert_store_stats()["x509_ca"] or (folder and os.listdir(folder)))


_REMEDIES = {
    9: Remedy.NOT_YET_VALID,
    10: Remedy.EXPIRED,
    62: Remedy.HOST_NAME,  # of a host
    64: Remedy.HOST_NAME,  # of an IP address
}
"""What to do by the error of OpenSSL, X509_V_ERR."""


def tls_remedy(error: BaseException, authority: Remedy) -> Remedy | None:
    """Return what to do if ``error``, or what caused it, is a lasting fault of TLS; else None.

    ``authority`` is the remedy for a certificate of an authority that is not trusted.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if getattr(cause, "reason", None) == "WRONG_VERSION_NUMBER":
        return Remedy.NOT_TLS
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return None
    return _REMEDIES.get(getattr(cause, "verify_code", 0), authority)
