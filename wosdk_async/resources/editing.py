"""Read, change, write the difference, and again when somebody else was faster."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Never, TypeVar

from wosdk_async.errors import ConflictError, InvalidCallError
from wosdk_async.model import Record
from wosdk_async.protocol.calls import Id
from wosdk_async.protocol.validation.arguments import described, refuse_keywords, require_class, require_id
from wosdk_async.query.plan import selection
from wosdk_async.query.properties import Path
from wosdk_async.verbs import Verbs

__all__ = ["Editing"]

E = TypeVar("E", bound=Record)


class Editing(Verbs):
    """Safe edits of records that others edit too."""

    async def edit(
        self,
        entity: type[E],
        id: Id,
        change: Callable[[E], E | Awaitable[E | None] | None],
        *,
        properties: Iterable[str | Path] = ("*",),
        attempts: int = 5,
        check: bool = True,
        **unknown: Never,
    ) -> E:
        """Read a record, let ``change`` edit a copy of it, and write what it changed.

        Args:
            entity: a class of the model.
            id: the record's id, as for ``get``.
            change: a function or coroutine function. It changes the record it is given, or returns a changed
                one. It runs again with a new read after a conflict, so it must not do more than that.
            properties: property paths to read; a list must be read to be edited (``"*", "CustomFields.*"``).
                The version is always read.
            attempts: reads at the most; between them a random wait as the retry policy says.

        Returns the record as ``update`` does; nothing is sent when nothing changed. Where the entity has a
        version it must be the one read (``if_unchanged``); the window of ``update`` stays. Raises the last
        ConflictError when every attempt met one, and what ``get``, ``update`` and ``change`` raise.
        """
        if unknown:
            refuse_keywords("edit", unknown, ("properties", "attempts", "check"))
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            raise InvalidCallError(f"attempts is {described(attempts)}; it takes a whole number from 1")
        require_class("edit", entity)
        require_id(entity, id)
        if not callable(change):
            raise InvalidCallError(
                f"edit() takes a function that changes the record, not {described(change)};"
                f" update({entity.__name__}.ref({described(id)}), field=value) writes named fields"
            )
        paths = selection(entity, properties, check)
        locked = "concurrency_id" in entity.__wire__
        if locked and paths and not {"*", "ConcurrencyId"} & set(paths):
            paths.append("ConcurrencyId")
        failed = 0
        while True:
            read = await self.get(entity, id, properties=paths, check=check)
            edited = await _changed(read, change)
            try:
                return await self.update(edited, read, check=check, if_unchanged=locked)
            except ConflictError:
                failed += 1
                if failed == attempts:
                    raise
            await self._pause(failed)


async def _changed(read: E, change: Callable[[E], E | Awaitable[E | None] | None]) -> E:
    """What ``change`` makes of a copy of ``read``."""
    working = copy.deepcopy(read)
    made = change(working)
    edited = await made if inspect.isawaitable(made) else made
    return working if edited is None else edited
