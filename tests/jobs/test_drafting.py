"""Drafts of maps: every draft can be loaded, and an import says what is left to fill in."""

from __future__ import annotations

import contextlib
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, load, rows
from tests.support.laws import each_of, examples
from wosdk_async.jobs import CsvFile, Import, ImportMapError
from wosdk_async.jobs.mapping.draft_columns import SYNONYMS, KeyColumns, key_columns
from wosdk_async.jobs.mapping.drafting import ADAPT, draft_fields, draft_map
from wosdk_async.jobs.mapping.marking import RowKeys
from wosdk_async.jobs.mapping.record_operations import operation_named
from wosdk_async.model import entity_class, index

COLUMNS = ("Name", "Tenant Code", "work zone", "Comment", "asset", "PO Number", "Remarks")


def every_operation() -> list[str]:
    names = []
    for command in sorted(set(index.COMMANDS.values()) & set(index.COMMANDS)):
        with contextlib.suppress(ImportMapError):  # contains other commands
            names.append(operation_named(command).name)
    for entity in sorted(set(index.ENTITIES.values())):
        kind = entity_class(entity)
        if kind is None or "id" not in kind.__wire__:
            continue
        for verb in ("create", "update", "delete"):
            with contextlib.suppress(ImportMapError):  # not supported, or nothing that has an id of its own
                names.append(operation_named(f"{verb} {kind.wire_name}").name)
    return names


def test_a_draft_of_every_operation_is_a_map(tmp_path: Path) -> None:
    names = every_operation()
    assert len(names) > 200
    unusable = {}
    for name in names:
        text = draft_map(COLUMNS, operation_named(name), "f.csv")
        try:
            assert load(tmp_path, text).operation == name
        except ImportMapError as error:
            unusable[name] = error.message
    assert unusable == {}


def test_columns_with_similar_names_are_proposed(tmp_path: Path) -> None:
    text = draft_map(COLUMNS, operation_named("create Customer"), "f.csv")
    tables = tomllib.loads(text)
    assert tables["entity"] == {
        "display_as": ADAPT,
        "name": "{Name}",
        "work_zone": "@work_zone",
        "tenant_code": "{Tenant Code}",
    }
    assert tables["reference"] == {
        "work_zone": {"entity": "WorkZone", "by": "display_as", "from": "{work zone}", "if_missing": "fail"}
    }
    assert "# Unmatched columns: Comment, asset, PO Number, Remarks" in text
    assert 'name = "{Name}"  # a string of at most 64 characters' in text


def test_work_orders_have_their_items_and_references(tmp_path: Path) -> None:
    found = load(tmp_path, draft_map(COLUMNS, operation_named("WoCreateCommand"), "f.csv"))
    assert {spec.name: spec.entity.__name__ for spec in found.references} == {
        "sub_type": "WorkOrderType",
        "customer": "Customer",
        "asset": "Location",
        "task": "Task",
        "work_zone": "WorkZone",
    }
    assert "PO Number" in found.columns


@pytest.mark.parametrize(
    ("dates", "amounts", "date", "amount"),
    [
        (
            ("3.11.2026", "04.11.2026"),
            ("12,5", "1.234"),
            'date = "%d.%m.%Y"',
            'decimal = ",", thousands = "."',
        ),
        (("03.11.2026", ""), ("596,80", "-7", ""), 'date = "%d.%m.%Y"', 'decimal = ","'),
        (("03.11.2026", "2026-11-04"), ("1,234", "5,678"), "", ""),
        (("03.11.26", "04.11.26"), ("12,50", "12.50"), "", ""),
    ],
)
def test_german_dates_and_numbers_get_their_format(
    tmp_path: Path, dates: list[str], amounts: list[str], date: str, amount: str
) -> None:
    path = tmp_path / "f.csv"
    lines = [f"{day};{amounts[place]}" for place, day in enumerate(dates)] + [f";{amounts[-1]}"]
    path.write_text("\n".join(["Due Date;Vendor NTE", *lines]), encoding="utf-8")
    source = CsvFile(path, delimiter=";")
    text = draft_map(source.columns, operation_named("WoCreateCommand"), "f.csv", key_columns(source))
    fields = tomllib.loads(text)["command"]["work_order"]
    expected = tomllib.loads(f'x = {{ text = "{{Due Date}}", {date} }}')["x"] if date else "{Due Date}"
    assert expected in fields.values()
    expected = (
        tomllib.loads(f'x = {{ text = "{{Vendor NTE}}", {amount} }}')["x"] if amount else "{Vendor NTE}"
    )
    assert fields["vendor_nte"]["value"] == expected
    load(tmp_path, text)


