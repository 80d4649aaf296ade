"""Recorded form of requests and responses: without secrets, with placeholders for names.

Placeholders replace values that differ between runs: ``{host}``, ``{company 3f9a01bc}`` and ``{request id}``.
In a replay, the names of the replaying program replace the placeholders. Bodies are stored as
``{"json": value}``, ``{"text": ...}`` or ``{"base64": ...}``.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

import attrs

from wosdk_async import catalogue, codec
from wosdk_async.codec.masking import mask_fields
from wosdk_async.protocol.matching import members
from wosdk_async.testing.engines import RawExchange
from wosdk_async.testing.recorded_exchanges import TOKEN_PATH, RecordedExchange, mapped
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.session.login import asks_for_token, granted_token

# Text of the service that looks like a placeholder is recorded with an extra brace.
_PLACEHOLDER = re.compile(r"(\{*)\{(?:host|company [0-9a-f]{8}|request id)\}")
PLAYED_HOST = "recorded.corrigo.com"  # the Company's host name in a replay; nothing is sent there
_MIN_LENGTH = 8  # characters of a name to replace; shorter names may occur in a text by chance


@attrs.define
class Names:
    """Names used by one program, and their placeholders in a recording."""

    keep_companies: bool = False
    _companies: dict[str, str] = attrs.field(factory=dict)
    """Company names, keyed by placeholder."""
    _hosts: dict[str, str] = attrs.field(
        factory=lambda: {f"https://{PLAYED_HOST}": "https://{host}", PLAYED_HOST: "{host}"}
    )
    """Placeholders, keyed by origin or host."""
    defaults: dict[str, str] = attrs.field(factory=dict)
    """Recorded placeholder of each default Company, by Company name; only used in a replay."""

    def add_origins_of(self, raw: RawExchange) -> None:
        """Register a request's host, and the host in a locator response, as ``{host}``."""
        self._add_origin(raw.url)
        if raw.response is not None and b'"Url"' in raw.response.body:
            with suppress(KeyError, TypeError, ValueError):
                self._add_origin(codec.loads(raw.response.body)["CommandResult"]["Url"])

    def _add_origin(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.netloc:
            self._hosts[f"{parts.scheme}://{parts.netloc}"] = "https://{host}"
            self._hosts[parts.netloc] = "{host}"

    def company(self, name: str) -> str:
        """Return a Company's placeholder, the same in each run regardless of order and letter case."""
        if not name:
            return name
        own = name
        if not self.keep_companies:
            digest = hashlib.sha256(name.casefold().encode("utf-8", "replace")).hexdigest()
            own = f"{{company {digest[:8]}}}"
        placeholder = self.defaults.get(name, own)
        self._companies[placeholder] = name
        return placeholder

    def hidden(self, text: str, request_id: str | None = None, *, companies: bool = True) -> str:
        """Return ``text`` with placeholders instead of names.

        A Company name is replaced wherever it is a whole word. Short names and service terms, such as "Task",
        are kept, because they may mean something else.
        """
        pairs = dict(self._hosts)
        if companies:
            ordinary = _service_terms()
            pairs |= {
                name: mark
                for mark, name in self._companies.items()
                if len(name) >= _MIN_LENGTH and name.casefold() not in ordinary
            }
        if request_id:
            pairs[request_id] = "{request id}"
        marks = {value.casefold(): mark for value, mark in pairs.items()}
        values = (rf"(?<!\w){re.escape(value)}(?!\w)" for value in sorted(pairs, key=len, reverse=True))
        searched = "|".join((*values, _PLACEHOLDER.pattern))
        return re.sub(
            searched, lambda found: marks.get(found[0].casefold(), f"{{{found[0]}"), text, flags=re.IGNORECASE
        )

    def hidden_members(self, value: Any) -> Any:
        """Replace the value of each ``CompanyName`` in JSON values with a placeholder."""
        known = {name.casefold(): mark for mark, name in self._companies.items()}

        def hide(members: dict[str, Any]) -> dict[str, Any]:
            name = members.get("CompanyName")
            mark = known.get(name.casefold(), name) if isinstance(name, str) else name
            return members | {"CompanyName": mark} if "CompanyName" in members else members

        return _with_objects(value, hide)

    def restored(self, text: str, request_id: str | None = None) -> str:
        """Return ``text`` with placeholders replaced by this program's names."""
        values = {**self._companies, "{host}": PLAYED_HOST, "{request id}": request_id or ""}
        return _PLACEHOLDER.sub(
            lambda found: found[0][1:] if found[1] else values.get(found[0], found[0]), text
        )


@cache
def _service_terms() -> frozenset[str]:
    found = catalogue.load()
    values = {value.name for enum in found.enums.values() for value in enum.values}
    return frozenset(each.casefold() for each in {*found.entities, *found.commands, *found.enums, *values})


_FILE = re.compile(r"/file-[0-9a-f]{8}")


def _file_address(address: str) -> str:
    """Return a file's address with a hash instead of path and query, which grant access to the file."""
    # facts 3.10
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    key = unquote(f"{parts.path}?{parts.query}").removesuffix("?")
    if not key.strip("/") or _FILE.fullmatch(key):  # a replay compares requests to addresses that have a hash
        return address
    digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
    return parts._replace(path=f"/file-{digest[:8]}", query="", fragment="").geturl()


def _without_file_key(members: dict[str, Any]) -> dict[str, Any]:
    names = ("DocUrl", "Url") if "DocumentId" in members else ("DocUrl",)
    addresses = {name: members[name] for name in names if isinstance(members.get(name), str)}
    return members | {name: _file_address(address) for name, address in addresses.items()}


def _with_objects(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if isinstance(value, list):
        return [_with_objects(item, change) for item in value]
    if isinstance(value, dict):
        return change({name: _with_objects(item, change) for name, item in value.items()})
    return value


Scrub = Callable[[Any], Any]
"""Function that maps a body's decoded JSON (or text, if not JSON) to the value to record."""

_HEADERS = ("content-type", "date", "location", "retry-after")  # headers that the client reads
_NO_SECRETS = Secrets()
# Recorded instead of each token response.
_GRANTED = {"json": {"access_token": "wosdk-replay-token", "expires_in": 1199}}


@attrs.frozen
class Cleaner:
    """Converter of exchanges to their recorded form."""

    names: Names
    scrub: Scrub

    def request(self, raw: RawExchange, secrets: Secrets = _NO_SECRETS) -> RecordedExchange:
        """Return the recorded form of a request: for a token request, only method, path and Company."""
        parts = urlsplit(_file_address(raw.url) if _is_download(raw) else raw.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        company = self.names.company(raw.header("CompanyName"))
        if asks_for_token(raw.body):
            return RecordedExchange(method=raw.method, path=TOKEN_PATH, company=company)
        return RecordedExchange(
            method=raw.method,
            path=self._clean(path, raw, secrets, companies=False),
            company=company,
            body=self._body(raw.shown_body, raw, secrets),
        )

    def exchange(self, raw: RawExchange, secrets: Secrets) -> RecordedExchange:
        """Return the recorded form of an exchange."""
        kept = self.request(raw, secrets)
        kept.failure = raw.failure
        if raw.response is not None:
            headers = {name: raw.response.headers[name] for name in _HEADERS if name in raw.response.headers}
            granted = asks_for_token(raw.body) and raw.response.status == 200
            if _is_download(raw) and "location" in headers:
                headers["location"] = _file_address(urljoin(raw.url, headers["location"]))
            kept.status, kept.headers = raw.response.status, self._clean(headers, raw, secrets)
            kept.response = _GRANTED if granted else self._body(raw.response.body, raw, secrets)
        return kept

    def _clean(self, value: Any, raw: RawExchange, secrets: Secrets, *, companies: bool = True) -> Any:
        """Return JSON values without secrets and with placeholders."""
        clean = partial(self.names.hidden, request_id=request_id_of(raw.shown_body), companies=companies)
        return self.names.hidden_members(mapped(mask_fields(value, secrets), clean))

    def _body(self, body: bytes | None, raw: RawExchange, secrets: Secrets) -> dict[str, Any] | None:
        if not body:
            return None

        def cleaned(value: Any) -> Any:
            return self._clean(_with_objects(self.scrub(value), _without_file_key), raw, secrets)

        try:
            value = cleaned(codec.loads(body))
            codec.dumps(value)  # raises for numbers that can be decoded but not encoded
        except (ValueError, RecursionError):
            pass
        else:
            return {"json": value}
        try:
            return {"text": str(cleaned(body.decode()))}
        except UnicodeDecodeError:
            changed = str(cleaned(body.decode("latin-1")))
            return {"base64": base64.b64encode(changed.encode("latin-1", "replace")).decode()}


def _is_download(raw: RawExchange) -> bool:
    """Return whether a request downloads a file: all other requests contain a token or credentials."""
    return not raw.header("Authorization") and not asks_for_token(raw.body)


def secrets_of(exchanges: Iterable[RawExchange]) -> Secrets:
    """Return the tokens and credentials in exchanges."""
    found: set[str] = set()
    for raw in exchanges:
        found.add(raw.header("Authorization").removeprefix("Bearer "))
        if asks_for_token(raw.body):
            form = dict(parse_qsl(raw.body.reveal()))
            found.update(form.get(name, "") for name in ("client_id", "client_secret"))
            found.add(granted_token(raw.response.body) if raw.response else "")
    return Secrets(*sorted(found))


def body_bytes(kept: Mapping[str, Any] | None, change: Callable[[str], str]) -> bytes:
    """Return the bytes of a recorded body, with ``change`` applied to its strings unless it is base64."""
    if kept is None:
        return b""
    if "json" in kept:
        return codec.dumps(mapped(kept["json"], change))
    if "text" in kept:
        return change(str(kept["text"])).encode()
    return base64.b64decode(str(kept.get("base64", "")))


def request_id_of(body: bytes | None) -> str | None:
    """Return a request's RequestId, or None if it has none."""
    if not body or b'"RequestId"' not in body:
        return None
    sent = members(body).get("RequestId")
    return sent if isinstance(sent, str) and sent else None
