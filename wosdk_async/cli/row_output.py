"""Rows of a query, written page by page as they come."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.cli.exit_codes import say, writing
from wosdk_async.cli.output.files import Output, opened

if TYPE_CHECKING:
    from wosdk_async.model import Record
    from wosdk_async.query.builder import Query

__all__ = ["RowOutput"]


@attrs.frozen
class RowOutput:
    """Output for the rows of a query, of which at most ``limit`` are written."""

    entity: type[Record] | str
    limit: int | None
    result: Output
    paths: Sequence[str]

    async def write(self, query: Query[Any]) -> None:
        """Write the rows of ``query`` page by page, at most ``limit``, and say when there are more."""
        from wosdk_async.cli.output.formats import format_of
        from wosdk_async.cli.output.progress import RowProgress

        limit, result = self.limit, self.result
        wanted = query if limit is None else query.limit(limit + 1)
        rows_on_terminal = result.path is None and sys.stdout.isatty()
        live = sys.stderr.isatty() and not rows_on_terminal
        with opened(result) as file, RowProgress(shown=limit is None, live=live) as progress:
            writer = format_of(result, file, self.paths, self.entity)
            async with aclosing(wanted.pages()) as pages:
                async for page in pages:
                    rest = page if limit is None else page[: limit - progress.rows]
                    with writing("the rows were read", result.path):
                        writer.write(rest)
                        file.flush()
                    progress.add(len(page))
            with writing("the rows were read", result.path):
                if not progress.rows:
                    writer.write([])
                writer.close()
                file.flush()
        _say_rest(progress.rows, limit)

    async def write_names(self, query: Query[Any]) -> None:
        """Write the rows with the names of their references, if the service can read them all."""
        from wosdk_async.cli.output.default_columns import DefaultColumns
        from wosdk_async.errors import UnknownNameError

        paths = DefaultColumns.of(self.entity).selection
        try:
            await self.write(query.select(*paths))
        except UnknownNameError:  # a release that lacks one of them, or a condition has a wrong name
            if not paths:
                raise
            await self.write(query)


def _say_rest(rows: int, limit: int | None) -> None:
    """Say when there are more rows than ``limit``, or none."""
    if limit is not None and rows > limit:
        shown = "1 row is" if limit == 1 else f"{limit} rows are"
        say(f"{shown} shown and there are more; --limit N shows N, --all shows all, --count counts")
    elif not rows:
        say("no rows")
