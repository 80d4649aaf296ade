"""Compiler of generated functions. No other code executes generated source.

Constructors, readers and writers are generated per class and compiled on first use, which makes them several
times as fast as loops over the fields. Their source is kept for tracebacks and debuggers.
"""

from __future__ import annotations

import linecache
from typing import Any

__all__ = ["compile_function"]


def compile_function(name: str, source: str, title: str, names: dict[str, Any]) -> Any:
    """Return the function ``name`` that ``source`` defines.

    Args:
        name: The function to return.
        source: Source of one ``def`` statement, always generated here, never taken from a response.
        title: Description of the function, such as ``"reader of WorkOrder"``. Tracebacks show it as the
            file name.
        names: Globals of the source, to which the function is added.
    """
    filename = f"<{title}>"
    exec(compile(source, filename, "exec"), names)  # noqa: S102 - the source is our own
    # linecache never discards an entry without a modification time. A function compiled again replaces it.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return names[name]
