"""Identity of a row: what makes it the same row in another file, and what spreadsheets do to keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async.jobs.ledger.identity import Identities, RowIdentity, undisguised
from wosdk_async.jobs.mapping.template import Template
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.rows import Row

NAMES = ("a", "b", "c", "_job", "_more")
CELLS = st.dictionaries(st.sampled_from(NAMES), st.text(max_size=5), max_size=len(NAMES))


def identity(
    cells: Mapping[str, str], columns: Sequence[str] | None = None, key: str | None = None
) -> RowIdentity:
    names = tuple(cells) if columns is None else columns
    template = Template.parse(key) if key is not None else None
    return Identities(names, None, template).of(Row(1, 2, dict(cells)))


def content(cells: Mapping[str, str]) -> dict[str, str]:
    """What counts of a row."""
    return {
        name: cell.replace("\r\n", "\n").replace("\r", "\n")
        for name, cell in cells.items()
        if cell.strip() and not name.startswith("_")
    }


@given(cells=CELLS, order=st.permutations(NAMES))
def test_the_order_of_columns_says_nothing(cells: dict[str, str], order: Sequence[str]) -> None:
    sorted_cells = {name: cells[name] for name in order if name in cells}
    assert identity(cells).identity == identity(sorted_cells, order).identity
    assert identity(cells).digest == identity(sorted_cells, order).digest


@given(first=CELLS, second=CELLS)
def test_two_rows_are_one_when_the_cells_that_count_are_equal(
    first: dict[str, str], second: dict[str, str]
) -> None:
    """Blank cells and columns whose names begin with ``_`` do not count, whether they are there or not."""
    same = content(first) == content(second)
    found = identity(first), identity(second)
    assert (found[0].identity == found[1].identity) == same
    assert (found[0].digest == found[1].digest) == same


def test_a_row_that_does_not_fit_the_header_is_its_cells(tmp_path: Path) -> None:
    """It never equals a row that fits, not even one whose other cells are blank or nameless."""
    found: list[list[bytes]] = []
    for header in (b"a,b", b"a,b,"):
        (path := tmp_path / "f.csv").write_bytes(header + b"\n1\n1,2\n1,2,\n1,2,3\n1,2,,\n")
        source = CsvFile(path)
        identities = Identities(source.columns, None)
        found.append([identities.of(row).identity for row in source])
    two, three = found
    assert (two[1], len({*two}), two[0], two[4]) == (three[2], 5, three[0], three[4])
    assert (three[3], len({*three})) == (three[2], 4)


LINES = st.text("a\\rn\r\n", max_size=8)


@example(first="\r\n", second="\n")
@example(first="\\r\n", second="\\n")
@given(first=LINES, second=LINES)
def test_line_breaks_are_equal(first: str, second: str) -> None:
    """Text with ``\\r``, in letters, is no line break."""
    cells = [{"a": f"a{each}z"} for each in (first, second)]
    same = content(cells[0]) == content(cells[1])
    for key in (None, "{a}"):
        found = [identity(each, key=key) for each in cells]
        assert (found[0].digest == found[1].digest) == same
        assert (found[0].identity == found[1].identity) == same


@given(cells=CELLS)
def test_a_cell_belongs_to_its_column(cells: dict[str, str]) -> None:
    moved = {**cells, "a": cells.get("b", ""), "b": cells.get("a", "")}
    assert (identity(cells).identity == identity(moved).identity) == (content(cells) == content(moved))


def test_the_name_of_a_row_without_a_key_begins_as_the_row_does() -> None:
    assert identity({"b": "pump", "_more": "x", "c": " ", "a": "hall"}).name == "pump, hall"


@given(first=CELLS, second=CELLS)
def test_with_a_key_nothing_else_counts(first: dict[str, str], second: dict[str, str]) -> None:
    first, second = ({name: each.get(name, "") for name in NAMES} for each in (first, second))
    keys = [each["a"].strip() for each in (first, second)]
    found = [identity(each, key="{a}") for each in (first, second)]
    if all(keys):
        same = content({"a": keys[0]}) == content({"a": keys[1]})
        assert (found[0].identity == found[1].identity) == same
        assert [each.name for each in found] == keys
        assert [each.cells for each in found] == [identity(each).identity for each in (first, second)]
    for each, key, cells in zip(found, keys, (first, second), strict=True):
        assert each.digest == identity(cells).digest
        if not key:
            assert (each.identity, each.cells) == (identity(cells).identity, None)


def test_a_key_is_never_taken_for_cells() -> None:
    assert identity({"a": "x"}, key="{a}").identity != identity({"a": "x"}).identity


def test_columns_with_content_are_noted() -> None:
    identities = Identities(NAMES, None)
    identities.of(Row(1, 2, {"a": "1", "b": " ", "c": "", "_job": "j"}))
    assert identities.filled == {"a"}
    identities.of(Row(2, 3, {"a": "", "b": "2", "c": "", "_job": ""}))
    assert identities.filled == {"a", "b"}


def test_of_an_update_a_change_counts_in_the_columns_that_the_map_reads() -> None:
    identities = Identities(("a", "b"), None, None, frozenset("a"))
    digests = [
        identities.of(Row(1, 2, {"a": a, "b": b})).digest for a, b in (("1", "x"), ("1", "y"), ("2", "x"))
    ]
    assert (digests[0] == digests[1], digests[0] == digests[2]) == (True, False)
    assert [identities.digest(Row(1, 2, {"a": "1", "b": "z"}))] == digests[:1]


# --- keys that were changed ---------------------------------------------------------------------------


@each_of(
    ("known", "seen"),
    [
        ("00501", "501"),  # the issue's own: Excel made 501 of 00501
        ("00501", "501.0"),
        ("5010000000000", "5.01E+12"),
        ("501", "5.01E+02"),
        ("C-5010000000000", "C-5.01E+12"),
        ("K-007", "k-7"),
        (" K7", "K7 "),
        ("K 7", "K7"),
        ("K\u00a07", "K 7"),
        ("caf\u00e9", "cafe\u0301"),
        ("\uff2b\uff17", "K7"),
        ("STRASSE", "stra\u00dfe"),
        ("A1.0", "a1"),
        ("'=K4", "=K4"),  # a guard that was taken off
        ("'-K3", "-K3"),
        ('="00501"', "501"),
    ],
)
def test_keys_that_a_spreadsheet_makes_of_others(known: str, seen: str) -> None:
    assert undisguised(known) == undisguised(seen)


@each_of(
    ("known", "other"),
    [
        ("501", "502"),
        ("00501", "5010"),
        ("K7", "K70"),
        ("1.5", "15"),
        ("-5", "5"),
        ("A-1", "A1"),
        ("10", "1"),
    ],
)
def test_other_keys_stay_others(known: str, other: str) -> None:
    assert undisguised(known) != undisguised(other)


@given(number=st.integers(0, 10**15), zeros=st.integers(0, 5))
def test_numbers_have_many_forms(number: int, zeros: int) -> None:
    forms = {"0" * zeros + str(number), f"{number}.0", f" {number} ", f"{number:.15E}", f"{number:.15e}"}
    assert len({undisguised(form) for form in forms}) == 1
    assert undisguised(str(number)) != undisguised(str(number + 1))


@example("0.0.")
@example(".1.0")
@example("K\u00b8")  # the cedilla joins the letter once its space is gone
@given(text=st.text("01.eE+- kK", max_size=12))
def test_any_text_has_one_plain_form(text: str) -> None:
    plain = undisguised(text)
    assert undisguised(plain) == plain
    assert undisguised(f" {text}\t") == plain


def test_keys_of_many_digits_differ_in_the_last_one() -> None:
    assert undisguised("1" * 31 + "2") != undisguised("1" * 31 + "3")
    assert undisguised("1_2") != undisguised("12")
