"""Queries whose names are checked by the classes of the model, and whose rows are what the service sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

from wosdk_async.cli.exit_codes import say, writing
from wosdk_async.cli.options import Output
from wosdk_async.cli.output.counter import counting
from wosdk_async.cli.output.forms import opened, rows_to
from wosdk_async.model import Record
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Query

__all__ = ["checked", "stream"]


def checked(entity: type[Record] | str, narrow: Callable[[Query[Any]], object]) -> str:
    """The name to ask for plain rows of ``entity``, when ``narrow`` asks nothing wrong of its class.

    Raises InvalidCallError with what was probably meant.
    """
    narrow(Query(entity, _nowhere))
    return entity if isinstance(entity, str) else entity.wire_name


async def _nowhere(call: Call[list[Any]]) -> list[Any]:
    raise AssertionError(f"{call.operation} is only checked, never sent")


async def stream(query: Query[Any], limit: int | None, output: Output, paths: Sequence[str]) -> None:
    """Write the rows of ``query`` page by page, ``limit`` at the most, and say when there are more."""
    wanted = query if limit is None else query.limit(limit + 1)
    with opened(output) as file, counting(output, shown=limit is None) as counter:
        form = rows_to(file, output.form, paths)
        async with aclosing(wanted.pages()) as pages:
            async for page in pages:
                left = page if limit is None else page[: limit - counter.rows]
                with writing("the rows were read", output.path):
                    form.rows(left)
                    file.flush()
                counter.add(len(page))
        with writing("the rows were read", output.path):
            if not counter.rows:
                form.rows([])
            form.close()
            file.flush()
    if limit is not None and counter.rows > limit:
        shown = "1 row is" if limit == 1 else f"{limit} rows are"
        say(f"{shown} shown and there are more; --limit N shows N, --all shows all")
    elif not counter.rows:
        say("no rows")
