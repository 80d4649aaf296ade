"""Exchanges of a recording, and their file format."""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from wosdk_async import codec
from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import replace_file
from wosdk_async.text.safe_text import Secrets

_MAX_BYTES = 64 * 1024 * 1024  # maximum size of a file
MAX_EXCHANGES = 10_000
TOKEN_PATH = "/token"  # noqa: S105 - recorded instead of the path, which differs by region
_LOCATOR_PATH = "/api/v1/cmd/GetCompanyWsdkUrlCommand"
_MAX_DEPTH = 100  # nesting of lists and objects in a body
_FAILURES = ("", "not sent", "broken", "no response")
_FORMAT = "wosdk recording 1"
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


@attrs.define(eq=False, kw_only=True)
class RecordedExchange:
    """Recorded exchange: a request, and its response or failure.

    ``path`` includes the query, ``company`` is a placeholder, and ``headers`` are the response headers that
    the client reads. Without a response, ``status`` is 0 and ``failure`` is one of ``_FAILURES``.
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
        """The parts of a request that must match; member order is ignored."""
        body = json.dumps(self.body, sort_keys=True, default=str, indent=1, ensure_ascii=False)
        return self.method, self.path, self.company, body

    @property
    def timeless_key(self) -> tuple[str, ...]:
        """The key without times, which may differ between runs."""
        body = mapped(self.body, lambda text: "{time}" if _TIME.fullmatch(text) else text)
        return attrs.evolve(self, body=body).key

    @property
    def outcome(self) -> tuple[object, ...]:
        """The response or failure."""
        return self.status, self.headers, self.response, self.failure

    @property
    def is_login(self) -> bool:
        """Whether this is part of a log-in; a replay may need more or fewer log-ins."""
        return self.path in (TOKEN_PATH, _LOCATOR_PATH)


class RemainingExchanges:
    """Recorded exchanges that no replayed request has used yet."""

    def __init__(self, exchanges: Sequence[RecordedExchange]) -> None:
        self._exact: dict[tuple[str, ...], deque[RecordedExchange]] = {}
        self._timeless: dict[tuple[str, ...], list[deque[RecordedExchange]]] = {}
        for each in exchanges:
            if each.key not in self._exact:
                self._exact[each.key] = deque()
                self._timeless.setdefault(each.timeless_key, []).append(self._exact[each.key])
            self._exact[each.key].append(each)

    def take(self, request: RecordedExchange) -> RecordedExchange | str:
        """Return the exchange for a request; a string if there is none.

        The string is empty, or an error message if recorded requests match but have different responses.
        """
        exact = self._exact.get(request.key)
        if exact and request.is_login and len(exact) == 1:
            return exact[0]
        if exact is not None:
            return exact.popleft() if exact else ""
        waiting = [each for each in self._timeless.get(request.timeless_key, ()) if each]
        if len({repr(each.outcome) for queue in waiting for each in queue}) > 1 < len(waiting):
            return (
                f"{len(waiting)} recorded requests differ from {request.method} {request.path} only in times,"
                " but have different responses; set fixed times in the test, so that runs are identical"
            )
        return waiting[0].popleft() if waiting else ""

    def required(self) -> Iterator[RecordedExchange]:
        """Yield the exchanges that a complete replay must still use."""
        return (each for queue in self._exact.values() for each in queue if not each.is_login)


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return JSON values with ``change`` applied to all strings."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: mapped(item, change) for name, item in value.items()}
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    return value


def write_exchanges(
    path: Path, exchanges: Sequence[RecordedExchange], companies: Sequence[str], secrets: Secrets
) -> None:
    """Write a recording file atomically.

    ``companies`` are the placeholders of the clients' default Companies. If the file would be too large or
    contain one of ``secrets``, raise ConfigurationError and write nothing.
    """
    rows = [attrs.asdict(each, filter=lambda _, value: bool(value)) for each in exchanges]
    text = (
        msgspec.json.format(
            codec.dumps({"format": _FORMAT, "companies": companies, "exchanges": rows}), indent=1
        )
        + b"\n"
    )
    if len(rows) > MAX_EXCHANGES or len(text) > _MAX_BYTES:
        raise ConfigurationError(
            f"the recording would have {len(rows)} exchanges and {len(text)} bytes; the limits are"
            f" {MAX_EXCHANGES} exchanges and {_MAX_BYTES} bytes: record a shorter part of the program"
        )
    shown = text.decode()
    if secrets.hide(shown, len(shown)) != shown:
        raise ConfigurationError(
            f"{path} was not written, because it would still contain a token or secret; hide it with scrub="
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path, named_by_user=True) as file:
        file.write(text)


def load_exchanges(path: Path) -> tuple[tuple[RecordedExchange, ...], tuple[str, ...]]:
    """Read exchanges, and placeholders of the clients' default Companies. Raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"the recording {path} cannot be read ({error.strerror}); record it first, with record=True"
            " or pytest --wosdk-record"
        ) from None
    if len(text) > _MAX_BYTES:
        raise ConfigurationError(f"{path} is larger than {_MAX_BYTES} bytes and cannot be a recording")
    try:
        found: Any = codec.loads(text)
        if not isinstance(found, Mapping) or found.get("format") != _FORMAT:
            raise ValueError(f"the format is not {_FORMAT!r}")
        rows = found.get("exchanges")
        if isinstance(rows, list) and len(rows) > MAX_EXCHANGES:
            raise ValueError(f"it has {len(rows)} exchanges; the maximum is {MAX_EXCHANGES}")
        exchanges = msgspec.convert(rows, tuple[RecordedExchange, ...])
        for number, each in enumerate(exchanges, 1):
            if reason := _unplayable(each):
                raise ValueError(f"exchange {number}: {reason}")
        return exchanges, msgspec.convert(found.get("companies", ()), tuple[str, ...])
    # The oldest supported msgspec raises errors that are not ValueErrors.
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not a valid recording: {error}") from None


def _unplayable(exchange: RecordedExchange) -> str:
    """Return why an exchange cannot be replayed; empty if it can."""
    has_response = 100 <= exchange.status <= 599
    if exchange.failure not in _FAILURES or has_response is bool(exchange.failure):
        return f"status {exchange.status} with failure {exchange.failure!r}"
    for body in (exchange.body, exchange.response):
        if body is not None and (len(body) != 1 or body.keys() - {"json", "text", "base64"}):
            return f"a body must be json, text or base64, not {sorted(body)}"
        if body is not None and _depth_exceeds(body, _MAX_DEPTH):
            return f"a body is nested deeper than {_MAX_DEPTH} levels"
        if body is not None and "base64" in body:
            base64.b64decode(str(body["base64"]), validate=True)  # raises ValueError
    return ""


def _depth_exceeds(value: Any, limit: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return limit == 0 or any(_depth_exceeds(item, limit - 1) for item in items)
