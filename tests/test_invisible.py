"""The table of characters that nobody sees: every code point, against the escaping of every output."""

from __future__ import annotations

import functools
import json
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

import wosdk_async.sandbox.console
from tests.jobs.test_report import drawn, facts
from wosdk_async.cli.output.cells import readable
from wosdk_async.cli.texts import json_text, visible
from wosdk_async.mcp.fitting import fit_record, safe_text
from wosdk_async.mcp.plan_rules import planned_view
from wosdk_async.protocol import calls
from wosdk_async.text.safe_text import INVISIBLE, Secrets, json_escaped, one_line
from wosdk_async.web.asgi import one_line as path_of_request

CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
IGNORABLE = set("\u034f\u115f\u1160\u17b4\u180b\u180f\u2065\u3164\ufe00\ufe0d\uffa0\ufff0\U000e0100")


# Each is made when a test first needs it: every process of the suite imports this file.
@functools.cache
def every() -> str:
    return "".join(map(chr, range(sys.maxunicode + 1)))


@functools.cache
def unseen() -> set[str]:
    """Return those of this Python's Unicode; CI runs every supported Python."""
    return {char for char in every() if unicodedata.category(char) in CATEGORIES}


@functools.cache
def table() -> set[str]:
    return set(re.findall(f"[{INVISIBLE}]", every()))


def test_the_table_has_every_character_that_nobody_sees() -> None:
    assert unseen() <= table()
    assert table() >= IGNORABLE


def test_the_table_has_no_character_that_somebody_sees() -> None:
    """Nor the two selectors that emoji need; what no Unicode has given a meaning yet may be in it."""
    seen = {char for char in table() - unseen() if unicodedata.category(char) not in ("Cn", "Mn", "Lo")}
    assert not seen
    assert not table() & set("\ufe0e\ufe0f \xa0aé中😀")


def of_record(text: str) -> str:
    return str(fit_record({"Name": text}, Secrets())[0]["Name"])


def of_plan(text: str) -> str:
    """The request as a person agrees to it; half a surrogate pair cannot be in one."""
    whole = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
    (request,), _ = planned_view([calls.post("x", {"Name": whole}, repeat_safe=False)], Secrets())
    return str(request["body"]["Name"])


def of_report(text: str) -> str:
    return drawn(facts(plan={"company": text})).partition(" for ")[2].partition("; started")[0]


OUTPUTS: dict[str, Callable[[str], str]] = {
    "errors and logs": one_line,
    "request paths": path_of_request,
    "lines of the command line": visible,
    "cells of the command line": readable,
    "JSON of the command line": json_text,
    "JSON of a report": lambda text: json_escaped(json.dumps(text, ensure_ascii=False)),
    "report": of_report,
    "words of an MCP result": safe_text,
    "records of an MCP result": of_record,
    "requests of a plan": of_plan,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_no_output_shows_one(output: str) -> None:
    """Thousands at a time, between letters that stay."""
    show = OUTPUTS[output]
    chars = sorted(table())
    for at in range(0, len(chars), 50):
        shown = show("a" + "b".join(chars[at : at + 50]) + "c")
        assert "a" in shown
        assert not table() & set(shown)


DOM = Path(wosdk_async.sandbox.console.__file__).with_name("static") / "invisible.js"


def test_the_console_has_the_same_table() -> None:
    """But for tab and line break, which a browser shows as blanks."""
    (ranges,) = re.findall(r"/\[(.+)\]/gu", DOM.read_text("utf-8"))
    pattern = re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: f"\\U{int(found[1], 16):08x}", ranges)
    assert set(re.findall(f"[{pattern}]", every())) == table() - set("\t\n")
