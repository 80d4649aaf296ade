"""Rows of a query, a few at a time, and the cursor that leads to the next ones.

A cursor is not secret and holds no text: the last id or a number of rows, and a digest of the query. With
another query it is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.mcp.results import RowsResult
from wosdk_async.mcp.untrusted import fitted
from wosdk_async.model import Record
from wosdk_async.protocol.arguments import entity_name
from wosdk_async.query.builder import Query
from wosdk_async.query.conditions import Condition
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import property_of
from wosdk_async.query.plan import KEYS

__all__ = ["MOST_ROWS", "RowsQuery"]

MOST_ROWS = 100
"""Rows of one result."""

_VERSION = 1
_MOST_BITS = 63


@attrs.frozen(kw_only=True)
class RowsQuery:
    """A query, and where in it to go on."""

    entity: type[Record]
    conditions: Sequence[Condition] = ()
    properties: Sequence[str] = ()
    order_by: Sequence[str] = ()
    """As of ``Query.order_by``: a path, with ``-`` before it from high to low."""
    limit: int = 20

    async def page(self, company: Company, cursor: str = "") -> RowsResult:
        """Read the rows behind ``cursor``, or the first ones.

        Raises:
            InvalidCallError: the cursor belongs to another query, or a name or value is wrong.
        """
        name, limit = entity_name(self.entity), max(1, min(self.limit, MOST_ROWS))
        query = self._query(company)
        start = self._start(cursor, query)
        by_id = self._by_id
        if by_id and start:
            key = fields(self.entity)["Id"]
            query = query.where(key < start if by_id < 0 else key > start)
        expression = query.expression | {"Count": limit + 1}
        if start and not by_id:
            expression["FirstResultIndex"] = start
        rows = await company.query(name, expression, check=False)
        shown, cut = fitted(rows[:limit], secrets_of(company))
        more = ""
        if len(rows) > len(shown) and shown:
            last = property_of(rows[len(shown) - 1], "Id") if by_id else start + len(shown)
            if type(last) is not int or last.bit_length() > _MOST_BITS:  # a cursor holds no text of others
                raise InvalidCallError(f"the ids of {name} cannot be paged by; order by another property")
            more = self._cursor(last, query=self._query(company))
        return RowsResult(entity=name, returned=len(shown), untrusted_records=shown, cut=cut, more=more)

    def _query(self, company: Company) -> Query[Any]:
        query: Query[Any] = company.query(self.entity)
        return query.where(*self.conditions).select(*self.properties).order_by(*self.order_by)

    @property
    def _by_id(self) -> int:
        """1 or -1 where the rows come by a unique Id, ascending or descending; 0 otherwise."""
        if entity_name(self.entity) in KEYS:
            return 0
        return {(): 1, ("Id",): 1, ("-Id",): -1}.get(tuple(self.order_by), 0)

    def _cursor(self, at: Any, query: Query[Any]) -> str:
        content = json.dumps([_VERSION, _digest(query), at], separators=(",", ":"))
        return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")

    def _start(self, cursor: str, query: Query[Any]) -> int:
        if not cursor:
            return 0
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            version, digest, at = json.loads(base64.urlsafe_b64decode(padded.encode()))
        except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError):
            raise InvalidCallError("the cursor cannot be read; leave it out to begin anew") from None
        if version != _VERSION or digest != _digest(query) or type(at) is not int or at < 1:
            raise InvalidCallError(
                "the cursor belongs to another query; pass the same arguments as before, or leave it out"
            )
        return at


def _digest(query: Query[Any]) -> str:
    text = json.dumps([repr(query)], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