def test_an_update_has_its_key_and_nothing_required(tmp_path: Path) -> None:
    operation = operation_named("update Customer by TenantCode")
    found = load(tmp_path, draft_map(["Code", "Name"], operation, "f.csv"))
    assert sorted(found.record.fields) == ["name", "tenant_code"]
    assert sorted(found.columns) == ["Code", "Name"]


@pytest.mark.parametrize("columns", [["Tenant Code", "Name"], ["Code"]])
def test_nothing_of_an_update_is_said_to_be_required(columns: list[str]) -> None:
    text = draft_map(columns, operation_named("update Customer by TenantCode"), "f.csv")
    assert "tenant_code = " in text
    assert "# identifies the record; a string" in text
    assert "required" not in text.split("# Further fields")[0]


def draft_of(tmp_path: Path, operation: str, text: str) -> str:
    file = tmp_path / "f.csv"
    file.write_text(text, encoding="utf-8")
    source = CsvFile(file)
    return draft_map(source.columns, operation_named(operation), "f.csv", key_columns(source))


def test_a_header_with_a_line_break_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('"PO\nNumber"\n1\n')
    draft = draft_map(CsvFile(tmp_path / "f.csv").columns, operation_named("WoCreateCommand"), "f.csv")
    assert "cannot name" not in draft
    assert "PO\nNumber" in load(tmp_path, draft).columns


def test_a_column_that_is_unique_is_the_marker(tmp_path: Path) -> None:
    """By its cells: short, without blanks, each once; coordinates and times are no keys."""
    text = draft_of(
        tmp_path,
        "WoCreateCommand",
        "opened,latitude,shop,Auftrag,line\n"
        "2026-01-01 08:00,1.5,Pier,A-1,1\n2026-01-02 08:00,2.5,Pier,A-2,2\n",
    )
    tables = tomllib.loads(text)
    assert tables["marker"] == "work_order.po_number"
    assert tables["command"]["work_order"]["po_number"] == "{Auftrag}"
    assert "All cells in Auftrag are unique. Other unique columns: line." in " ".join(text.split("\n# "))
    assert RowKeys.of(load(tmp_path, text), tables["marker"], "job").node is not None
    named = draft_of(tmp_path, "WoCreateCommand", "key,PO Number\n1,P\n2,P\n")
    assert tomllib.loads(named)["command"]["work_order"]["po_number"] == "{PO Number}"
    assert "marker" not in tomllib.loads(named), "the column of that name is not unique"
    assert "Unique columns: key." in " ".join(named.split("\n# "))
    customers = draft_of(tmp_path, "create Customer", "Name,Tenant Code\nA B,1\nC D,2\n")
    assert tomllib.loads(customers)["marker"] == "tenant_code"
    for rows_of_file in ("key\n1\n", "key\n1\n1\n", "key\n1\n\n" + "x" * 41 + "\n"):
        assert "marker" not in tomllib.loads(draft_of(tmp_path, "WoCreateCommand", rows_of_file))


@each_of(
    ("operation", "name", "cells", "why"),
    [
        ("WoCreateCommand", "order", "1 2 3 4 5 6 7 8 3", "line 10 repeats '3' from line 4."),
        ("WoCreateCommand", "Code", "1 2 - 4 5", "line 4 has an empty cell."),
        ("create Customer", "Code", "1 2 - 4 5", "line 4 has an empty cell."),
        ("WoCreateCommand", "Ticket No", "1 - 1", "line 3 has an empty cell, line 4 repeats '1' from"),
        ("WoCreateCommand", "Ticket No", "T-1 T-1", "line 3 repeats 'T-1' from line 2."),
        ("WoCreateCommand", "Ticket No", "- - - -", "line 4 has an empty cell, and others."),
        ("WoCreateCommand", "Ticket No", "T-1 see_mail", "line 3 has 'see mail'."),
    ],
)  # fmt: skip
def test_a_column_that_could_be_the_marker_says_why_it_is_none(
    tmp_path: Path, operation: str, name: str, cells: str, why: str
) -> None:
    """By most of its cells, or by its name."""
    lines = [f"same,{cell.strip('-').replace('_', ' ')}\n" for cell in cells.split()]
    text = draft_of(tmp_path, operation, "".join([f"Kind,{name}\n", *lines]))
    assert "marker" not in tomllib.loads(text)
    words = " ".join(text.split("\n# "))
    assert f"{name} could be the key, but " in words
    assert why in words
    assert "Kind could" not in words


