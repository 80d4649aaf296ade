"""A map is checked as a whole, before anything is sent."""

# ruff: noqa: E501 - a table of inputs and the messages about them

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.jobs.maps import CREATED, CUSTOMER, WORK_ORDER, built, load
from tests.support.laws import each_of
from wosdk_async import WoCreateCommand
from wosdk_async.jobs import ImportMap, ImportMapError

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "sf311.toml"


def test_an_endless_file_is_no_map() -> None:
    with pytest.raises(ImportMapError, match=r"more than 1,048,576 bytes"):
        ImportMap.load(Path("/dev/zero"))


def test_the_example_is_a_map() -> None:
    example = ImportMap.load(EXAMPLE)
    assert {"agency_name", "complaint_type", "incident_address", "neighborhood"} < example.columns.keys()
    assert {"descriptor", "status_notes", "unique_key"} < example.columns.keys()


def test_references_come_after_those_they_need(tmp_path: Path) -> None:
    order = [spec.name for spec in load(tmp_path, WORK_ORDER + CREATED).references]
    assert order.index("zone") < order.index("customer")


def test_references_are_in_the_order_of_the_map(tmp_path: Path) -> None:
    """Not in that of a set, which is another one in every process."""
    needed = {"priority": "WoPriority", "employee": "Employee", "specialty": "Specialty", "flag": "Customer"}
    needed |= {"main_asset": "Location", "work_zone": "WorkZone", "sub_type": "WorkOrderType"}
    where = ", ".join(f'{name} = "@{name}"' for name in needed)
    text = f'{WORK_ORDER}[reference.customer]\nentity = "WorkOrder"\nwhere = {{ {where} }}\n'
    text += "".join(f'[reference.{name}]\nentity = "{entity}"\n' for name, entity in needed.items())
    order = [spec.name for spec in load(tmp_path, text).references]
    assert [name for name in order if name in needed] == list(needed)


def test_fields_may_be_spelled_as_the_service_does(tmp_path: Path) -> None:
    text = (WORK_ORDER + CUSTOMER).replace("po_number", "PoNumber").replace('"display_as"', '"DisplayAs"')
    assert load(tmp_path, text).columns == load(tmp_path, WORK_ORDER + CUSTOMER).columns


BASE = WORK_ORDER + CUSTOMER


