"""The command line has its words for each remedy, and no message of the library names an option."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import wosdk_async
from tests.support.laws import case
from wosdk_async import WosdkError
from wosdk_async.cli.texts import in_commands, message_of
from wosdk_async.text.remedies import Remedy, in_json, in_python

PACKAGE = Path(wosdk_async.__file__).parent
LIBRARY = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in ("cli", "sandbox", "catalogue", "model")
)
FACTS = {
    "by": "name",
    "delimiter": ";",
    "encoding": "cp1252",
    "settle": 30.0,
    "field": "token_url",
    "file": "/certificates.pem",
    "library": "httpx",
    "line": 4,
    "sample": "Bay Bakery",
    "state": "New",
    "steps": "start it",
    "target": "InProgress",
    "variable": "WOSDK_TOKEN_URL",
    "entity": "Customer",
    "folder": "a b.job",
    "holder": "process 5 on mill since 2026-03-01",
    "id": 5,
    "of": "Customer",
    "option": "csv_raw",
    "other": "6",
    "suffixes": ".csv, .parquet",
}
SHOWN = {
    Remedy.NEW_ROWS: "if the unknown rows are new, add --new-rows",
    Remedy.NAME_RUN: "name the run to undo with --run N, or add --all",
    Remedy.NEW_KEYS: "correct wrong keys; if all are right, add --new-rows to send the rows as new",
    Remedy.OTHER_CELLS: (
        "if they are the same rows, remove them from the file; if not, correct the keys or add --new-rows"
    ),
    Remedy.SEND_AGAIN: "to resend all rows, add --again",
    Remedy.SAME_COMMAND: "to send the remaining rows, leave out --again",
    Remedy.SETTLE: "settle the rows in doubt with wosdk jobs settle 'a b.job'",
    Remedy.THAT_FOLDER: "add --job 'a b.job'",
    Remedy.DELIMITER: "the delimiter seems to be ';'; add --delimiter ';'",
    Remedy.LEAVE_OUT: "leave out --csv-raw",
    Remedy.REFERENCE: 'refer to it by {"Id": id}',
    Remedy.QUERY_UNKNOWN: "read records with wosdk query Customer --unchecked --all --json",
}
"""Words of the command line, with facts; the others are plain texts of a table."""

OF_PROGRAMS = {
    Remedy.POOL,
    Remedy.AUTHORITY_IN_CONTEXT,
    Remedy.AUTHORITY_IN_HTTPX,
    Remedy.RETURN_RESPONSE,
    Remedy.RETURN_OR_USE,
    Remedy.CANCELLED_PROVIDER,
}
"""Of objects that only a program passes to a client."""

_PYTHON = re.compile(r"\w=|\w\(|\bTrue\b|\b[A-Z][a-z]+[A-Z]\w+Export\b")
_OPTION = re.compile(r"(?<![-\w])--([a-z]|\Z)|(?<![\w-])wosdk (?=[a-z{])")
_WHOLE = re.compile(
    r"--([a-z-]+(=\S*)?)?"  # an argument of a program that is started
    r"|wosdk [a-z-]+( \d)?"  # the name of a thread, task or format
)
_OTHERS = {
    "--wosdk-record",  # of our plugin for pytest
    "@pytest.mark.wosdk ",
    "`wosdk check`",  # what an agent tells the person who runs the MCP server
    "`wosdk delete`",
}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every string that is no docstring."""
    tree = ast.parse(source)
    documented = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documented:
            yield node.lineno, node.value


def named_options(source: str) -> list[tuple[int, str]]:
    return [
        (line, text)
        for line, text in texts(source)
        if _OPTION.search(text) and not _WHOLE.fullmatch(text) and not any(other in text for other in _OTHERS)
    ]


def test_no_message_of_the_library_names_an_option() -> None:
    sources = {path: path.read_text("utf-8") for path in LIBRARY}
    assert {
        p: found for p, each in sources.items() if _OPTION.search(each) and (found := named_options(each))
    } == {}


def test_an_option_in_a_message_would_be_found() -> None:
    lines = (
        '"""Like --job."""',
        "def f(name):",
        '    """--a"""',
        '    g("--sheet", f"add --job {name}", f"no --{name}", f"run wosdk jobs {name}")',
    )
    assert [text for _, text in named_options("\n".join(lines))] == ["add --job ", "no --", "run wosdk jobs "]


def test_the_command_line_has_words_for_every_remedy() -> None:
    """Its own where those of a program are Python; with the facts that they name, quoted for a shell."""
    for remedy in set(Remedy) - OF_PROGRAMS:
        with case(remedy):
            words = in_commands(remedy, FACTS)
            assert words
            assert not _PYTHON.search(words.replace('"Id": id', "").replace("WorkOrderId=", ""))
            assert words == SHOWN.get(remedy, words)


def test_the_words_name_known_facts() -> None:
    for remedy in Remedy:
        with case(remedy):
            named = {name for _, name, _, _ in Formatter().parse(remedy.value) if name}
            assert named <= FACTS.keys()
            assert "..." not in re.sub(r"[,=] ?\.\.\.\)", "", in_python(remedy, FACTS))
            assert not _OPTION.search(in_python(remedy, FACTS))
            assert not _OPTION.search(in_json(remedy, FACTS))


def test_each_caller_has_its_words() -> None:
    error = WosdkError(
        "it is there", kind="there", remedies=(Remedy.OVERWRITE, Remedy.THAT_FOLDER), folder="a b.job"
    )
    assert str(error) == (
        "it is there; name another file, or pass force=True to overwrite; or pass folder='a b.job'"
    )
    assert message_of(error) == (
        "it is there; name another file, or add --force to overwrite; or add --job 'a b.job'"
    )
    assert error.message == "it is there"
    assert "..." in message_of(WosdkError("x", remedies=(Remedy.DELIMITER,)))  # never a KeyError


def test_a_pickled_remedy_is_its_name() -> None:
    """So it can be read where its words are others."""
    pickled = pickle.dumps(Remedy.KEY)
    assert pickle.loads(pickled) is Remedy.KEY  # noqa: S301
    assert Remedy.KEY.value.encode() not in pickled