@each_of(
    ("cells", "proposed"),
    [
        ("Pier 4,May", {}),
        ("12,2026", {"duration"}),
        (",", {"dt_on_site_by", "duration"}),
        ("2026-03-01 08:00,45", {"dt_on_site_by", "duration"}),
        ("1. März 2026,45 min", {"dt_on_site_by", "duration"}),
        ("3/1/26,1.5 h", {"dt_on_site_by", "duration"}),
        ("Mar 1, 2026,x", {"dt_on_site_by"}),
        ("20260301,x", {"dt_on_site_by"}),
    ],
)
def test_a_column_of_texts_is_proposed_for_no_time_or_number(
    tmp_path: Path, cells: str, proposed: set[str]
) -> None:
    """Asset has the column of its own name, so that Site is left for the field with a similar one."""
    first, _, second = cells.rpartition(",")
    text = draft_of(tmp_path, "WoCreateCommand", f'Asset,Site,Duration\nPump,"{first}",{second}\n')
    order = tomllib.loads(text)["command"]["work_order"]
    known = {"dt_on_site_by": "{Site}", "duration": "{Duration}"}
    assert {name for name in known if order.get(name) == known[name]} == set(proposed)


@each_of(
    ("column", "field"),
    [
        ("Customer.Name", "name"),
        ("customer.tenant_code", "tenant_code"),
        ("Customer.DisplayAs", "display_as"),
        ("Customer", "display_as"),
        ("Customer Name", "display_as"),
        ("Customer.Id", "display_as"),
    ],
)
def test_a_column_of_an_export_names_the_field_of_its_reference(
    tmp_path: Path, column: str, field: str
) -> None:
    text = draft_map([column], operation_named("WoCreateCommand"), "f.csv")
    reference = tomllib.loads(text)["reference"]["customer"]
    assert (reference["by"], reference["from"]) == (field, f"{{{column}}}")
    assert load(tmp_path, text)


def test_the_text_of_a_reference_is_nearer_to_it_than_its_id() -> None:
    columns = ["Id", "Name", "WorkZone.Id", "WorkZone.DisplayAs"]
    tables = tomllib.loads(draft_map(columns, operation_named("create Customer"), "f.csv"))
    assert tables["entity"] == {"display_as": ADAPT, "name": "{Name}", "work_zone": "@work_zone"}
    reference = tables["reference"]["work_zone"]
    assert (reference["by"], reference["from"]) == ("display_as", "{WorkZone.DisplayAs}")


def test_a_request_has_a_customer_in_the_draft(tmp_path: Path) -> None:
    text = draft_of(tmp_path, "WoCreateCommand", "a,customer_name\n1,Pier\n2,Pier\n")
    tables = tomllib.loads(text)
    assert tables["command"]["work_order"]["customer"] == "@customer"
    assert tables["reference"]["customer"]["from"] == "{customer_name}"
    assert "one of Unknown, Basic, PMRM, Turn, Request; a Request needs a customer" in text
    assert (
        tomllib.loads(draft_of(tmp_path, "WoCreateCommand", "a\n1\n"))["reference"]["customer"]["from"]
        == ADAPT
    )


@each_of(
    ("column", "place"),
    [
        ("Due Date", 'dt_due = "{Due Date}"'),
        ("location", 'from = "{location}"'),
        ("WorkZoneName", 'from = "{WorkZoneName}"'),
        ("code of repair", 'from = "{code of repair}"'),
    ],
)
def test_names_are_similar_by_their_words(column: str, place: str) -> None:
    assert place in draft_map([column], operation_named("WoCreateCommand"), "f.csv")


