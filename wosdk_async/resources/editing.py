"""Safe concurrent edits of records: read, change, write the difference, retry after a conflict."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from wosdk_async.errors import ConflictError, InvalidCallError
from wosdk_async.model import Record
from wosdk_async.protocol.arguments import described, require_class, require_id
from wosdk_async.protocol.records import Id
from wosdk_async.query.builder import selection
from wosdk_async.query.properties import Path
from wosdk_async.resources.resource import Verbs

E = TypeVar("E", bound=Record)

Change = Callable[[E], E | Awaitable[E | None] | None]
"""Function that modifies the given record, or returns a modified one."""


async def edit(
    company: Verbs,
    entity: type[E],
    id: Id,
    change: Change[E],
    *,
    properties: Iterable[str | Path],
    attempts: int,
    check: bool,
    pause: Callable[[int], Awaitable[None]],
) -> E:
    """Implement :meth:`Company.edit <wosdk_async.company.Company.edit>`; ``pause`` waits between attempts."""
    if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
        raise InvalidCallError(f"attempts is {described(attempts)}; it takes a whole number, 1 or more")
    require_class("edit", entity)
    require_id(entity, id)
    if not callable(change):
        raise InvalidCallError(
            f"edit() takes a function that changes the record, not {described(change)};"
            f" update({entity.__name__}.ref({described(id)}), field=value) writes named fields"
        )
    paths = selection(entity, properties, check)
    is_versioned = "concurrency_id" in entity.__wire__
    if is_versioned and paths and not {"*", "ConcurrencyId"} & set(paths):
        paths.append("ConcurrencyId")
    failed = 0
    while True:
        read = await company.get(entity, id, properties=paths, check=check)
        working = copy.deepcopy(read)
        returned = change(working)
        edited = await returned if inspect.isawaitable(returned) else returned
        try:
            changed = working if edited is None else edited
            return await company.update(changed, read, check=check, if_unchanged=is_versioned)
        except ConflictError:
            failed += 1
            if failed == attempts:
                raise
        await pause(failed)
