"""Pages as the site's Markdown reads them: GitHub is more lenient with lists, and hides comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["for_site", "with_bars", "with_whole_options"]

_NOTE = re.compile(r"\s*<!--.*-->\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"( *)([*+-]|\d+\.) +")
_INDENT = re.compile(r" *")
_CODE = re.compile(r"`[^`]+`")
_OPTION = re.compile(r"(?<![`\[])`--?\w[^`]{0,22}`(?![`\]{])")


def for_site(text: str) -> str:
    """Return a page without its comments, with lists that stand alone and are indented by four."""
    return "\n".join(_apart(_indented(_uncommented(text.splitlines())))) + "\n"


def with_bars(text: str) -> str:
    """Return a page with plain bars in the code of its tables, where GitHub wants a backslash before each."""
    lines = text.split("\n")
    rows = (i for i, line in enumerate(lines) if line.lstrip().startswith("|"))
    for i in rows:
        lines[i] = _CODE.sub(lambda code: code[0].replace("\\|", "|"), lines[i])
    return "\n".join(lines)


def with_whole_options(text: str) -> str:
    """Return a page whose options in code are not broken across lines; ``.whole`` is in site.css.

    Before and after::

        | `--csv` | with it |
        | `--csv`{ .whole } | with it |

    Long options, headings and blocks of code stay: they may be broken, or never are.
    """
    fenced, lines = False, text.split("\n")
    for number, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        if not fenced and not line.startswith("#"):
            lines[number] = _OPTION.sub(r"\g<0>{ .whole }", line)
    return "\n".join(lines)


def _uncommented(lines: Iterable[str]) -> Iterator[str]:
    fenced = False
    for line in lines:
        fenced ^= bool(_FENCE.match(line))
        if fenced or not _NOTE.fullmatch(line):
            yield line


def _indented(lines: Iterable[str]) -> Iterator[str]:
    """Move what belongs to an item of a list to a multiple of four.

    Before: the text of an item begins behind its mark, so the column depends on the mark::

        * a
          * b
        1. c

           text of c

    After: a column of four for each item around the line::

        * a
            * b
        1. c

            text of c

    Lines of code keep their columns beside each other, and look like no items.
    """
    fenced, widths = False, list[int]()  # of the items around a line: where their text begins
    for line in lines:
        indent = len(_INDENT.match(line)[0])  # type: ignore[index]
        if not fenced and line.strip():
            while widths and indent < widths[-1]:
                widths.pop()
        depth = len(widths)
        yield " " * 4 * depth + line[min(widths[-1] if widths else 0, indent) :] if line.strip() else ""
        fenced ^= bool(_FENCE.match(line))
        if not fenced and (item := _ITEM.match(line)):
            widths.append(item.end())


def _apart(lines: Iterable[str]) -> Iterator[str]:
    """Put an empty line before a list or a table that follows a paragraph, or else it would be text of that.

    Before::

        Such as:
        * a
        * b
        | c |

    After: not between items, nor between rows, nor in code::

        Such as:

        * a
        * b

        | c |
    """
    fenced, before, listed = False, "", False
    for line in lines:
        starts_list = bool(_ITEM.match(line)) and not listed
        follows_code = bool(_ITEM.match(line)) and bool(_FENCE.match(before))  # else it is text of the item
        starts_table = line.startswith("|") and not before.startswith("|")
        if not fenced and before.strip() and (starts_list or follows_code or starts_table):
            yield ""
        fenced ^= bool(_FENCE.match(line))
        if not fenced:
            listed = bool(_ITEM.match(line)) or (
                listed and (not line.strip() or line.startswith(" ") or bool(before.strip()))
            )
        yield line
        before = line
