"""Certificates that are trusted: those of the client, or those that the system and its environment name."""

from __future__ import annotations

import asyncio
import copy
import os
import ssl
from functools import lru_cache

from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import read_regular
from wosdk_async.shared_tasks import mark_retrieved

__all__ = [
    "THEIR_OWN",
    "TLSContextProvider",
    "require_certificates",
    "system_context",
    "tls_error",
    "tls_remedy",
]

_MAX_BEFORE = 1 << 20  # bytes at the beginning of a file in which a certificate is looked for


class TLSContextProvider:
    """TLS context of all connections: the caller's own, or the system's, made when it is first needed.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name other certificates than the system's, as for all of OpenSSL.
    A system that has none (a slim container) gets those of certifi. Connections share a context if they offer
    the same ``protocols``, because the offer is a property of the context.
    """

    def __init__(self, own: ssl.SSLContext | None = None, protocols: tuple[str, ...] = ("http/1.1",)) -> None:
        self.is_own = own is not None
        """Whether the context is that of the program."""
        self._context = own
        self._protocols = protocols
        self._making: asyncio.Task[ssl.SSLContext] | None = None

    def authority_remedy(self) -> str:
        """Return what to do about a certificate of an authority that is not trusted."""
        if self.is_own:
            return "if you trust the authority that signed it, load its certificate into your ssl_context"
        if file := os.environ.get("SSL_CERT_FILE"):
            return (
                f"SSL_CERT_FILE is {file!r}, and the authority that signed the certificate is not in it: add"
                " it there if you trust it"
            )
        return (
            "if you trust the authority that signed it (your own, or that of a proxy which opens TLS), name "
            "its certificate in SSL_CERT_FILE or pass ssl_context="
        )

    async def context(self) -> ssl.SSLContext:
        """Return the context. Loading the system's takes 30 ms: once for all callers, in a thread.

        Raises:
            ConfigurationError: ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names what cannot be used.
        """
        if self._context is None:
            if self._making is None or self._making.done():
                self._making = asyncio.create_task(asyncio.to_thread(system_context, self._protocols))
                self._making.add_done_callback(mark_retrieved)
            try:
                self._context = await asyncio.shield(self._making)
            except ConfigurationError as error:
                raise copy.copy(error) from None  # a copy: each call adds its own details to its error
        return self._context


def system_context(protocols: tuple[str, ...]) -> ssl.SSLContext:
    """Return the system's context: one per process for each value of the two variables and the protocols.

    Raises:
        ConfigurationError: a variable names what cannot be used.
    """
    return _system_context((os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")), protocols)


@lru_cache(maxsize=8)  # two threads that ask first may each load one: that takes time, and no more
def _system_context(named: tuple[str | None, str | None], protocols: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    file, folders = named
    if file:
        _load_file(context, file)
    if folders:
        _require_folder(folders)
    if not any(named) and not _has_certificates(context):
        import certifi

        context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(list(protocols))
    return context


def _load_file(context: ssl.SSLContext, path: str) -> None:
    """Load the certificates of a file. OpenSSL has done that already, but ignores what it cannot read."""
    try:
        context.load_verify_locations(path)
    except (OSError, ValueError) as error:  # ssl.SSLError too: no certificate in it
        raise _unusable(path, getattr(error, "strerror", None) or error) from None


def require_certificates() -> None:
    """Raise ConfigurationError for variables that name no certificates, without the time of loading them."""
    if file := os.environ.get("SSL_CERT_FILE"):
        try:
            content, _ = read_regular(file, _MAX_BEFORE)
        except (OSError, ValueError) as error:
            raise _unusable(file, getattr(error, "strerror", None) or error) from None
        if b"-----BEGIN " not in content:
            raise _unusable(file, "no certificate found")
    if folders := os.environ.get("SSL_CERT_DIR"):
        _require_folder(folders)


def _unusable(path: str, why: object) -> ConfigurationError:
    return ConfigurationError(
        f"SSL_CERT_FILE is {path!r}, which cannot be used ({why}); name a file of certificates in PEM, or"
        " unset it"
    )


def _require_folder(folders: str) -> None:
    """Require that one of the folders can be read; OpenSSL ignores the others."""
    if not any(
        os.path.isdir(each) and os.access(each, os.R_OK | os.X_OK) for each in folders.split(os.pathsep)
    ):
        raise ConfigurationError(
            f"SSL_CERT_DIR is {folders!r}, which is not a folder that can be read; name one whose "
            "certificates were prepared by 'openssl rehash', or unset it"
        )


def _has_certificates(context: ssl.SSLContext) -> bool:
    """Return whether the system has certificates: loaded, or in a folder that OpenSSL looks into later."""
    if context.cert_store_stats()["x509_ca"]:
        return True
    folder = ssl.get_default_verify_paths().capath
    if folder is None:
        return False
    with os.scandir(folder) as entries:
        return any(entries)


_NOT_YET, _EXPIRED = 9, 10  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
_NAMES = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
THEIR_OWN = (
    "if you trust the authority that signed it, let your httpx client load its certificate: "
    "verify=ssl.create_default_context(cafile=...)"
)
"""What to do about an authority that is not trusted, where the httpx client is the program's own."""


def tls_error(error: BaseException) -> ssl.SSLError | None:
    """Return the error of OpenSSL that ``error`` is, or that caused it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause


def tls_remedy(error: BaseException, authority: str) -> str:
    """Return what to do if ``error``, or what caused it, is a lasting fault of TLS; else an empty text.

    ``authority`` is the text for a certificate of an authority that is not trusted.
    """
    cause = tls_error(error)
    if getattr(cause, "reason", None) == "WRONG_VERSION_NUMBER":
        return "the other side does not speak TLS: the address may need http://, or another port"
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return ""
    code = getattr(cause, "verify_code", 0)
    if code == _NOT_YET:
        return "check the clock of this machine and the date from which the certificate is valid"
    if code == _EXPIRED:
        return "check the clock of this machine, then have the certificate renewed"
    if code in _NAMES:
        return "write the address with a host name that the certificate has, or have one made for this name"
    return authority
