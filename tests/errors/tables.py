"""The tables and lists of errors in docs/, rendered by ``python -m tests.errors.tables``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from string import Formatter

from wosdk_async import errors
from wosdk_async.cli.texts import in_commands, with_options
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    ImportMapError,
    JournalError,
    MissingRecordError,
    OutputError,
    RowError,
    RunStoppedError,
    WaitingRowError,
)
from wosdk_async.jobs.exports import ExportError
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.mcp.plan_journal import PlansUnusableError
from wosdk_async.protocol.verdicts import CODES, ENDINGS, REFUSED, VERDICTS, Verdict
from wosdk_async.text.remedies import Remedy, in_python
from wosdk_async.web.problems import PROBLEMS

DOCS = Path(__file__).parents[2] / "docs"
DOC = DOCS / "failures.md"
WEB = DOCS / "web.md"
MESSAGES = DOCS / "messages.md"
API, INDEX = DOCS / "api" / "errors.md", DOCS / "api" / "index.md"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    lines = [list(head), ["---"] * len(list(head)), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def codes_of(verdict: Verdict) -> str:
    """Return the codes with a verdict, as text."""
    return ", ".join(f"`{rule.code}`" for rule in CODES.values() if rule.verdict is verdict)


def verdicts() -> str:
    """Return the table of verdicts."""
    return table(
        ["verdict", "when", "what happens"], ((each.name, when(each), each.then) for each in VERDICTS)
    )


def when(verdict: Verdict) -> str:
    """Return when a verdict holds, with its codes; those that are refused are in the next table only."""
    codes = codes_of(verdict)
    if codes and "{codes}" not in verdict.when and verdict is not REFUSED:
        return f"{codes}; {verdict.when}"
    return verdict.when.format(codes=codes)


def codes() -> str:
    """Return the table of the classes that refusals raise; the table of verdicts has the other codes."""
    found: dict[str, list[str]] = {}
    for each in CODES.values():
        if each.verdict is REFUSED and each.error is not errors.RefusedError:
            found.setdefault(f"`{each.error.__name__}`", []).append(f"`{each.code}`")
    rows = ((error, ", ".join(names)) for error, names in found.items())
    return table(["class", "codes"], [*rows, ("`RefusedError`", "any other")])


def problems() -> str:
    """Return the table of problem bodies."""
    rules = {**{kind: kind for kind in PROBLEMS}, JournalError: WosdkError, OutputError: WosdkError}
    rows = (
        (
            f"`{kind.__name__}`",
            rule.status,
            f"`{rule.name}`",
            "no" if rule.detail else "yes",
            rule.retry_after or "",
        )
        for kind, rule in ((kind, PROBLEMS[base]) for kind, base in rules.items())
    )
    return table(["error", "status", "type", "message shown", "Retry-After"], rows)


# --- classes, kinds and remedies ------------------------------------------------------------

_SECTION = re.compile(r"^# --- (.+?) -+$|^class (\w+)\(", re.MULTILINE)


def exceptions() -> str:
    """Return the table of the errors of calls, by what to do about them as ``errors.py`` groups them."""
    rows, group = [], ""
    for section, name in _SECTION.findall(inspect.getsource(errors)):
        if section:
            group = section
        else:
            kind = getattr(errors, name)
            status = next(each.exit_status for each in ENDINGS if issubclass(kind, each.error))
            rows.append((group, f"`{name}` `{kind.kind}`", re.split("[:;.]", meaning(kind))[0], status))
            group = ""
    return table(["what to do", "class and kind", "it means", "exit status"], rows)


def kinds() -> str:
    """Return the table of the errors of imports, exports and the MCP server."""
    return table(
        ["class and kind", "it means"],
        ((f"`{each.__name__}` `{each.kind}`", meaning(each)) for each in _OF_JOBS),
    )


_OF_JOBS: tuple[type[WosdkError], ...] = (
    ImportMapError,
    ImportRefusedError,
    JournalError,
    OutputError,
    RunStoppedError,
    RowError,
    AmbiguousNameError,
    MissingRecordError,
    WaitingRowError,
    ExportError,
    PlansUnusableError,
)


def meaning(kind: type) -> str:
    """Return the docstring of a class on one line, as Markdown."""
    text = " ".join((kind.__doc__ or "").split())
    text = re.sub(r":\w+:`([^`]+)`", r"`\1`", text).replace("``", "`")
    return text.replace("`docs/web.md`", "[web.md](web.md#routes)")


def remedies() -> str:
    """Return the remedies that the command line says in other words, not only with options."""
    rows = []
    for each in Remedy:
        facts = {name: name.upper() for _, name, _, _ in Formatter().parse(each.value) if name}
        of_commands = {"folder": "FOLDER", "id": "ID", **facts}
        program, command = in_python(each, facts), in_commands(each, of_commands)
        if command not in (program, with_options(program)):
            rows.append((f"`{each.name}`", program, differing(program.split(), command.split())))
    return table(["remedy", "in Python", "on the command line"], rows)


def differing(one: list[str], other: list[str]) -> str:
    """Return the words of the other text, with ``...`` for those with which one begins, too."""
    shared = len([*takewhile(lambda words: words[0] == words[1], zip(one, other, strict=False))])
    return " ".join(["...", *other[shared:]] if 1 < shared < len(other) else other)


def directives() -> str:
    """Return the part of the API page that shows the classes, in the order of ``errors.py``."""
    hidden = '    options:\n      filters: ["!^_", "!^(add|hide)$"]\n'
    names = (name for _, name in _SECTION.findall(inspect.getsource(errors)) if name)
    return "".join(f"\n::: wosdk_async.{name}\n{hidden * (name == 'WosdkError')}" for name in names)


def links() -> str:
    """Return the links of the index to all names of the API page."""
    found = re.findall(r"^::: (\S+)", API.read_text(encoding="utf-8"), re.MULTILINE)
    return ", ".join(f"[`{name.rpartition('.')[2]}`](errors.md#{name})" for name in found) + "\n"


TABLES = {
    DOC: {"verdicts": verdicts, "codes": codes, "exceptions": exceptions},
    MESSAGES: {"kinds": kinds, "remedies": remedies},
    WEB: {"problems": problems},
    API: {"classes": directives},
    INDEX: {"errors": links},  # reads the API page, so it comes after it
}


def rendered(page: Path, tables: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with its tables as they should be: each stands between two comments with its name."""
    text = page.read_text(encoding="utf-8")
    for name, render in tables.items():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        text, places = between.subn(rf"\g<1>{render()}\g<2>", text)
        assert places == 1, f"docs/{page.name} has {places} places for the table of {name}"
    return text


if __name__ == "__main__":
    for each, tables in TABLES.items():
        each.write_text(rendered(each, tables), encoding="utf-8")