@each_of(
    ("old", "new", "message"),
    [
        ("po_number =", "po_numbr =", "command.work_order.po_numbr: WorkOrder has no field 'po_numbr'; did you mean 'po_number'?"),
        ("po_number =", "zzz =", "WorkOrder has no field 'zzz'; its fields are"),
        ("[command.work_order]", "[command.work_ordr]", "WoCreateCommand has no field 'work_ordr'; did you mean 'work_order'?"),
        ('asset = "@asset"', 'asset = "@asset"\nassett = "x"', "command.work_order.items[0].assett"),
        ("[command]", "[commands]\n[command]", "the map has an unknown key 'commands'; did you mean 'command'?"),
        ("[command]", "[fields]\n[command]", "the map has an unknown key 'fields'; write fields in [command], or, for an operation on an entity, in [entity]. Its keys"),
        ('comment = "{notes}"', 'comment = "{notes"', "command.comment: the brace at character 1"),
        ('comment = "{notes}"', 'comment = "{}"', "{} stands for the looked-up name"),
        ('comment = "{notes}"', 'comment = "{notes}\n', "not valid TOML: Illegal character '\\n' (at line 3,"),
        ('comment = "{notes}"', "comment = 5", "command.comment takes a string, not 5"),
        ('comment = "{notes}"', 'comment = { txt = "x" }', "command.comment has an unknown key 'txt'; did you mean 'text'? Its keys are text, truncate"),
        ('comment = "{notes}"', "comment = { truncate = true }", "command.comment.text is missing; add text ="),
        ('comment = "{notes}"', 'comment = { text = "{notes}", truncate = 1 }', "command.comment.truncate takes true or false"),
        ('comment = "{notes}"', 'compute_schedule = "perhaps"', "command.compute_schedule takes true or false, not 'perhaps'"),
        ('po_number = "{key}"', 'priority = { text = "{notes}", values = { a = 1 } }', "work_order.priority is a record, which has no text options; set them for its id: priority.id = { text = \"{notes}\", ... }"),
        ('po_number = "{key}"', 'vendor_nte = { text = "{notes}", decimal = "," }', "work_order.vendor_nte is an amount, which has no text options; set them for its value: vendor_nte.value = { text"),
        ('comment = "{notes}"', "compute_schedule = 1", "command.compute_schedule takes true or false, not 1"),
        ('comment = "{notes}"', "employee_id = true", "command.employee_id takes a whole number, not true"),
        ('comment = "{notes}"', "action_date = 5", "command.action_date takes a time, not 5"),
        ('comment = "{notes}"', f'action_date = {{ text = "{{notes}}", date = "{"%d" * 50_000}" }}', "command.action_date takes a format of at most 100 characters, not 100,000"),
        ('comment = "{notes}"', 'action_date = "soon"', "command.action_date takes a time such as"),
        ('comment = "{notes}"', f'comment = "{"x" * 3073}"', "command.comment has 3073 characters, but the limit is 3072"),
        ('"Request"\nsub', '"Reqest"\nsub', "command.work_order.type_category has no value 'Reqest'; did you mean 'Request'?"),
        ('po_number = "{key}"', 'po_number = { text = "{key}", truncate = true }', "PoNumber has no known maximum length"),
        ('"@customer"', '"customer"', 'command.work_order.customer takes a name such as "@customer", or a table'),
        ('"@customer"', '"@custmer"', 'command names "@custmer", but there is no [reference.custmer]; did you mean \'customer\'?'),
        ('"@customer"', "5", "command.work_order.customer takes a name such as"),
        ('"@customer"', "259", "not 259; if 259 is a record id, write customer = { id = 259 }"),
        ('"@customer"', '"{customer}"', 'if "{customer}" is a record id, write customer = { id = "{customer}" }'),
        ("[[command.work_order.items]]", "[command.work_order.items]", "command.work_order.items is a list; start each element with [[command.work_order.items]]"),
        ('"Customer"', '"Custmer"', "reference.customer.entity: the service has no entity 'Custmer'; did you mean 'Customer'?"),
        ('entity = "Customer"', "entity = 5", "reference.customer.entity takes a string, not 5"),
        ('entity = "Customer"', "", 'reference.customer.entity is missing; add'),
        ('from = "{customer}"', 'from = ["{customer}"]', "reference.customer.from takes a string"),
        ('from = "{customer}"', 'from = "{customer}"\nwhere = 5', "reference.customer.where takes a table, not 5"),
        ('"Customer"', '"Money"', "reference.customer.entity: the service has no entity 'Money'"),
        ('"display_as"', '"displayed"', "reference.customer.by: Customer has no field 'displayed'"),
        ('"display_as"', '"work_zone"', "reference.customer.by: work_zone is not a string field"),
        ('from = "{customer}"', "", "reference.customer needs both 'by'"),
        ('from = "{customer}"', 'frm = "{customer}"', "reference.customer has an unknown key 'frm'; did you mean 'from'?"),
        ('from = "{customer}"', 'from = "{}"', "reference.customer.from: {} is the looked-up name"),
        ('from = "{customer}"', 'from = "{customer}"\nif_missing = "make"', 'reference.customer.if_missing takes "fail" or "create", not \'make\''),
        ('from = "{customer}"', 'from = "{customer}"\nambiguous = "last"', 'reference.customer.ambiguous takes "fail" or "first", not \'last\''),
        ('entity = "Location"', 'entity = "Location"\nambiguous = "first"', "reference.asset always takes the first record, because it has no 'by'; remove 'ambiguous'"),
        ('from = "{customer}"', 'from = "{customer}"\ncreate = {}', "reference.customer never uses 'create'; set if_missing"),
        ('from = "{customer}"', 'from = "{customer}"\nif_missing = "create"\ncreate = { display_as = "x" }', "is always set to the looked-up name"),
        ('from = "{customer}"', 'from = "{customer}"\nif_missing = "create"\ncreate = { nam = "x" }', "reference.customer.create.nam: Customer has no field 'nam'; did you mean 'name'?"),
        ('from = "{customer}"', 'from = "{customer}"\nif_missing = "create"\ncreate = { work_zone = "@zone" }', 'reference.customer names "@zone"'),
        ('from = "{customer}"', 'from = "{customer}"\nwhere = { name = "{text}" }', "reference.customer.where.name takes a fixed value"),
        ('from = "{customer}"', 'from = "{customer}"\nwhere = { work_zone = "@customer" }', "must be the same existing record"),
        ('entity = "Location"', 'entity = "Location"\nif_missing = "create"', "reference.asset can only create records that have a name; add 'by' and 'from'"),
        ("[reference.kind]", '[reference.spare]\nentity = "Task"\n[reference.kind]', "reference.spare is unused"),
        ("[reference.kind]", "[reference]\nspare = 5\n[reference.kind]", "reference.spare takes a table"),
    ],
)  # fmt: skip
def test_a_wrong_map_is_reported_with_its_key_and_the_remedy(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in BASE
    with pytest.raises(ImportMapError) as caught:
        load(tmp_path, BASE.replace(old, new, 1))
    assert caught.value.message.startswith(f"{tmp_path / 'm.toml'}: ")
    assert message in caught.value.message


def test_all_mistakes_of_a_map_are_named_at_once(tmp_path: Path) -> None:
    """Those of its fields and references; a fixed word gets no advice about the words of a file."""
    text = WORK_ORDER.replace('"Request"\nsub', '"Reqest"\nis_waranty = true\nsub') + CUSTOMER.replace(
        "display_as", "displ_as"
    )
    with pytest.raises(ImportMapError) as raised:
        load(tmp_path, text)
    for part in ("did you mean 'Request'?", "no field 'is_waranty'", "no field 'displ_as'"):
        assert part in raised.value.message
    assert "values = " not in raised.value.message
    assert "?;" not in raised.value.message


def test_of_thousands_of_mistakes_the_first_are_named(tmp_path: Path) -> None:
    """Looking for a similar name for each takes a minute."""
    wrong = "".join(f"unknown{at} = 1\n" for at in range(2000))
    with pytest.raises(ImportMapError) as raised:
        load(tmp_path, BASE.replace("[command]\n", f"[command]\n{wrong}", 1))
    assert raised.value.message.count("has no field") == 20
    assert "unknown19" in raised.value.message


def test_references_that_need_each_other_are_reported(tmp_path: Path) -> None:
    circle = CREATED.replace('entity = "WorkZone"', 'entity = "WorkZone"\nby = "display_as"\nfrom = "x"')
    circle = circle.replace(
        "where = { is_offline = false }", 'if_missing = "create"\ncreate = { asset = "@place" }'
    )
    circle += """
        [reference.place]
        entity = "Location"
        by = "name"
        from = "y"
        if_missing = "create"
        create = { parent_id = "@customer" }
        """
    with pytest.raises(ImportMapError, match=r"references form a cycle: .*zone needs"):
        load(tmp_path, WORK_ORDER + circle)


@each_of(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "command is missing; add a table [command]"),
        (b"# caf\xe9\n", "the byte at offset 5 is not UTF-8"),
        (b"command = 5", "command takes a table of WoCreateCommand fields, not 5"),
        (b"reference = 5\n[command]\n", "reference takes a table, not 5"),
    ],
)
def test_what_is_not_a_map_is_reported(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "m.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ImportMapError) as caught:
        ImportMap.load(path)
    assert message in caught.value.message


def test_values_of_toml_are_values_of_their_field(tmp_path: Path) -> None:
    """Numbers, true and false, times with and without a zone, names of enums."""
    text = """
        [command]
        action_date = 2026-03-01T08:00:00
        compute_schedule = false
        employee_id = 7
        [command.work_order]
        due_date_utc = 2026-03-01T08:00:00+02:00
        type_category = "Request"
        vendor_nte = { value = VALUE }
        """
    for value in ("12.5", "3"):
        made = built(load(tmp_path, text.replace("VALUE", value)), {})
        assert isinstance(made, WoCreateCommand)
        order = made.work_order
        assert made.action_date == datetime(2026, 3, 1, 8)
        assert (made.compute_schedule, made.employee_id) == (False, 7)
        assert order.due_date_utc == datetime(2026, 3, 1, 6, tzinfo=UTC)
        assert order.type_category == "Request"
        assert repr(order.vendor_nte.value) == f"Decimal('{value}')"
