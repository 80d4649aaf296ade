"""Tables, JSON and what the service's texts may do to a terminal: nothing."""

from __future__ import annotations

import io
import json
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.conftest import Wosdk, full_disk
from tests.support.laws import examples
from tests.support.service import Answer, Service
from wosdk_async import codec
from wosdk_async.cli.output.table import TableFormat, print_record
from wosdk_async.cli.texts import json_text, shell_words, visible

EVIL = "[red]x[/red] :smile: \x1b]0;owned\x07 \u202eabc \x9b31m two\nlines"
TAME = r"[red]x[/red] :smile: \x1b]0;owned\x07 \u202eabc \x9b31m two\nlines"

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20),
)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
rows_of_any_kind = st.lists(
    st.dictionaries(st.text(max_size=5), documents, max_size=3), min_size=1, max_size=3
)


@given(documents)
def test_json_says_what_was_sent_with_all_digits(value: Any) -> None:
    """One line, the same value when it is read, and nothing in it that a terminal obeys."""
    text = json_text(value)
    assert codec.loads(text.encode()) == value
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in text)


@given(st.text())
def test_what_is_shown_is_one_line_that_a_terminal_only_prints(text: str) -> None:
    """No control character, no mark that turns the direction, and no blanks at the ends."""
    made = visible(text)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2066" for char in made)
    assert made == made.strip()
    assert visible(made) == made


