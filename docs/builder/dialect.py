"""Convert GitHub's Markdown, which is more lenient with lists and tables, to the site's."""

from __future__ import annotations

import re

_NOTE = re.compile(r"\s*<!--.*-->\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r" *([*+-]|\d+\.) +")
_CODE = re.compile(r"`[^`]+`")
_OPTION = re.compile(r"(?<![`\[])`--?\w[^`]{0,22}`(?![`\]{])")


def for_site(text: str) -> str:
    r"""Return a page without comments, with lists and tables as the site parses them.

    A list or a table stands alone, and what belongs to an item is indented by four. Before and after::

        Such as:            Such as:
        1. a
           * b              1. a
                                * b

    In tables, code has plain bars, where GitHub wants ``\|``. Short options in code are not broken across
    lines: ``.whole`` is in site.css. Code blocks stay as they are beside their new indent.
    """
    found: list[str] = []
    widths: list[int] = []  # of the items around a line: where their text begins
    fenced = listed = False
    for line in text.splitlines():
        before, mark = found[-1] if found else "", bool(_FENCE.match(line))
        if fenced:
            found.append(_moved(line, widths))
            fenced ^= mark
            continue
        if _NOTE.fullmatch(line):
            continue
        item, row = _ITEM.match(line), line.startswith("|")
        while line.strip() and widths and len(line) - len(line.lstrip()) < widths[-1]:
            widths.pop()
        starts = (item and (not listed or _FENCE.match(before))) or (row and not before.startswith("|"))
        if starts and before.strip():
            found.append("")
        found.append(_moved(_whole(line, row=row), widths))
        fenced = mark
        listed = bool(item) or (listed and not mark and (line[:1] in ("", " ") or bool(before.strip())))
        widths += [item.end()] if item else []
    return "\n".join(found) + "\n"


def _moved(line: str, widths: list[int]) -> str:
    """Return a line indented by a multiple of four, below its list items."""
    indent = len(line) - len(line.lstrip())
    return " " * 4 * len(widths) + line[min(widths[-1], indent) if widths else 0 :] if line.strip() else ""


def _whole(line: str, *, row: bool) -> str:
    if row:
        line = _CODE.sub(lambda code: code[0].replace("\\|", "|"), line)
    return line if line.startswith("#") else _OPTION.sub(r"\g<0>{ .whole }", line)
