"""JSON lines: texts and numbers as they are written."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async.jobs import ImportMapError, open_source


def written(folder: Path, text: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def cells(folder: Path, text: str) -> list[Any]:
    return [dict(row.cells) for row in open_source(written(folder, text))]


def test_values_are_given_as_they_are_written(tmp_path: Path) -> None:
    line = (
        '{"zip": "00501", "none": "NA", "money": 0.10, "long": 12345678901234567890, "exp": 1E5, '
        '"yes": true, "no": false, "null": null, "word": "null", "zero": 0, "text": " \\u00e9\\n"}'
    )
    assert cells(tmp_path, line) == [
        {
            "zip": "00501",
            "none": "NA",
            "money": "0.10",
            "long": "12345678901234567890",
            "exp": "1E5",
            "yes": "true",
            "no": "false",
            "null": "",
            "word": "null",
            "zero": "0",
            "text": " é\n",
        }
    ]


def test_objects_and_lists_are_columns_with_dots(tmp_path: Path) -> None:
    lines = '{"a": {"b": 1, "c": {"d": "x"}}, "t": ["p", {"q": 2}], "e": {}}\n{"a": {"b": 3}, "z": 1}\n'
    source = open_source(written(tmp_path, lines))
    assert source.columns == ("a.b", "a.c.d", "t.0", "t.1.q", "z")
    first, second = source
    assert first.cells == {"a.b": "1", "a.c.d": "x", "t.0": "p", "t.1.q": "2", "z": ""}
    assert second.cells == {"a.b": "3", "a.c.d": "", "t.0": "", "t.1.q": "", "z": "1"}
    assert second.original(source.columns) == ["3", "", "", "", "1"]
    assert source.dialect is None


def test_lines_without_content_are_skipped_and_counted(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, '\ufeff{"a": "1"}\r\n\r\n{"a": " ", "b": null}\r\n{}\r\n{"a": 2}'))
    for _ in range(2):
        assert [(row.number, row.line, row.cells["a"]) for row in source] == [(1, 1, "1"), (2, 5, "2")]
        assert source.empty_rows == 2


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"a": 1', "not valid JSON: Expecting ',' delimiter at character 8"),
        ("a;b", "not valid JSON: Expecting value at character 1"),
        ("[1]", "the JSON value is not an object"),
        ("5", "the JSON value is not an object"),
        ('{"a": 1, "a": 2}', "two fields are called 'a'; rename one of them"),
        ('{"a.b": 1, "a": {"b": 2}}', "two fields are called 'a.b'"),
        ('{"a": NaN}', "NaN is not valid JSON"),
        ('{"a": "\\ud83d"}', "a string contains an unpaired surrogate"),
        ('{"a":' * 200_000, "the JSON is nested too deeply"),
        ('{"a":' * 101 + "1" + "}" * 101, "the JSON is nested too deeply, with more than 100 levels"),
        ('{"a":' + "[" * 1_500 + "1" + "]" * 1_500 + "}", "the JSON is nested too deeply"),
        ('{"' + "a" * 1_001 + '": {"b": 1}}', "the name 'aaa"),
        ('{"a": [' + "1," * 16_384 + "1]}", "more than 16384 fields"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_row_with_a_fault(tmp_path: Path, line: str, fault: str) -> None:
    source = open_source(written(tmp_path, f'{{"a": 1}}\n{line}\n{{"a": 3}}\n'))
    first, bad, last = source
    assert (first.fault, last.fault, last.number, last.line) == (None, None, 3, 3)
    assert bad.fault.startswith(fault)
    assert bad.original(source.columns) == [line]
    assert bad.cells == {"a": ""}


def test_a_line_may_have_a_hundred_levels_and_long_names(tmp_path: Path) -> None:
    name = "n" * 700
    line = '{"' + name + '":' + '{"a":' * 98 + "[1]" + "}" * 99
    (row,) = open_source(written(tmp_path, line))
    assert row.cells == {".".join([name, *"a" * 98, "0"]): "1"}


def repeated_last(size: int) -> str:
    names = ", ".join(f'"name{number}": 1' for number in range(size))
    return f'{{{names}, "name{size - 1}": 2}}'


def nested_below_a_long_name(size: int) -> str:
    return '{"' + "n" * size + '": {' + ", ".join(f'"{number}": 1' for number in range(size)) + "}}"


@pytest.mark.parametrize("line", [repeated_last, nested_below_a_long_name])
def test_a_line_takes_time_in_proportion_to_its_length(tmp_path: Path, line: Callable[[int], str]) -> None:
    """Four times the length takes less than nine times as long; quadratic time would be sixteen."""

    def seconds(size: int) -> float:
        path = written(tmp_path, f'{{"a": 1}}\n{line(size)}\n')
        taken = []
        for _ in range(3):
            begun = time.process_time()
            _, bad = open_source(path)
            taken.append(time.process_time() - begun)
            assert bad.fault is not None
        return min(taken)

    assert seconds(12_000) < 9 * seconds(3_000) + 0.02


def test_a_line_of_too_many_elements_is_not_decoded(tmp_path: Path) -> None:
    """Decoded, each would take 60 times its length. Commas in texts do not count."""
    text = "," * 400_000 + '\\"'
    path = written(tmp_path, f'{{"a": 1}}\n{{"a": [{"0," * 400_000}0]}}\n{{"a": "{text}"}}\n')
    tracemalloc.start()
    try:
        _, bad, last = open_source(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bad.fault is not None
    assert last.cells == {"a": "," * 400_000 + '"'}
    assert peak < 20 * path.stat().st_size


@pytest.mark.parametrize("text", ['[\n{"a": 1}\n]\n', "a,b\n1,2\n", "", "\n\n"])
def test_a_file_that_does_not_begin_with_an_object_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(
        ImportMapError, match=r"line 1: .* Each line must be one JSON object; to convert a JSON list, run jq"
    ):
        open_source(written(tmp_path, text))


def test_a_file_with_names_made_of_data_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f'{{"{number}": 1}}\n' for number in range(20_000)))
    with pytest.raises(ImportMapError, match="line 16385: more than 16384 different fields"):
        _ = open_source(path).columns


def test_a_file_that_got_another_field_is_refused(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, '{"note": 1}\n'))
    assert source.columns == ("note",)
    written(tmp_path, '{"note": 1}\n{"notes": 1}\n')
    with pytest.raises(
        ImportMapError,
        match=r"line 2: the file changed during the import; the field 'notes' is new.*mean 'note'\?",
    ):
        list(source)


def test_json_of_many_lines_gets_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text("[]")
    with pytest.raises(ImportMapError, match=r"is JSON; convert it to JSON lines"):
        open_source(tmp_path / "f.json")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["00501", "NA", "null", "12345678901234567890", "0.10", "1e5", "True", ""]
)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), max_size=5), ascii_only=st.booleans())
def test_texts_are_given_exactly_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], ascii_only: bool
) -> None:
    lines = [json.dumps({"a": a, "b": b}, ensure_ascii=ascii_only) for a, b in [("a", "b"), *rows]]
    found = open_source(written(tmp_path_factory.mktemp("j"), "\n".join(lines)))
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    assert [(row.cells["a"], row.cells["b"]) for row in found] == [("a", "b"), *filled]


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-9, 9, places=3))
def test_numbers_keep_their_digits(tmp_path_factory: pytest.TempPathFactory, number: Any) -> None:
    (row,) = open_source(written(tmp_path_factory.mktemp("j"), f'{{"n": {number}}}'))
    assert row.cells["n"] == str(number)
