"""Input from stdin and URLs, copied to the job folder so that an import can read it several times."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import quote, unquote, urljoin, urlsplit

from anyio.from_thread import start_blocking_portal

from wosdk_async.errors import ConfigurationError, DownloadError
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.formats import FORMATS, suffix_of
from wosdk_async.jobs.sources.source import missing_package
from wosdk_async.options import ClientOptions, Timeouts
from wosdk_async.regular_files import replace_file
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret, as_secret
from wosdk_async.transport.http.engine import REDIRECTS, RequestHeaders, SendError
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.hosts import is_local

MAX_SPOOLED = 4 << 30  # bytes
_CHUNK = 1 << 20
_REDIRECTS = 5
_TIMEOUTS = Timeouts(connect=15, read=60, write=60)
_RESERVED = "%:/?#[]@!$&'()*+,;=~"  # characters not to encode in URLs


def is_remote(source: str) -> bool:
    """Return whether ``source`` is a URL or ``-`` (stdin), not a file path."""
    scheme, mark, _ = source.partition("://")
    return source == "-" or (bool(mark) and scheme.replace("+", "").replace("::", "").isalnum())


def shown_source(source: str) -> str:
    """Return a source without the credentials, query and fragment of a URL, so that it is safe to store."""
    if not is_remote(source):
        return source
    if source == "-":
        return "stdin"
    if "::" in source:  # several fsspec URLs in a chain, any of which may have credentials
        return f"{source.partition('://')[0]}://..."
    try:
        parts = urlsplit(source)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{source.partition('://')[0]}://..."
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def spool(
    source: str | Secret,
    folder: Path,
    limit: int = MAX_SPOOLED,
    *,
    format: str | None = None,
    seconds: float = 3600.0,
) -> Path:
    """Copy stdin (``-``) or a URL to ``input.<format>`` in a folder atomically, and return the file's path.

    ``limit`` is in bytes. ``format`` overrides the URL's suffix; without a known suffix, the format is CSV.
    ``seconds`` limits a download. Raise ImportMapError if the source is empty, too large or cannot be read
    completely; the error contains no credentials.
    """
    address = as_secret(source)
    # `source` loses its credentials, because tracebacks may show local variables.
    source = shown = shown_source(address.reveal())
    suffix = suffix_of(PurePosixPath(shown), format or None)
    path = folder / f"input{suffix if suffix in FORMATS else '.csv'}"
    size = 0

    def write(chunk: bytes) -> None:
        nonlocal size
        size += len(chunk)
        if size > limit:
            raise ImportMapError(f"{shown} is larger than {limit:,} bytes; save the data as a file first")
        file.write(chunk)

    try:
        with replace_file(path) as file:
            _copy(address.reveal(), shown, seconds, write)
            if not size:
                raise ImportMapError(f"{shown} is empty; check the program that writes it")
        return path
    except ImportMapError as error:
        failure = error.with_traceback(None)
        failure.__context__ = None
    except OSError as error:
        failure = ImportMapError(f"{path}: {error.strerror or error}")
    raise failure  # outside `except`, so that the traceback holds no frame with the address


def _copy(source: str, shown: str, seconds: float, write: Callable[[bytes], None]) -> None:
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise ImportMapError("stdin is a terminal", remedies=(Remedy.PIPE,))
        _copy_file(sys.stdin.buffer, "stdin", write)
    elif source.casefold().startswith(("https://", "http://")):
        _download(source, shown, seconds, write)
    else:
        _copy_filesystem(source, shown, write)


def _copy_file(file: IO[bytes], shown: str, write: Callable[[bytes], None]) -> None:
    while True:
        try:
            chunk = file.read(_CHUNK)
        except Exception as error:  # from a third-party file system; its message may contain credentials
            raise ImportMapError(f"{shown}: reading failed ({type(error).__name__}); try again") from None
        if not chunk:
            return
        write(chunk)


def _download(url: str, shown: str, seconds: float, write: Callable[[bytes], None]) -> None:
    """Follow redirects only from https to https."""

    async def follow() -> None:
        nonlocal url
        engine = engine_for(ClientOptions(timeouts=_TIMEOUTS))
        async with asyncio.timeout(seconds):
            for _ in range(_REDIRECTS + 1):
                target, headers = _request(url, shown)
                async with engine.stream(target, headers) as response:
                    if response.status not in REDIRECTS or "location" not in response.headers:
                        if response.status != 200:
                            raise ImportMapError(
                                f"{shown}: the server responded with status {response.status}; check the URL "
                                "and your permissions, or download the file and import the copy"
                            )
                        async for chunk in response.chunks:
                            write(chunk)
                        return
                    url = _redirected(url, response.headers["location"], shown)
        raise ImportMapError(f"{shown}: more than {_REDIRECTS} redirects; use the final URL")

    try:
        with start_blocking_portal() as portal:  # in another thread, because this one may run an event loop
            portal.call(follow)
    except ImportMapError:
        raise
    except ConfigurationError as error:  # from proxy or certificate settings in the environment
        raise ImportMapError(f"{shown}: {error.message}", **error.facts) from None
    except TimeoutError:
        raise ImportMapError(
            f"{shown}: the download took more than {seconds:,g} s; download the file first"
        ) from None
    except (DownloadError, SendError) as error:
        parts = urlsplit(url)  # error messages may repeat the URL's secrets
        hidden = Secrets(parts.query, parts.netloc.rpartition("@")[0], unquote(parts.password or ""))
        why = hidden.hide(str(error), longest=300)
        remedy = getattr(error, "remedy", None) or Remedy.TRY_AGAIN
        facts = error.facts if isinstance(error, SendError) else {}
        raise ImportMapError(f"{shown}: {why}", remedies=(remedy, Remedy.DOWNLOAD), **facts) from None


def _request(url: str, shown: str) -> tuple[str, RequestHeaders]:
    """Move a URL's credentials to headers; return the URL and the headers."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError unless the port is a number
    except ValueError:
        raise ImportMapError(f"{shown}: the URL is invalid; correct it") from None
    credentials, _, netloc = parts.netloc.rpartition("@")
    path, query = quote(parts.path or "/", safe=_RESERVED), quote(parts.query, safe=_RESERVED)
    target = parts._replace(netloc=netloc, path=path, query=query, fragment="").geturl()
    if not credentials:
        return target, ()
    if parts.scheme != "https" and not is_local(target):
        raise ImportMapError(f"{shown}: http would send the password unencrypted; use https")
    return target, (("Authorization", Secret(b"Basic " + b64encode(unquote(credentials).encode()))),)


def _redirected(url: str, location: str, shown: str) -> str:
    try:
        target = urljoin(url, location)
    except ValueError:
        raise ImportMapError(f"{shown} redirects to an invalid URL; use the file's final URL") from None
    if not (url.casefold().startswith("https://") and target.casefold().startswith("https://")):
        raise ImportMapError(
            f"{shown} redirects to {shown_source(target)}, but only redirects from https to https are "
            "followed; use the file's final URL"
        )
    return target


def _copy_filesystem(url: str, shown: str, write: Callable[[bytes], None]) -> None:
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise missing_package("files", shown, "URLs other than http and https") from None
    try:
        opened = fsspec.open(url, "rb")  # keep a reference while the file is open
        file = opened.open()
    except ImportError as error:  # the message names the package that the protocol needs
        raise ImportMapError(f"{shown}: {error}") from None
    except Exception as error:  # as in _copy_file(), the message may contain credentials
        raise ImportMapError(
            f"{shown} cannot be opened ({type(error).__name__}); check the URL and your permissions, or "
            "download the file and import the copy"
        ) from None
    with contextlib.closing(file):
        _copy_file(file, shown, write)
