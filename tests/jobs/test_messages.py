"""No message of an import or an export names an option of the command line, which adds its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wosdk_async import jobs
from wosdk_async.cli.texts import in_command_words

_OPTION = re.compile(r"(?<![-\w])--([a-z]|\Z)")
_ARGUMENT = re.compile(r"--([a-z-]+(=\S*)?)?")
"""A whole argument, of a command that is shown to be given, or of a program that is started."""


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every string that is no docstring."""
    tree = ast.parse(source)
    documented = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documented:
            yield node.lineno, node.value


def named_options(source: str) -> list[tuple[int, str]]:
    return [
        (line, text) for line, text in texts(source) if _OPTION.search(text) and not _ARGUMENT.fullmatch(text)
    ]


PACKAGE = Path(jobs.__file__).parent


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_message_names_an_option(path: Path) -> None:
    assert named_options(path.read_text("utf-8")) == []


def test_an_option_in_a_message_would_be_found() -> None:
    lines = (
        '"""Like --job."""',
        "def f(name):",
        '    """--a"""',
        '    g("--sheet", f"add --job {name}", f"no --{name}")',
    )
    source = "\n".join(lines)
    assert named_options(source) == [(4, "add --job "), (4, "no --")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("name another folder with folder=DIR", "name another folder with --job DIR"),
        ("pass delimiter='tab'", "add --delimiter tab"),
        ("pass delimiter=';'", "add --delimiter ';'"),
        ("pass encoding='cp1252', or", "add --encoding cp1252, or"),
        ("rename it, or pass format='jsonl'", "rename it, or add --format jsonl"),
        ("not utf-8; leave encoding= out", "not utf-8; leave --encoding out"),
        ("takes no sheet=; leave it out", "takes no --sheet; leave it out"),
        ("or pass force=True to replace it", "or add --force to replace it"),
        ("or pass again=True to throw", "or add --again to throw"),
        ("or use IncrementalExport if", "or add --since last if"),
        ("the limit is 5% (stop_after)", "the limit is 5% (--stop-after)"),
        ("the limit is 3 (stop_after_doubt)", "the limit is 3 (--stop-after-doubt)"),
        ("csv_raw is for CSV", "--csv-raw is for CSV"),
        ("csv_for_excel is for CSV", "--csv-for-excel is for CSV"),
        (
            "yourself, and call decide(journal, row, id), with None for what was not created",
            "yourself, and write wosdk jobs settle JOB --row N created ID, or --row N not-created",
        ),
        (
            "company.query('Harbour', ...) reads its records as plain data",
            "wosdk query Harbour --unchecked --all --json writes its records as they come",
        ),
    ],
)
def test_the_command_line_names_its_options(text: str, shown: str) -> None:
    assert in_command_words(text) == shown
