"""A look before an import says what would become of each row, and writes nothing."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import CREATED, CUSTOMER, MAP, MARKER, TWO_PLACES, WORK_ORDER, known_map, rows
from tests.jobs.runs import carried_out
from tests.support.laws import some
from tests.support.users import make_foreign
from wosdk_async import Customer, Ref, WorkZone
from wosdk_async.calls import marked_records
from wosdk_async.jobs import CsvFile, ImportMapError, ImportOptions
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.check import Check
from wosdk_async.jobs.imports.check_result import CheckResult, Finding
from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.ledger.request import company_identity
from wosdk_async.jobs.ledger.terms import Action, Plan, Refusal
from wosdk_async.text.remedies import Remedy


async def checked(
    local: Local,
    source: Path,
    text: str,
    *,
    sample: int | None = None,
    rate: float | None = None,
    on_row: Callable[[Finding], None] | None = None,
    **options: Any,
) -> CheckResult:
    """Check with a client whose hook keeps what would be sent, and see that nothing was written."""
    path = source.with_name("map.toml")
    path.write_text(text, encoding="utf-8")
    before = written(source.parent)
    company, dry = await local.dry()
    local.server.asked.clear()
    chosen = ImportOptions(**options)
    check = Check(CsvFile(source), known_map(path), dry, options=chosen, sample=sample, rate=rate)
    result = await check.run(company, identity=company_identity(company), on_row=on_row)
    assert local.server.changes == []
    assert written(source.parent) == before
    return result


def written(folder: Path) -> set[Path]:
    """Return all files below a folder, but those of the server's store."""
    return {each for each in folder.rglob("*") if not each.name.startswith("store.db")}


def kinds(result: CheckResult) -> dict[int, str]:
    return {each.row: each.kind for each in result.findings}


async def test_all_rows_of_a_good_file_would_be_sent(local: Local) -> None:
    result = await checked(local, local.write(rows(1, 2, 3, 4, 5)), MAP, rate=0.5)
    assert (result.complete, result.checked, dict(result.counts)) == (True, 5, {"would_send": 5})
    assert [each["row"] for each in result.requests] == [1, 2, 3]
    assert result.requests[1]["path"].endswith("cmd/WoCreateCommand")
    assert result.requests[1]["body"]["Command"]["WorkOrder"]["PoNumber"] == "2"
    assert result.filled == {"key": 5, "text": 5, "notes": 5, "customer": 0}
    assert result.used == {"key", "text", "notes"}
    assert result.calls == 5 + 4
    assert result.seconds == 18.0, "two seconds for each call"


async def test_bad_rows_say_why(local: Local) -> None:
    """Too long, keys that occur twice, an empty key: as the import would refuse them."""
    bad = [*rows(1, 2, 2), ["", "", "", ""], ["", "a", "", ""], ["6", "x" * 4000, "", ""], *rows(6)]
    result = await checked(local, local.write(bad), MAP, marker=MARKER)
    assert (result.rows, result.empty_rows, result.complete) == (6, 1, False)
    assert kinds(result) == {3: "refused", 4: "refused", 5: "refused", 6: "refused"}
    assert [each.key for each in result.findings] == ["2", "", "6", "6"]
    assert [each.reason for each in result.findings] == [
        "the key '2' already belongs to row 2 (line 3), and all cells that the map reads are "
        "equal: delete this row if it is a duplicate; otherwise, correct its key",
        "the key '{key}' in work_order.po_number is empty; each row needs its own key",
        "command.work_order.items[0].comment has 4000 characters, but the limit is 3096; shorten the text, "
        "or set truncate = true",
        "the key '6' already belongs to row 5 (line 7); keys must be unique",
    ]


