"""The exchanges of a recording, and the file that holds them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from wosdk_async import codec
from wosdk_async.errors import ConfigurationError
from wosdk_async.safe_text import Secrets

__all__ = ["MAX_EXCHANGES", "TOKEN_PATH", "RecordedExchange", "load_exchanges", "mapped", "write_exchanges"]

_MAX_BYTES = 64 * 1024 * 1024  # of all bodies, and of a file
MAX_EXCHANGES = 10_000
TOKEN_PATH = "/token"  # noqa: S105 - each region has another path
_LOCATOR_PATH = "/api/v1/cmd/GetCompanyWsdkUrlCommand"
_FORMAT = "wosdk recording 1"
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


@attrs.define(eq=False, kw_only=True)
class RecordedExchange:
    """One exchange of a recording: the request, and its response or how it ended without one.

    Attributes:
        method: such as ``POST``.
        path: with the query, without the host.
        company: the placeholder of its Company.
        body: what was sent.
        status: 0 without a response.
        headers: those of the response that the client reads.
        response: the body of the response.
        failure: "not sent", "broken" or "no response"; empty with a response.
    """

    method: str
    path: str
    company: str = ""
    body: dict[str, Any] | None = attrs.field(default=None, repr=False)
    status: int = 0
    headers: dict[str, str] = attrs.field(factory=dict, repr=False)
    response: dict[str, Any] | None = attrs.field(default=None, repr=False)
    failure: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What a request must have to get this response: times and the order of members do not count."""
        timeless = mapped(self.body, lambda text: "{time}" if _TIME.fullmatch(text) else text)
        body = json.dumps(timeless, sort_keys=True, default=str, indent=1, ensure_ascii=False)
        return self.method, self.path, self.company, body

    @property
    def is_login(self) -> bool:
        """Whether it belongs to a log-in: a replay may need more or fewer of these."""
        return self.path in (TOKEN_PATH, _LOCATOR_PATH)


def mapped(value: Any, change: Callable[[str], str], rename: Callable[[str], str] = str) -> Any:
    """Return JSON values with ``change`` applied to all texts, and ``rename`` to the names of members."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {rename(name): mapped(item, change, rename) for name, item in value.items()}
    if isinstance(value, list):
        return [mapped(item, change, rename) for item in value]
    return value


def write_exchanges(path: Path, exchanges: Sequence[RecordedExchange], secrets: Secrets) -> None:
    """Write the file of a recording; it is replaced whole or not at all.

    Raises:
        ConfigurationError: it is too large, or one of ``secrets`` is still in it. Nothing was written.
    """
    rows = [attrs.asdict(each, filter=lambda _, value: bool(value)) for each in exchanges]
    text = msgspec.json.format(codec.dumps({"format": _FORMAT, "exchanges": rows}), indent=1) + b"\n"
    if len(rows) > MAX_EXCHANGES or len(text) > _MAX_BYTES:
        raise ConfigurationError(
            f"{len(rows)} exchanges of {len(text)} bytes are too many for a recording, which holds"
            f" {MAX_EXCHANGES} and {_MAX_BYTES} bytes; record a shorter part of the program"
        )
    shown = text.decode()
    if secrets.hide(shown, len(shown)) != shown:
        raise ConfigurationError(
            f"a token or a secret would still be in {path}, so it was not written; remove it by scrub="
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(text)
    os.replace(part, path)


def load_exchanges(path: Path) -> tuple[RecordedExchange, ...]:
    """Read the file of a recording. Raises ConfigurationError if it cannot be played."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"the recording {path} cannot be read ({error.strerror}); record it first, with record=True"
            " or pytest --wosdk-record"
        ) from None
    if len(text) > _MAX_BYTES:
        raise ConfigurationError(f"{path} has more than {_MAX_BYTES} bytes; this is not a recording")
    try:
        found = codec.loads(text)
        if not isinstance(found, Mapping) or found.get("format") != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT!r}")
        exchanges = msgspec.convert(found.get("exchanges"), tuple[RecordedExchange, ...])
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not a recording that can be played: {error}") from None
    return exchanges
