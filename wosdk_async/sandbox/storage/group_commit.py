"""Group commit: requests that are answered in the same turn of the loop share one commit.

An answer leaves only after the transaction that holds its writes is committed. A read waits too while
one is open: it may have seen what would be lost with it.
"""

from __future__ import annotations

import asyncio

from wosdk_async.sandbox.storage.store import Store

__all__ = ["GroupCommit"]


class GroupCommit:
    """The commits of one store, for the tasks of one event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[asyncio.Future[None]] = []

    async def settled(self) -> None:
        """Return once nothing that was written so far can be lost.

        Raises:
            sqlite3.Error: it could not be committed; nothing of it is kept.
        """
        if not self._store.pending:
            return
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._commit)
        self._waiting.append(done)
        await done

    def _commit(self) -> None:
        waiting, self._waiting = self._waiting, []
        error: BaseException | None = None
        try:
            self._store.commit()
        except Exception as caught:
            error = caught
        for done in waiting:
            if done.done():  # its request was cancelled
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
