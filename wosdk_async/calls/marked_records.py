"""Look-up of records by marker keys, many keys per query."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from wosdk_async.calls.markers import MAX_ROWS, Key, MarkedField, Marker, checked_keys, require_asked
from wosdk_async.calls.outcome import Done, Failed
from wosdk_async.calls.run_many import Run
from wosdk_async.errors import DeadlineError, NoAnswerError, NotUniqueError, RefusedError, WosdkError
from wosdk_async.protocol import calls
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.query.builder import Send
from wosdk_async.shared_tasks import SharedTask, SingleFlight
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.telemetry.statistics import Trace

_KEYS_IN_QUERY = 200
"""Maximum keys per query."""

_GATHERING = 0.25
"""Seconds after which waiting keys are looked up even if the previous query is still running."""

_AT_ONCE = 4  # maximum concurrent queries of one ``find_marked``
_MAX_PATIENCE = 30.0  # maximum seconds before a query without a response is repeated

Found = Mapping[str, list[Any] | WosdkError]
"""Records by key text, or the error that prevented reading them."""


# --- one query ------------------------------------------------------------------------------


@attrs.frozen
class _Search:
    field: MarkedField
    send: Send
    properties: Sequence[str] = ("*",)

    async def read(self, keys: Mapping[str, Key]) -> Found:
        """Return the records for each key; an error caused by a single key affects only that key."""
        found = await self._ask(keys)
        return await self._isolate(keys, found) if isinstance(found, WosdkError) else found

    async def _ask(self, keys: Mapping[str, Key]) -> Found | WosdkError:
        """Return each key's records, or an error that one of the keys may have caused. Raise other errors."""
        field = self.field
        expression = field.expression(list(keys.values()), self.properties)
        try:
            # With a RequestId (``numbered``), another call's response cannot be taken for this query's.
            rows = await self.send(calls.query(field.entity, expression, numbered=True))
        except RefusedError as error:
            if ending_of(error).passes:
                raise
            return error
        found: dict[str, list[Any]] = {text: [] for text in keys}
        others: list[str] = []
        for row in rows:  # facts 3.4: queries also return removed records
            try:
                text = field.text_in(row)
            except NoAnswerError as error:
                return error
            if text in found:
                found[text].append(row)
            else:
                others.append(text)
        if len(rows) >= MAX_ROWS:
            first, records = next(iter(found.items()))
            name, which = field.entity.wire_name, f"the key {first!r}"
            count = min(len(records), MAX_ROWS)
            if len(keys) > 1:
                count, which = MAX_ROWS, f"one of {len(keys)} keys"
            elif count < 2:
                return NoAnswerError(
                    f"the look-up of {which} in {field.path} returned {len(rows)} {name} records, {count} of"
                    f" them with this key; the response reached the limit of rows, so more may exist"
                )
            return NotUniqueError(
                f"{count} or more {name} records have {which} in {field.path}; a marker needs a unique key in"
                f" each record"
            )
        if others and not all(found.values()):
            try:
                require_asked(field.path, others, keys)
            except NoAnswerError as error:
                return error
        return found

    async def _isolate(self, keys: Mapping[str, Key], error: WosdkError) -> Found:
        """Find the keys that caused ``error``: query both halves of ``keys``, and split a failed half again.

        If both halves fail without a NotUniqueError, the cause is not a single key: raise the first error.
        """
        if len(keys) == 1:
            return dict.fromkeys(keys, error)
        items = list(keys.items())
        halves = dict(items[: len(items) // 2]), dict(items[len(items) // 2 :])
        parts = [(half, await self._ask(half)) for half in halves]
        failed = [part for _, part in parts if isinstance(part, WosdkError)]
        if len(failed) == len(parts) and not any(isinstance(part, NotUniqueError) for part in failed):
            raise failed[0]
        found: dict[str, list[Any] | WosdkError] = {}
        for half, part in parts:
            found |= await self._isolate(half, part) if isinstance(part, WosdkError) else part
        return found


# --- many keys of one caller ----------------------------------------------------------------


async def find_marked(
    field: MarkedField, keys: Iterable[Key], send: Send, properties: Sequence[str]
) -> dict[Any, list[Any]]:
    """Return the list of records for each key, empty if there are none.

    Raises:
        InvalidCallError: a value cannot be a key.
        NotUniqueError: one key has more records than fit in a response.
        WosdkError: a key could not be looked up.
    """
    found: dict[Any, list[Any]] = {}
    for key, records in (await find_each(field, keys, send, properties)).items():
        if isinstance(records, NotUniqueError):
            raise records
        found[key] = records
    return found


async def find_each(
    field: MarkedField, keys: Iterable[Key], send: Send, properties: Sequence[str]
) -> dict[Any, list[Any] | NotUniqueError]:
    """Return the records for each key, or an error for a key with too many records.

    Raises:
        InvalidCallError: a value cannot be a key.
        WosdkError: a key could not be looked up.
    """
    wanted = checked_keys(field, keys)
    texts = {str(key): key for key in wanted}
    found: dict[str, list[Any] | NotUniqueError] = {}

    search = _Search(field, send, properties or ("*",))

    async def read(batch: Mapping[str, Key], _: Trace) -> Found:
        return await search.read(batch)

    async with Run(_batches(texts), read, limit=_AT_ONCE, grace=0.0) as run:
        async for outcome in run:
            if isinstance(outcome, Failed):
                raise outcome.error
            if isinstance(outcome, Done):
                for text, records in outcome.result.items():
                    if isinstance(records, WosdkError) and not isinstance(records, NotUniqueError):
                        raise records
                    found[text] = records
    return {key: found[str(key)] for key in wanted}


def _batches(keys: Mapping[str, Key]) -> Iterator[dict[str, Key]]:
    rest = iter(keys.items())
    while batch := dict(islice(rest, _KEYS_IN_QUERY)):
        yield batch


# --- one key per caller, many callers -------------------------------------------------------


class _Gathered(SharedTask[Found]):
    """Query shared by several callers; accepts keys while ``open``."""

    keys: dict[str, Key]
    open: bool


class MarkedRecords:
    """Look-ups for one Company in one event loop; keys waiting at the same time share a query."""

    def __init__(self) -> None:
        self._queries = SingleFlight()

    async def find(
        self, marker: Marker, send: Send, hold: Hold, seconds: float, patience: float, scope: object
    ) -> Sequence[Any]:
        """Return the records with the key of ``marker``, from a query sent after this call began.

        Args:
            marker: key, and where to look.
            send: sends the query.
            hold: keeps the client open while the call runs.
            seconds: maximum wait for a response.
            patience: seconds before the query is repeated; doubles with each repeat, up to 30.
            scope: only queries with equal scopes are merged.

        Raises:
            DeadlineError: no response arrived in time.
            WosdkError: the query failed.
        """
        now = hold.clock.now
        end = now() + seconds
        while True:
            left, patience = end - now(), min(patience, _MAX_PATIENCE)
            limit = hold.within(min(patience, left))
            try:
                with limit:
                    found = await self._query_for(marker, send, hold, scope).result()
                break
            except TimeoutError:
                if not limit.expired:  # a hook of the program raised this TimeoutError
                    raise
                if hold.ended or left <= patience:
                    why = "before the client was closed" if hold.ended else f"within {seconds:.4g} s"
                    raise DeadlineError(
                        f"no readable response to the look-up {why}", phase="request"
                    ) from None
            patience *= 2
        records = found[marker.text]
        if isinstance(records, WosdkError):
            raise records  # no other call raises the same object, because calls with equal keys take turns
        return records

    def _query_for(self, marker: Marker, send: Send, hold: Hold, scope: object) -> _Gathered:
        """Return the query for a key: one that still accepts keys, or a new one."""
        key = (marker.field, scope)
        last: _Gathered | None = self._queries.find(key, 0.0)
        if last is not None and last.open and len(last.keys) < _KEYS_IN_QUERY:
            last.keys[marker.text] = marker.key
            return last

        async def ask() -> Found:
            if last is not None:
                with contextlib.suppress(TimeoutError), hold.within(_GATHERING):
                    await last.ended()
            query.open = False
            return await _Search(marker.field, send).read(query.keys)

        query = _Gathered(ask, hold.clock.now)
        query.keys, query.open = {marker.text: marker.key}, True
        self._queries.add(key, query)
        return query
