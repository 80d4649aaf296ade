"""Placeholders of a recording, for what differs from run to run.

They are ``{host}``, ``{company 3f9a01bc}`` and ``{request id}``. When a recording is played, they become the
names of the program that plays it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import attrs

from wosdk_async import catalogue, codec
from wosdk_async.testing.recording_engines import RawExchange

__all__ = ["Names"]

# A placeholder; one that a text of the service holds by chance gets one more brace.
_LITERAL = re.compile(r"(\{*)\{(?:host|company [0-9a-f]{8}|request id)\}")
_DISTINCT = 8  # characters of a name that texts do not hold by chance


@attrs.define
class Names:
    """Names of one program, and the placeholders that stand for them in a recording."""

    keep_companies: bool = False
    _companies: dict[str, str] = attrs.field(factory=dict)
    """Name of a Company by its placeholder."""
    _hosts: dict[str, str] = attrs.field(factory=dict)
    """Placeholder by origin or host."""
    _played_host: str = ""
    defaults: dict[str, str] = attrs.field(factory=dict)
    """Placeholders of the Companies that a replay has by default, by their names in the replay."""

    def play_host(self, host: str) -> None:
        """Put ``host`` where ``{host}`` stands."""
        self._played_host = host
        self._add_origin(f"https://{host}")

    def add_origins_of(self, raw: RawExchange) -> None:
        """Let ``{host}`` stand for the host of a request, and for the one that a locator's response names."""
        self._add_origin(raw.url)
        if raw.response is not None and b'"Url"' in raw.response.body:
            try:
                self._add_origin(codec.loads(raw.response.body)["CommandResult"]["Url"])
            except (KeyError, TypeError, ValueError):
                return

    def add_company_of(self, raw: RawExchange) -> None:
        """Let a placeholder stand for the Company of a request."""
        self.company(raw.header("CompanyName"))

    def _add_origin(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.netloc:
            self._hosts[f"{parts.scheme}://{parts.netloc}"] = "https://{host}"
            self._hosts[parts.netloc] = "{host}"

    def company(self, name: str) -> str:
        """Return the placeholder of a Company: the same in each run, whichever Company comes first."""
        if not name:
            return name
        own = name if self.keep_companies else _placeholder_of(name)
        placeholder = self.defaults.get(name, own)
        self._companies[placeholder] = name
        return placeholder

    def hidden(self, text: str, request_id: str | None = None, *, companies: bool = True) -> str:
        """Return ``text`` with placeholders.

        The name of a Company is replaced if it is the whole text or a whole word of it. If it is ordinary,
        such as "Task", it stays: there it means something else.
        """
        pairs = dict(self._hosts)
        if companies:
            pairs |= {name: mark for mark, name in self._companies.items() if _is_distinct(name)}
        if request_id:
            pairs[request_id] = "{request id}"
        marks = {value.casefold(): mark for value, mark in pairs.items()}
        values = (rf"(?<!\w){re.escape(value)}(?!\w)" for value in sorted(pairs, key=len, reverse=True))
        searched = "|".join((*values, _LITERAL.pattern))
        return re.sub(
            searched, lambda found: marks.get(found[0].casefold(), f"{{{found[0]}"), text, flags=re.IGNORECASE
        )

    def hidden_members(self, value: Any) -> Any:
        """Return JSON values with a placeholder for the value of each ``CompanyName``."""
        if isinstance(value, list):
            return [self.hidden_members(item) for item in value]
        if not isinstance(value, dict):
            return value
        known = {name.casefold(): mark for mark, name in self._companies.items()}
        return {
            name: known.get(item.casefold(), item)
            if name == "CompanyName" and isinstance(item, str)
            else self.hidden_members(item)
            for name, item in value.items()
        }

    def restored(self, text: str, request_id: str | None = None) -> str:
        """Return ``text`` with the names of this program in place of the placeholders."""
        values = {**self._companies, "{host}": self._played_host, "{request id}": request_id or ""}
        return _LITERAL.sub(lambda found: found[0][1:] if found[1] else values.get(found[0], found[0]), text)


def _placeholder_of(company: str) -> str:
    """Return what stands for the name of a Company; letter cases do not count."""
    digest = hashlib.sha256(company.casefold().encode("utf-8", "replace")).hexdigest()
    return f"{{company {digest[:8]}}}"


def _is_distinct(name: str) -> bool:
    """Return whether a text does not hold this name by chance: it is long, and not a word of the service."""
    return len(name) >= _DISTINCT and name.casefold() not in _words_of_the_service()


@cache
def _words_of_the_service() -> frozenset[str]:
    found = catalogue.load()
    values = {value.name for enum in found.enums.values() for value in enum.values}
    return frozenset(each.casefold() for each in {*found.entities, *found.commands, *found.enums, *values})