async def test_every_row_is_told_of_in_the_order_of_the_file(local: Local) -> None:
    """Good ones too, with their keys and what is created before them; two pages, with bad rows in both."""
    source = local.write(rows(2))
    other = source.with_name("other")
    await local.run(source, MAP, marker=MARKER, folder=other)
    (id,) = [each["Id"] for each in await local.rows("WorkOrder")]
    source = local.write([*rows(*range(1, 250), customer="New"), *rows(1, 2), ["300", "x" * 4000, "", ""]])
    told: list[Finding] = []
    result = await checked(local, source, WORK_ORDER + CREATED, marker=MARKER, on_row=told.append)
    assert [each.row for each in told] == [*range(1, 253)]
    assert (told[0].kind, told[0].key, told[0].reason) == ("would_send", "1", "creates 'New' first")
    assert (told[1].kind, told[1].ids) == ("there", (id,))
    assert [each.kind for each in told[249:]] == ["refused"] * 3
    assert told[249].reason == "the key '1' already belongs to row 1 (line 2); keys must be unique"
    assert Counter(each.kind for each in told) == result.counts
    assert [each for each in told if each.kind != "would_send"] == result.findings


async def test_names_of_no_record_and_of_several_are_told_apart(local: Local) -> None:
    zone = (await local.rows("WorkZone"))[0]["Id"]
    for name in ("Twice", "Twice", "Once"):
        await local.company.create(Customer(name=name, display_as=name, work_zone=WorkZone.ref(zone)))
    source = local.write([*rows(1, customer="Once"), *rows(2, customer="Twice"), *rows(3, customer="Never")])
    result = await checked(local, source, WORK_ORDER + CUSTOMER)
    assert kinds(result) == {2: "ambiguous", 3: "missing"}
    assert result.counts["would_send"] == 1


async def test_records_that_would_be_changed_are_named(local: Local) -> None:
    """One is, several have the key, none has it, it is removed, nothing is written, a row repeats the key."""
    zone = WorkZone.ref((await local.rows("WorkZone"))[0]["Id"])
    ids = [
        (await local.company.create(Customer(name=code, tenant_code=code, work_zone=zone))).id
        for code in ("T1", "T2", "T2", "T3", "T4")
    ]
    await local.company.delete(Customer, ids[3])
    text = 'operation = "update Customer by tenant_code"\n[entity]\ntenant_code = "{key}"\ndba = "{text}"\n'
    cells = [["T1", "new", "", ""], *rows("T2", "T3", "T9"), ["T4", "", "", ""], *rows("T1")]
    told: list[Finding] = []
    await checked(local, local.write(cells), text, on_row=told.append)
    assert [each.kind for each in told] == [
        "would_send",
        "ambiguous",
        "missing",
        "missing",
        "refused",
        "refused",
    ]
    assert told[0].ids == (ids[0],)


async def test_records_that_would_be_created_are_counted_once(local: Local) -> None:
    """Not those that only bad rows name; the requests say which records come first."""
    source = local.write(
        [*rows(1, 2, customer="New"), *rows(3, customer="Newer"), ["4", "x" * 4000, "", "Bad"]]
    )
    result = await checked(local, source, WORK_ORDER + CREATED)
    assert result.new_records == {"customer": 2}
    assert [each["created_first"] for each in result.requests] == [["New"], ["New"], ["Newer"]]
    assert kinds(result) == {4: "refused"}


async def test_a_record_that_two_references_name_would_be_created_once(local: Local) -> None:
    source = local.write([["1", "A", "A", "Pier Coffee"], ["2", "B", "A", "Pier Coffee"]])
    result = await checked(local, source, TWO_PLACES + CUSTOMER)
    assert result.new_records == {"asset": 2}
    assert [each["created_first"] for each in result.requests] == [["A"], ["A", "B"]]


async def test_keys_that_are_there_fail_or_are_skipped(local: Local) -> None:
    source = local.write(rows(1, 2))
    await local.run(source, MAP, marker=MARKER, folder=source.with_name("other"))
    source = local.write(rows(1, 2, 3))
    result = await checked(local, source, MAP, marker=MARKER)
    assert (kinds(result), result.complete) == ({1: "there", 2: "there"}, False)
    assert result.findings[0].reason == "WorkOrder 1 has work_order.po_number '1'"
    assert (await checked(local, source, MAP, marker=MARKER, if_exists="skip")).complete


