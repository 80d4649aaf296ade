"""Tables, JSON and what the service's texts may do to a terminal: nothing."""

from __future__ import annotations

import io
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
    many = {"Id": 1} | {f"Field{i}": i + 1 for i in range(1_199)}
    scripted.handler = lambda _: Answer(body=codec.dumps({"Entities": [{"Data": many}, {"Data": {"Id": 2}}]}))
    result = wosdk("query", "WorkOrder", "--limit", "1")
    header, row = result.stdout.splitlines()
    shown = len(header.split())
    assert len(row.split()) == shown <= 1000
    assert result.stderr.startswith(
        f"wosdk: {1_200 - shown} more columns do not fit; select columns with -p, or show all with --json\n"
    )
    scripted.handler = lambda _: Answer(body=codec.dumps({"Data": many}))
    result = wosdk("get", "WorkOrder", "1")
    assert len(result.stdout.splitlines()) == 1000
    assert result.stderr == "wosdk: 200 more values omitted; --json shows all\n"
    result = wosdk("get", "WorkOrder", "1", "--csv")
    assert result.stdout.count(",") == 2 * 1_199


@pytest.mark.parametrize("form", [(), ("--csv",), ("--json",)])
@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("get", "Customer", "7"), "the record was read"),
        (("query", "Customer"), "the rows were read"),
        (("run", "WoStartCommand", "WorkOrderId=7"), "WoStartCommand was carried out (RequestId "),
    ],
)
def test_what_cannot_be_written_was_read_or_done(
    wosdk: Wosdk,
    scripted: Service,
    tmp_path: Path,
    command: tuple[str, ...],
    what: str,
    form: tuple[str, ...],
) -> None:
    """On a full disk: a status of its own, a line that says so and names the file, and no file stays."""
    row = {"Data": {"Id": 7, "Name": "x" * 20_000}}
    scripted.handler = lambda _: Answer(body={"Entities": [row], **row, "CommandResult": row["Data"]})
    with full_disk():
        result = wosdk(*command, *form, "-o", tmp_path / "made")
    assert (result.exit_code, result.stdout) == (8, "")
    *_, said = result.stderr.splitlines()
    assert said.startswith(f"wosdk: {what}")
    assert said.endswith(f", but the result could not be written: {tmp_path / 'made'}: File too large")
    assert not (tmp_path / "made").exists()


def test_invisible_tags_are_shown_and_json_keeps_them() -> None:
    """They are beyond 16 bits, so JSON writes them as a pair of escapes."""
    assert visible("a\U000e0041") == "a\\U000e0041"
    assert json_text("a\U000e0041\x7f") == '"a\\udb40\\udc41\\u007f"'