@examples(10)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=9))
@example("a  b'c\n\\d\te\x1b")
def test_a_shell_reads_the_words_that_are_shown(text: str) -> None:
    """A folder may have any name, and the command that names it is shown on one line."""
    shown = visible(shell_words("printf", "%s", text))
    said = subprocess.run(["bash", "-c", shown], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert said.stdout == text.encode()


@examples(10)
@given(rows_of_any_kind, st.lists(st.text(min_size=1, max_size=5), max_size=2))
def test_any_rows_make_a_table(rows: list[dict[str, Any]], paths: list[str]) -> None:
    """Whatever the service sends, a table of it is plain lines of no more than the width."""
    file = io.StringIO()
    form = TableFormat(file, paths)
    form.write(rows)
    form.close()
    for row in rows:
        print_record(file, row, paths)
    assert "\x1b" not in file.getvalue()


def test_digits_stay_and_odd_integers_too(wosdk: Wosdk, scripted: Service) -> None:
    """Exactly what the service said, by its own names."""
    data = '{"Id":1,"Nte":12.50,"Big":123456789012345678901234567890,"Half":"\\ud800","New":null,"L":[]}'
    scripted.handler = lambda _: Answer(body=f'{{"Data": {data}}}'.encode())
    assert wosdk("get", "WorkOrder", "1", "--json").stdout == f"{data}\n"


@pytest.mark.parametrize("form", [(), ("--csv",), ("--json",)])
def test_texts_of_the_service_are_only_texts(wosdk: Wosdk, scripted: Service, form: tuple[str, ...]) -> None:
    """No markup, no control characters in tables and messages; CSV and JSON keep the text itself."""
    scripted.handler = lambda _: Answer(body={"Entities": [{"Data": {"Id": 1, "Name": EVIL}}]})
    result = wosdk("query", "Customer", "--limit", "1", "-p", "Name", *form)
    if form == ("--json",):
        assert json.loads(result.stdout)["Name"] == EVIL
        assert not {"\x1b", "\x9b", "\u202e"} & set(result.stdout)
    elif form == ("--csv",):
        assert EVIL in result.stdout
    else:
        assert TAME[:50] in result.stdout
        assert not {"\x1b", "\x9b", "\u202e"} & set(result.stdout)


def test_messages_of_the_service_are_only_texts(wosdk: Wosdk, scripted: Service) -> None:
    """An error is one line, whatever the service puts into it."""
    body = {"ErrorMessage": EVIL, "ErrorCode": "BUSINESS_LOGIC_ERROR"}
    scripted.handler = lambda _: Answer(400, body)
    result = wosdk("get", "Customer", "1")
    assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
    assert TAME in result.stderr


def table(rows: list[dict[str, Any]], *paths: str) -> list[str]:
    file = io.StringIO()
    form = TableFormat(file, paths)
    form.write(rows)
    form.close()
    return file.getvalue().splitlines()


def test_a_table_has_the_columns_with_content() -> None:
    """The Id first; objects by their parts, lists readable; false and nothing only where asked for."""
    rows: list[dict[str, Any]] = [
        {
            "IsNew": False,
            "Name": "a",
            "Nte": {"Value": Decimal("1.50")},
            "Items": [{"Id": 5, "N": "x"}],
            "Id": 1,
        },
        {"IsNew": False, "Name": "b", "Nte": None, "Items": [], "Id": 2},
    ]
    assert table(rows) == ["Id  Name  Nte.Value  Items", "1   a     1.50       Id 5, N x", "2   b"]
    assert table(rows, "Name", "IsNew") == ["Name  IsNew", "a     false", "b     false"]


def test_a_table_is_cut_to_the_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Named columns get narrower; of others those that fit are shown, and the rest is reported."""
    monkeypatch.setenv("COLUMNS", "30")
    rows = [{"Id": 1, "A": "x" * 50, "B": "y" * 20, "C": 3}]
    assert table(rows, "A", "B") == ["A               B", "xxxxxxxxxxxxx…  yyyyyyyyyyyyy…"]
    assert table(rows) == ["Id", "1"]
    message = "3 more columns do not fit; select columns with -p, or show all with --json"
    assert message in capsys.readouterr().err


def test_wide_characters_are_counted_as_terminals_do() -> None:
    """A column of them is as wide as it looks."""
    assert table([{"A": "工事", "B": 1}, {"A": "ab", "B": 2}]) == ["A     B", "工事  1", "ab    2"]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_record_with_very_many_members_is_shown_in_part(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    """The first thousand, and the number of the others; the time is linear."""
    if terminal:
        monkeypatch.setenv("COLUMNS", "100")
    many = {"Id": 1} | {f"Field{i}": i + 1 for i in range(9_999)}
    scripted.handler = lambda _: Answer(body=codec.dumps({"Entities": [{"Data": many}, {"Data": {"Id": 2}}]}))
    result = wosdk("query", "WorkOrder", "--limit", "1")
    header, row = result.stdout.splitlines()
    shown = len(header.split())
    assert len(row.split()) == shown <= 1000
    assert result.stderr.startswith(
        f"wosdk: {10_000 - shown} more columns do not fit; select columns with -p, or show all with --json\n"
    )
    scripted.handler = lambda _: Answer(body=codec.dumps({"Data": many}))
    result = wosdk("get", "WorkOrder", "1")
    assert len(result.stdout.splitlines()) == 1000
    assert result.stderr == "wosdk: 9000 more values omitted; --json shows all\n"
    result = wosdk("get", "WorkOrder", "1", "--csv")
    assert result.stdout.count(",") == 2 * 9_999


@pytest.mark.parametrize("form", [(), ("--csv",), ("--json",)])
@pytest.mark.parametrize("command", [("get", "Customer", "7"), ("query", "Customer")])
def test_rows_that_cannot_be_written_were_read(
    wosdk: Wosdk, scripted: Service, tmp_path: Path, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    """On a full disk: the status says that they were read, the line names the file, and none stays."""
    row = {"Data": {"Id": 7, "Name": "x" * 20_000}}
    scripted.handler = lambda _: Answer(body={"Entities": [row], **row})
    with full_disk():
        result = wosdk(*command, *form, "-o", tmp_path / "made")
    what = "the record was" if command[0] == "get" else "the rows were"
    message = (
        f"wosdk: {what} read, but the result could not be written: {tmp_path / 'made'}: File too large\n"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (8, "", message)
    assert not (tmp_path / "made").exists()


def test_invisible_tags_are_shown_and_json_keeps_them() -> None:
    """They are beyond 16 bits, so JSON writes them as a pair of escapes."""
    from wosdk_async.cli.texts import json_text, visible

    assert visible("a\U000e0041") == "a\\U000e0041"
    assert json_text("a\U000e0041\x7f") == '"a\\udb40\\udc41\\u007f"'