async def test_a_sample_is_spread_over_the_file(local: Local) -> None:
    result = await checked(local, local.write(rows(*range(1, 101))), MAP, sample=4)
    assert (result.rows, result.checked, dict(result.counts)) == (100, 4, {"would_send": 4})
    assert [each["row"] for each in result.requests] == [25, 50, 75]
    assert result.filled["key"] == 100
    assert result.calls == 100 + 4
    assert (await checked(local, local.write(rows(1, 2)), MAP, sample=9)).checked == 2


async def test_an_unfinished_job_is_resumed(local: Local) -> None:
    source = local.write([*rows(1, 2), ["3", "x" * 4000, "", ""], *rows(4)])
    first = local.job(source, MAP)
    folder = (await first.run(local.company)).folder
    journal = Journal.open(folder)
    await journal.begin([2])
    await journal.close()
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # another process works on the job, and a check only reads
        result = await checked(local, source, MAP)
    assert dict(result.counts) == {"ended": 2, "sending": 1, "refused": 1}
    assert result.job is not None
    (refused,) = (each.reason for each in result.findings if each.kind == "refused")
    assert refused.startswith("command.work_order.items[0].comment has 4000 characters")
    assert isinstance(result.decision, Plan)
    assert (result.decision.rows(Action.LEAVE), result.decision.rows(Action.SEND)) == (1, 1)
    assert why(await checked(local, source, MAP, again=True)) == "unfinished"
    local.write(rows(1, 2, 5))
    changed = await checked(local, source, MAP)
    assert (dict(changed.counts), why(changed)) == (
        {"ended": 1, "sending": 1, "would_send": 1}, "edited_or_new",
    )  # fmt: skip
    assert why(await checked(local, source, MAP, new_rows=True)) is None


async def test_each_standing_of_a_row_has_its_word(local: Local) -> None:
    """Done and changed, undone, refused by the service before; with the choices that send them."""
    local.server.refused = "text 3"
    source = local.write(rows(1, 2, 3))
    folder = (await local.run(source, MAP, marker=MARKER, concurrency=1)).folder
    local.server.refused = None
    async with Journal.open(folder) as journal:
        (first, *_) = await journal.rows_in()
        journal.record_undo(RowRecord(first.row, State.DONE, first.id))
    local.write([*rows(1), ["2", "edited", "", ""], *rows(3)])
    result = await checked(local, source, MAP, marker=MARKER)
    assert dict(result.counts) == {"undone": 1, "changed": 1, "kept": 1}
    assert [(each.kind, each.key) for each in result.findings] == [("undone", "1"), ("kept", "3")]
    assert "no such number" in result.findings[1].reason
    result = await checked(local, source, MAP, marker=MARKER, retry_refused=True)
    assert (dict(result.counts), result.sent_again) == ({"undone": 1, "changed": 1, "would_send": 1}, 1)


def why(result: CheckResult) -> str | None:
    """Return why the import would be refused."""
    return result.decision.why if isinstance(result.decision, Refusal) else None


async def test_rows_that_the_job_found_are_done(local: Local) -> None:
    source = local.write(rows(1, 2))
    await local.run(source, MAP, marker=MARKER, folder=source.with_name("other"))
    source = local.write(rows(1, 2, 3))
    await local.run(source, MAP, marker=MARKER, if_exists="skip")
    result = await checked(local, source, MAP, marker=MARKER, if_exists="skip")
    assert (dict(result.counts), result.complete, result.findings) == ({"ended": 3}, True, [])


async def test_problems_are_grouped_by_cause(local: Local) -> None:
    """Values in a reason do not make another cause; every row is counted, a few are named."""
    cells = [*rows(*range(1, 10), customer="Never"), *rows(10), ["11", "x" * 4000, "", ""]]
    result = await checked(local, local.write(cells), WORK_ORDER + CUSTOMER)
    missing, long = result.causes.values()
    assert (missing.first.row, missing.first.kind, missing.count) == (1, "missing", 9)
    assert [each.row for each in missing.more] == [2, 3, 4, 5, 6]
    assert (long.first.row, long.count, long.more, result.problems) == (11, 1, [], 10)


