"""The one place where text becomes code.

Constructors, readers and writers are written as text for each class and compiled at its first use: that makes
them several times as fast as loops over its fields. The text is kept for tracebacks and debuggers.
"""

from __future__ import annotations

import linecache
from typing import Any

__all__ = ["compile_function"]


def compile_function(name: str, source: str, title: str, names: dict[str, Any]) -> Any:
    """Return the function ``name`` that ``source`` defines.

    Args:
        name: The function to return.
        source: Text of one ``def`` statement, made by this package alone, never of what a service sends.
        title: What the function is, such as ``"reader of WorkOrder"``: tracebacks show it as the file's name.
        names: What the text refers to. The function is added to it.
    """
    filename = f"<{title}>"
    exec(compile(source, filename, "exec"), names)  # noqa: S102 - the text is our own
    # Without a time of change the entry is kept; one for each title, so that remade functions add nothing.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return names[name]