def test_words_that_people_use_name_their_fields() -> None:
    """Each word alone, with capitals and diacritics; none is that of two fields of one operation."""
    for field, words in SYNONYMS.items():
        table, _, name = field.partition(".")
        operations = ["WoCreateCommand"]
        if table == "entity":
            operations = [f"create {entity}" for entity in ("Customer", "Location", "Contact")]
        for word in words:
            drafts = [
                draft_fields([word.title()], operation_named(each), KeyColumns()) for each in operations
            ]
            found = {
                (each.table.strip("[]").rpartition(".")[2], each.name)
                for each in chain(*drafts)
                if each.column
            }
            assert found == {(table, name)}, word


@each_of(
    ("column", "name"),
    [("Fällig am", "dt_due"), ("Störung", "task"), ("Ubicación", "asset"), ("Priorité", "priority")],
)
def test_words_are_known_with_their_diacritics(column: str, name: str) -> None:
    found = draft_fields([column], operation_named("WoCreateCommand"), KeyColumns())
    assert [each.name for each in found if each.column] == [name]


def test_only_what_was_seen_required_is_marked_so(tmp_path: Path) -> None:
    """Of records the marks of the catalogue were not seen enforced; names and references are asked for."""
    text = draft_map(["Name"], operation_named("create Customer"), "f.csv")
    assert "required" not in text
    assert {"name", "display_as", "work_zone"} == set(tomllib.loads(text)["entity"])


@examples(50)
@given(columns=st.lists(st.text(max_size=12), unique=True, max_size=8))
def test_any_header(tmp_path_factory: pytest.TempPathFactory, columns: list[str]) -> None:
    """Names that a map cannot write are left out; the others are taken as they are."""
    text = draft_map([*columns, "name"], operation_named("create Customer"), "f.csv")
    found = load(tmp_path_factory.mktemp("map"), text)
    assert found.columns.keys() - {"ADAPT"} <= {*columns, "name"}


def test_amounts_are_fields_and_what_the_service_computes_is_not(tmp_path: Path) -> None:
    columns = ["vendor nte", "status id", "time zone", "work order cost"]
    text = draft_map(columns, operation_named("WoCreateCommand"), "f.csv")
    assert 'vendor_nte.value = "{vendor nte}"  # a number' in text
    assert [each for each in load(tmp_path, text).columns if each in columns] == ["vendor nte"]
    further = draft_map([], operation_named("WoCreateCommand"), "f.csv").partition("# Further fields")[2]
    named = {each.strip(" ,#\n").rpartition(".")[2] for each in further.split()}
    assert {"po_number", "value"} < named
    assert not named & {"number", "status_id", "time_zone", "work_order_cost", "dt_created", "short_location"}


async def test_a_cancellation_finds_its_reason_by_name(local: Local) -> None:
    await local.run(rows(1), MAP)
    (order,) = await local.rows("WorkOrder")
    reasons = await local.rows("WoActionReasonLookup", "DisplayAs", "ActionId")
    name = next(each["DisplayAs"] for each in reasons if each["ActionId"] == "Cancel")
    columns = ["work order id", "reason"]
    text = draft_map(columns, operation_named("WoCancelCommand"), "f.csv")
    assert ADAPT not in text.partition("operation")[2]
    source = local.write([[str(order["Id"]), name], [str(order["Id"]), "Nothing"]], columns)
    summary = await local.run(source, text)
    assert (summary.done, summary.failed) == (1, 1)


async def test_a_draft_that_is_filled_in_imports(local: Local, tmp_path: Path) -> None:
    source = tmp_path / "f.csv"
    source.write_text("name,tenant_code,work zone\nShop,T1,NAME\n")
    (zone, *_) = await local.rows("WorkZone", "DisplayAs")
    source.write_text(source.read_text().replace("NAME", zone["DisplayAs"]))
    text = draft_map(["name", "tenant_code", "work zone"], operation_named("create Customer"), "f.csv")
    with pytest.raises(ImportMapError, match=r"in entity\.display_as of .* with a \{column\}"):
        Import(CsvFile(source), load(tmp_path, text))
    unnamed = text.replace("{work zone}", ADAPT)
    with pytest.raises(ImportMapError, match=r"For a fixed record, write \{ id = 12 \} instead of \"@name\""):
        Import(CsvFile(source), load(tmp_path, unnamed))
    text = text.replace(ADAPT, "{name}")
    summary = await Import(CsvFile(source), load(tmp_path, text), company=local.company)
    assert (summary.done, summary.complete) == (1, True)