async def test_a_row_with_two_faults_counts_for_both(local: Local) -> None:
    """The rows with a bad time are counted together, whatever else is wrong with them; names are kept."""
    text = WORK_ORDER.replace('comment = "{notes}"\n', "")
    text = text.replace('po_number = "{key}"', 'po_number = "{key}"\ndt_due = "{notes}"') + CUSTOMER
    cells = [["1", "", "soon", "Ghost"], ["2", "", "soon", "Other"], ["3", "", "perhaps", ""]]
    result = await checked(local, local.write(cells), text)
    assert result.counts["refused"] == 3
    time, missing = sorted(result.causes.values(), key=lambda each: -each.count)
    assert (time.kind, time.count, time.values) == ("refused", 3, {"'soon'": 2, "'perhaps'": 1})
    assert (missing.kind, missing.count, missing.values) == ("missing", 2, {"'Ghost'": 1, "'Other'": 1})


async def test_what_the_service_requires_and_a_row_lacks_is_a_warning(local: Local) -> None:
    """The rows would be sent, as the client does not enforce it; the service refuses them."""
    zone = WorkZone.ref((await local.rows("WorkZone"))[0]["Id"])
    await local.company.create(Customer(name="Once", display_as="Once", work_zone=zone))
    told: list[Finding] = []
    source = local.write([*rows(1, customer="Once"), *rows(2, 3)])
    result = await checked(local, source, WORK_ORDER + CUSTOMER, on_row=told.append)
    (lack,) = result.lacks.values()
    assert (result.complete, result.counts["would_send"], result.lacking) == (False, 3, 2)
    assert (lack.count, lack.first.row, [each.row for each in lack.more]) == (2, 2, [3])
    assert lack.reason.startswith("command.work_order.customer is empty, ")
    assert lack.reason.endswith(" blank column 'customer'")
    assert [each.warnings for each in told] == [(), (lack.reason,), (lack.reason,)]
    text = MAP.replace('customer = "@customer"\n', "").partition("[reference.customer]")[0]
    (lack,) = (await checked(local, source, text)).lacks.values()
    assert lack.reason.endswith("the map does not set it; add customer to [command.work_order]")


async def test_a_record_that_all_rows_need_ends_the_check(local: Local) -> None:
    text = MAP.replace("is_def_sr = true", "is_def_sr = true, display_as = 'nothing'")
    with pytest.raises(ImportMapError, match="kind: no WorkOrderType"):
        await checked(local, local.write(rows(1)), text)


