"""Trusted certificates: the client's own, or those of the system and environment."""

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

_MAX_BEFORE = 1 << 20  # bytes at the start of a file that are searched for a certificate
_MAX_SESSIONS = 1024  # maximum cached sessions, one per host and port

SessionKey = tuple[ssl.SSLContext, str, int]


class TLSSessions(dict[SessionKey, ssl.SSLSession]):
    """TLS session cache: resume a host's session to shorten the next handshake.

    The key holds the context, verified name and port, because Python resumes a session under any name without
    verifying the name again. ``max_sessions`` is 0 for the program's own context: the program may change the
    context, and a resumed session would ignore the change.
    """

    def __init__(self, max_sessions: int) -> None:
        super().__init__()
        self._max_sessions = max_sessions

    def keep(self, key: SessionKey, session: ssl.SSLSession | None) -> None:
        """Keep the newest session for a host."""
        if session is None or not self._max_sessions:
            return
        if len(self) >= self._max_sessions:
            self.clear()
        self[key] = session

    def drop(self, key: SessionKey, offered: ssl.SSLSession | None) -> None:
        """Drop the session that was ``offered`` to a host, unless a newer one has replaced it."""
        if self.get(key) is offered:
            self.pop(key, None)


class TLSContextProvider:
    """TLS context for all connections: the program's own, or the system's, loaded on first use.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` replace the system's certificates, as in OpenSSL. On systems
    without certificates, such as slim containers, certifi provides them.
    """

    def __init__(self, own: ssl.SSLContext | None = None) -> None:
        self._is_own = own is not None
        self.sessions = TLSSessions(0 if self._is_own else _MAX_SESSIONS)
        """Sessions for one loop's connections; threads share only the context."""
        self._context = own
        self._loading = asyncio.Lock()

    def authority_remedy(self) -> Remedy:
        """Return the remedy for an untrusted certificate authority."""
        if self._is_own:
            return Remedy.AUTHORITY_IN_CONTEXT
        return Remedy.AUTHORITY_IN_FILE if os.environ.get("SSL_CERT_FILE") else Remedy.AUTHORITY

    async def context(self) -> ssl.SSLContext:
        """Return the context. The system's context is loaded once, in a thread, because loading takes 30 ms.

        Raises:
            ConfigurationError: ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` is unusable.
        """
        async with self._loading:
            if self._context is None:
                self._context = await asyncio.to_thread(_system_context, *_certificate_paths())
            return self._context


def _certificate_paths() -> tuple[str, str, int]:
    """Return SSL_CERT_FILE, SSL_CERT_DIR and the file's modification time: a changed file is reread."""
    file = os.environ.get("SSL_CERT_FILE", "")
    changed = os.stat(file).st_mtime_ns if os.path.exists(file) else 0
    return file, os.environ.get("SSL_CERT_DIR", ""), changed


@lru_cache(maxsize=8)  # two threads may both load a context at first, which is harmless
def _system_context(file: str, folders: str, _: int) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if file:  # OpenSSL has loaded the file, but silently ignores an unreadable one, so load it again
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
    """Check ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``, but load no certificates. Raises ConfigurationError."""
    file, folders, _ = _certificate_paths()
    if file:
        with _translated(file):
            content, _ = read_regular(file, _MAX_BEFORE, cut=True)
            if b"-----BEGIN " not in content:
                raise ValueError("no certificate found")
    if folders:
        _require_folder(folders)


@contextmanager
def _translated(file: str) -> Iterator[None]:
    """Raise ConfigurationError if a file is unusable."""
    try:
        yield
    except (OSError, ValueError) as error:  # OSError includes ssl.SSLError: no certificate in the file
        why = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"SSL_CERT_FILE is {file!r}, which is unusable ({why}); name a PEM certificate file, or unset"
            f" the variable"
        ) from None


def _require_folder(folders: str) -> None:
    """Require at least one readable folder; OpenSSL ignores unreadable ones."""
    if not any(
        os.path.isdir(each) and os.access(each, os.R_OK | os.X_OK) for each in folders.split(os.pathsep)
    ):
        raise ConfigurationError(
            f"SSL_CERT_DIR is {folders!r}, which is not a readable folder; name one whose "
            "certificates were prepared by 'openssl rehash', or unset it"
        )


def _has_certificates(context: ssl.SSLContext) -> bool:
    """Return whether the system has certificates: loaded, or in a folder that OpenSSL searches on demand."""
    folder = ssl.get_default_verify_paths().capath
    return bool(context.cert_store_stats()["x509_ca"] or (folder and os.listdir(folder)))


_REMEDIES = {
    9: Remedy.NOT_YET_VALID,
    10: Remedy.EXPIRED,
    62: Remedy.HOST_NAME,  # host name mismatch
    64: Remedy.HOST_NAME,  # IP address mismatch
}
"""Remedies by OpenSSL error code (X509_V_ERR)."""


def tls_remedy(error: BaseException, authority: Remedy) -> Remedy | None:
    """Return the remedy if ``error`` or its cause is a permanent TLS failure; otherwise None.

    ``authority`` is the remedy for an untrusted certificate authority.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if getattr(cause, "reason", None) == "WRONG_VERSION_NUMBER":
        return Remedy.NOT_TLS
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return None
    return _REMEDIES.get(getattr(cause, "verify_code", 0), authority)
