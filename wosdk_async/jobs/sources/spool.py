"""Input from stdin and URLs: copied into the folder of its job, because an import reads it several times."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from wosdk_async.errors import ConfigurationError
from wosdk_async.httpx_family import error_kinds, installed_library
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal.folder import replace_file
from wosdk_async.jobs.sources.formats import FORMATS, suffix_of
from wosdk_async.jobs.sources.source import optional_package
from wosdk_async.transport.http.certificates import system_context

__all__ = ["MAX_SPOOLED", "is_remote", "shown_source", "spool"]

MAX_SPOOLED = 4 << 30  # bytes
_CHUNK = 1 << 20
_REDIRECTS = 5
_TIMEOUTS = (15, 60, 60, 60)  # seconds to connect, read, write, and get a connection
_OK = 200


def is_remote(source: str) -> bool:
    """Return whether ``source`` is ``-`` for stdin or a URL, and not the path of a file."""
    scheme, mark, _ = source.partition("://")
    return source == "-" or (bool(mark) and scheme.replace("+", "").isalnum())


def shown_source(source: str) -> str:
    """Return what may be shown and stored of a source: of a URL no user, password, query or fragment."""
    if not is_remote(source):
        return source
    if source == "-":
        return "stdin"
    if "::" in source:  # URLs of fsspec in one another
        return f"{source.partition('://')[0]}://..."
    try:
        parts = urlsplit(source)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{source.partition('://')[0]}://..."
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def spool(source: str, folder: Path, limit: int = MAX_SPOOLED, *, format: str | None = None) -> Path:
    """Copy stdin or a URL into a folder and return the file, ``input`` with the suffix of its format.

    A kill leaves no file or a whole one.

    Args:
        source: ``-`` for stdin, or a URL: ``https://``, or a protocol of fsspec such as ``s3://``.
        folder: the folder of the job, which exists.
        limit: the largest size in bytes.
        format: the format, for stdin and URLs whose path has no known suffix; CSV by default.

    Raises:
        ImportMapError: the source cannot be read to its end, or is too large. The message has no
            credentials.
    """
    shown = shown_source(source)
    suffix = suffix_of(PurePosixPath(shown), format or None)
    path = folder / f"input{suffix if suffix in FORMATS else '.csv'}"
    try:
        with _opened(source, shown) as chunks, replace_file(path) as file:
            size = 0
            for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise ImportMapError(
                        f"{shown}: it is larger than {limit:,} bytes; save it as a file first"
                    )
                file.write(chunk)
            if not size:
                raise ImportMapError(f"{shown} is empty; nothing was read, so check what writes it")
    except OSError as error:
        raise ImportMapError(f"{path}: {error.strerror or error}") from None
    return path


def _opened(source: str, shown: str) -> contextlib.AbstractContextManager[Iterator[bytes]]:
    if source == "-":
        return _stdin()
    if source.casefold().startswith(("https://", "http://")):
        return _http(source, shown)
    return _filesystem(source, shown)


@contextlib.contextmanager
def _stdin() -> Iterator[Iterator[bytes]]:
    if sys.stdin is None or sys.stdin.isatty():
        raise ImportMapError(
            "stdin is a terminal; name a file, or pipe one in: wosdk import - < requests.csv"
        )
    yield _chunks(sys.stdin.buffer, "stdin")


def _chunks(file: IO[bytes], shown: str) -> Iterator[bytes]:
    while True:
        try:
            chunk = file.read(_CHUNK)
        except Exception as error:  # of a file system of another package: its text may hold credentials
            raise ImportMapError(f"{shown}: it cannot be read to its end ({type(error).__name__})") from None
        if not chunk:
            return
        yield chunk


# --- URLs -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _http(url: str, shown: str) -> Iterator[Iterator[bytes]]:
    """Yield the body of a response; redirects are followed from https to https only."""
    try:
        with _http_client(shown) as client:
            for _ in range(_REDIRECTS + 1):
                with client.stream("GET", url) as response:
                    if not response.has_redirect_location:
                        if response.status_code != _OK:
                            raise ImportMapError(
                                f"{shown}: the response has status {response.status_code}; check address and "
                                "access, or download the file and name it"
                            )
                        yield response.iter_bytes(_CHUNK)
                        return
                    url = _redirected(url, response.headers["location"], shown)
            raise ImportMapError(f"{shown}: more than {_REDIRECTS} redirects; name the address of the file")
    except Exception as error:
        if error_kinds(error).isdisjoint({"HTTPError", "InvalidURL"}):
            raise
        raise ImportMapError(
            f"{shown}: it cannot be read ({type(error).__name__}); try again, or download the file first"
        ) from None


def _http_client(shown: str) -> Any:
    """Return a client of httpx or httpx2. Raises ImportMapError if neither is installed."""
    try:
        library = installed_library()
        return library.Client(timeout=_TIMEOUTS, verify=system_context(("http/1.1",)))
    except ConfigurationError as error:
        raise ImportMapError(f"{shown}: {error}") from None


def _redirected(url: str, location: str, shown: str) -> str:
    target = urljoin(url, location)
    if not (url.casefold().startswith("https://") and target.casefold().startswith("https://")):
        raise ImportMapError(
            f"{shown}: it redirects to {shown_source(target)}, and only redirects from https to https are "
            "followed; name the address of the file"
        )
    return target


@contextlib.contextmanager
def _filesystem(url: str, shown: str) -> Iterator[Iterator[bytes]]:
    """Yield the content of a file of a file system that fsspec knows."""
    fsspec = optional_package("fsspec", "files", shown, "URLs other than https")
    try:
        opened = fsspec.open(url, "rb")
        file = opened.open()
    except ImportError as error:  # the package of this protocol; its message names it
        raise ImportMapError(f"{shown}: {error}") from None
    except Exception as error:  # see _chunks
        raise ImportMapError(
            f"{shown}: it cannot be opened ({type(error).__name__}); check protocol, address and access, or "
            "download the file and name it"
        ) from None
    with contextlib.closing(file):
        yield _chunks(file, shown)