async def test_a_check_refuses_a_ledger_of_another_user(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows may never have been sent."""
    folder = (await local.run(rows(1), MAP)).folder
    make_foreign(folder, monkeypatch)
    with pytest.raises(JournalError, match="belongs to another user"):
        await checked(local, local.write(rows(1)), MAP)


AMOUNT = """
[command.work_order]
type_category = "Request"
sub_type = "@kind"
customer = { id = 512 }
vendor_nte.value = "{text}"
[reference.kind]
entity = "WorkOrderType"
where = { type_id = "Request", is_def_sr = true }
"""


@pytest.mark.parametrize("amount", ["1e309", "9" * 400, "1e700000000"])
async def test_an_amount_that_nothing_can_hold_is_a_fault_of_its_row(local: Local, amount: str) -> None:
    result = await checked(local, local.write([["1", amount, "", ""], *rows(2)]), AMOUNT)
    (finding,) = (each for each in result.findings if each.row == 1)
    assert finding.kind == "refused"
    assert (
        f"takes a number with at most 100 digits on each side of the decimal point, not '{amount[:100]}"
        in (finding.reason)
    )
    assert "(column 'text')" in finding.reason


@pytest.mark.parametrize("amount", ["0.10", "9" * 30, "1e99", "1.123456789012345678"])
async def test_a_request_is_shown_with_all_digits_of_its_numbers(local: Local, amount: str) -> None:
    result = await checked(local, local.write([["1", amount, "", ""]]), AMOUNT)
    (request,) = result.requests
    assert str(request["body"]["Command"]["WorkOrder"]["VendorNte"]["Value"]) == str(Decimal(amount))


async def test_a_request_is_shown_without_secrets(local: Local) -> None:
    """As `wosdk create --dry-run` shows it: by the name of the field, and in an address."""
    source = local.write([["1", "see https://files.example/a?sig=hunter2secret", "", ""]])
    result = await checked(local, source, MAP)
    assert "files.example" in repr(result.requests)
    assert "hunter2secret" not in repr(result.requests)


async def test_a_key_that_many_records_carry_is_found_before_the_import(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    await local.run(rows("N/A", "N/A", "N/A"), MAP)
    monkeypatch.setattr(marked_records, "MAX_ROWS", 3)
    source = local.write(rows(1, "N/A"))
    result = await checked(local, source, MAP, marker=MARKER, again=True)
    assert (kinds(result), result.counts["would_send"]) == ({2: "ambiguous"}, 1)
    assert "have the key 'N/A'" in result.findings[0].reason


async def test_again_sends_both_lines_that_are_one_row_of_the_ledger(local: Local) -> None:
    local.server.refused = "text 2"
    folder = (await local.run(rows(1, 2), MAP)).folder
    rejects = folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("text 2", "corrected"))
    assert (await local.run(rejects, MAP)).done == 1
    local.server.refused = None
    source = local.write([*rows(1, 2), ["2", "corrected", "notes 2", ""]])
    assert (await checked(local, source, MAP, again=True)).counts == {"would_send": 3}
    ready = local.job(source, MAP, again=True)
    opened = await ready.open(local.company)
    assert (opened.plan.leaves_done, opened.plan.rows(Action.SEND)) == (2, 3)
    assert (await ready.run(local.company)).done == 3


async def test_ids_of_columns_and_constants_are_looked_up(local: Local) -> None:
    """In batches, also those of new records; one that is removed counts as none."""
    gone = await local.company.create(Customer(display_as="Gone", name="Gone", work_zone=Ref(14)))
    await local.company.delete(Customer, gone.id)
    text = WORK_ORDER.replace('customer = "@customer"', 'customer = { id = "{customer}" }')
    source = local.write([["1", "", "", "512"], ["2", "", "", str(gone.id)], ["3", "", "", "99999"]])
    result = await checked(local, source, text)
    assert kinds(result) == {2: "missing", 3: "missing"}
    assert "customer.id" in result.findings[0].reason
    assert sum("query/Customer" in path for path in local.server.asked) <= 2 + 1  # that of the test
    created = (WORK_ORDER + CREATED).replace('"@zone"', "{ id = 99999 }")
    created = created[: created.index("[reference.zone]")]
    result = await checked(local, local.write(rows(1, customer="New")), created)
    assert kinds(result) == {1: "missing"}


async def test_texts_that_are_cut_equal_rows_and_rows_without_a_key_are_counted(local: Local) -> None:
    text = MAP.replace(MARKER, "").replace(
        'comment = "{notes}"', 'comment = {text = "{notes}", truncate = true}'
    )
    long = [["1", "", "x" * 4000, ""], ["2", "", "y" * 5000, ""]]
    result = await checked(local, local.write([*long, *rows(3, 3, 3)]), text)
    assert [each.count for each in result.cautions.values()] == [2]
    assert dict(result.counts) == {"would_send": 5}
    equal, keyless = result.warnings
    assert "2 rows are identical to earlier rows" in equal
    assert "no key" in keyless
    marked = await checked(local, local.write(rows(3, 4)), f'marker = "{MARKER}"\n{MAP}')
    assert (marked.cautions, marked.warnings) == ({}, [])


async def test_an_update_that_cannot_be_sent_is_refused_by_the_check_and_the_import(local: Local) -> None:
    """An amount without a currency: an update writes it whole, and no record is read that has one."""
    orders = local.write(rows(1, 2, 3))
    await local.run(orders, MAP, folder=orders.with_name("orders"))
    source = local.write([["1", "5", ""], ["2", "5", "USD"], ["3", "", "USD"]], ["id", "limit", "currency"])
    text = (
        'operation = "update WorkOrder by id"\n[entity]\nid = "{id}"\nvendor_nte.value = "{limit}"\n'
        'vendor_nte.currency_type_id = "{currency}"\n'
    )
    result = await checked(local, source, text)
    assert kinds(result) == {1: "refused", 3: "refused"}
    _, outcomes = await carried_out(local.job(source, text), local)
    assert {row: each.outcome for row, each in outcomes.items()} == {1: "failed", 2: "updated", 3: "failed"}
    reasons = {each.row: each.reason for each in result.findings}
    assert reasons == {row: each.reason for row, each in outcomes.items() if each.outcome == "failed"}


async def test_a_row_that_its_key_keeps_from_being_sent_needs_no_new_record(local: Local) -> None:
    """The import ends it as the check says, by its key, and not because the record is missing."""
    text = f'marker = "{MARKER}"\n' + WORK_ORDER + CREATED
    await local.run([["1", "t", "", "Pier Coffee"]], text)
    source = local.write([["1", "t", "", "New 1"], ["", "t", "", "New 2"], [" 3", "t", "", "New 3"]])
    for if_exists, outcome in (("fail", "failed"), ("skip", "found")):
        said: dict[int, str] = {}
        await checked(
            local,
            source,
            text,
            on_row=lambda each, to=said: to.update({each.row: each.reason}),
            again=True,
            if_exists=if_exists,
        )
        _, outcomes = await carried_out(local.job(source, text, again=True, if_exists=if_exists), local)
        assert [each.outcome for _, each in sorted(outcomes.items())] == [outcome, "failed", "failed"]
        for row, each in outcomes.items():
            assert each.outcome == "found" or (each.reason or "").endswith(said[row])


async def test_a_map_that_gets_a_marker_changes_no_row(local: Local) -> None:
    """Its column was not read before; a row whose cells changed meanwhile is another one without a key."""
    keyless = MAP.replace('po_number = "{key}"\n', "")
    assert keyless != MAP
    source = local.write(rows(1, 2, 3))
    await local.run(source, keyless)
    result = await checked(local, source, f'marker = "{MARKER}"\n{MAP}')
    assert dict(result.counts) == {"ended": 3}


AGREEING = f'marker = "{MARKER}"\n' + WORK_ORDER.replace('comment = "{notes}"', 'comment = "{text}"').replace(
    'po_number = "{key}"',
    'po_number = "{key}"\ndt_due = "{due}"\nduration = "{duration}"\npriority.id = "{priority}"',
)
CELLS = {
    "text": ["", "fits", "x" * 3073],
    "customer": ["Pier Coffee", "pier coffee", "New", " New ", "NEW", "y" * 65, "Nobody\\x1f", ""],
    "due": ["", "2026-03-05", "2026-03-05 08:00", "05.03.2026", "soon"],
    "duration": ["", "45", "45.0", "4,5", "9" * 30],
    "priority": ["", "1", "99999", "-1", "x"],
}
CODES = ["t" * 65, "T1", ""]


async def test_a_changed_map_is_announced_while_created_records_keep_their_values(local: Local) -> None:
    source, start = local.write(rows(1, 2)), "the map has changed since 2 rows were created"
    other = MAP.replace("{notes}", "{notes} (new)")
    await local.run(source, MAP, marker=MARKER)
    for text, count in ((MAP, 0), (f"{MAP}# a comment\n", 0), (other, 1), (MAP, 0), (other, 1)):
        summary = await local.run(source, text, marker=MARKER)
        result = await checked(local, source, text, marker=MARKER)
        for warnings in (summary.warnings, result.warnings):
            assert sum(each.startswith(start) for each in warnings) == count, (text, warnings)
    assert summary.done_now == 0


async def test_a_map_that_only_gets_a_key_is_not_announced(local: Local) -> None:
    source, start = local.write(rows(1, 2)), "the map has changed since 2 rows were created"
    keyless = MAP.replace('po_number = "{key}"\n', "")
    marked = f'marker = "{MARKER}"\n{MAP}'
    await local.run(source, keyless)
    key = f'key = "{{key}}"\n{keyless}'
    for text, count in ((key, 0), (marked, 0), (marked.replace("{notes}", "{notes}!"), 1)):
        warnings = (await checked(local, source, text)).warnings
        assert sum(each.startswith(start) for each in warnings) == count, (text, warnings)
        assert all(Remedy.UNDO_AND_RETRY.value in each for each in warnings if each.startswith(start))


async def test_new_records_without_required_fields_are_announced(local: Local) -> None:
    empty = WORK_ORDER + CUSTOMER + 'if_missing = "create"\ncreate = {}\n'
    source = local.write([["1", "text", "notes", "New Co"]])
    warnings = (await checked(local, source, empty)).warnings
    assert [each for each in warnings if each.startswith("customer: 'create' does not set work_zone,")]
    for text in (
        empty.replace('by = "display_as"', 'by = "name"'),
        empty.replace("{}", "{ work_zone.id = 1 }"),
    ):
        warnings += (await checked(local, source, text)).warnings
    assert [each.count("work_zone") for each in warnings if "does not set" in each] == [1, 1]
    assert "does not set display_as, work_zone" in " ".join(warnings)
    source = local.write(rows(1))  # nothing to create
    assert "does not set" not in " ".join((await checked(local, source, empty)).warnings)


FILLED = CREATED.replace('name = "{}"', 'name = "{}"\ntenant_code = "{code}"')
"""A new record reads a cell, which some rows cannot fill and others can."""


@pytest.mark.parametrize("missing", [CUSTOMER, CREATED, FILLED])
@pytest.mark.parametrize("seed", some([0, 2], 2))
async def test_check_and_import_agree_on_every_row(local: Local, missing: str, seed: int) -> None:
    """Most rows have at most one cell that may be wrong; some repeat a key, or have none."""
    chance = random.Random(seed)
    columns = ["key", *CELLS, "code"]
    made = []
    for number in range(1, 61):
        cells = {name: "Pier Coffee" if name == "customer" else "" for name in CELLS}
        for name in chance.sample(list(CELLS), chance.choice((1, 1, 2))):
            cells[name] = chance.choice(CELLS[name])
        key = chance.choice((str(number),) * 12 + ("1", "", " ", f"{number} ", "z" * 200))
        made.append([key, *cells.values(), CODES[number % 3]])
    source = local.write(made, columns)
    said: dict[int, Finding] = {}
    text = AGREEING + missing
    await checked(local, source, text, on_row=lambda each: said.update({each.row: each}))
    _, outcomes = await carried_out(local.job(source, text), local)
    differing = {
        row: (said[row].kind, said[row].reason, outcome.outcome, outcome.reason, made[row - 1])
        for row, outcome in outcomes.items()
        if (said[row].kind == "would_send" and not said[row].lacks) != (outcome.outcome == "created")
        or (said[row].kind == "refused" and said[row].reason != outcome.reason)
    }
    assert len(outcomes) == len(said) == 60
    assert differing == {}


async def test_a_new_record_whose_name_another_field_holds_is_announced(local: Local) -> None:
    """Before anything is sent, and by the check in the same words; more names take no query for each."""
    await local.company.create(Customer(display_as="Co", name="Åre Books", work_zone=Ref(14)))
    names = [f"Customer {i}" for i in range(30)] + ["åre  books"]
    source = local.write([[str(i), "text", "notes", name] for i, name in enumerate(names)])
    importing = local.job(source, WORK_ORDER + CREATED, marker=MARKER)
    predicted = await checked(local, source, WORK_ORDER + CREATED, marker=MARKER)
    local.server.asked.clear()
    stages: list[str] = []
    sent: list[int] = []

    def on_stage(text: str) -> None:
        stages.append(text)
        sent.append(local.server.count("base/Customer"))

    summary = await importing.run(local.company, on_stage=on_stage)
    (warning,) = summary.warnings
    assert "'åre books' is a name: to look up all records by name" in warning
    assert predicted.warnings == [warning]
    assert sent[stages.index(f"warning: {warning}")] == 0
    assert (summary.created, summary.references_created) == (31, 31)
    assert local.server.count("query/Customer") == 2
