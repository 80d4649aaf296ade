"""A logged request as a command line for curl: secrets are left out, and nothing in it can act by itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from wosdk_async.sandbox.console.masking import sent_body, shown_headers, shown_path

__all__ = ["curl"]

# curl and the connection write these themselves
_OWN = frozenset(
    {"host", "content-length", "connection", "transfer-encoding", "accept-encoding", "expect", "keep-alive"}
)
_BEARER = '"Authorization: Bearer $WOSDK_TOKEN"'
_CREDENTIALS = '--user "$WOSDK_CLIENT_ID:$WOSDK_CLIENT_SECRET"'


def curl(method: str, scheme: str, path: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> str:
    """Return a command line that sends a request again.

    The shell fills in ``$WOSDK_TOKEN``, or client id and secret where the request had HTTP Basic. Other
    secrets are masked, as in the log.

    Args:
        method: of the request.
        scheme: ``http`` or ``https``.
        path: with its query.
        headers: as they came.
        body: as it came.
    """
    shown = shown_headers(headers)
    host = next((value for name, value in shown if name.lower() == "host"), "localhost")
    parts = ["curl --globoff --path-as-is", f"--request {_quoted(method)}"]
    parts.append(_quoted(f"{scheme}://{host}{shown_path(path)}"))
    parts += _header_options(shown)
    if body:
        parts.append(f"--data-raw {_quoted(sent_body(body))}")
    return " \\\n  ".join(parts)


def _header_options(shown: list[list[str]]) -> Iterator[str]:
    for name, value in shown:
        known = name.lower()
        if known in _OWN:
            continue
        if known == "authorization" and value.lower().startswith("bearer "):
            yield f"--header {_BEARER}"
        elif known == "authorization" and value.lower().startswith("basic "):
            yield _CREDENTIALS
        else:
            # curl drops a header that ends with its colon, and sends an empty one for a semicolon
            yield f"--header {_quoted(f'{name}: {value}' if value else f'{name};')}"


def _quoted(text: str) -> str:
    """Return a text as one word for a shell.

    A terminal acts on control characters of what is pasted into it, so that they are written as escapes.
    """
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass"))
