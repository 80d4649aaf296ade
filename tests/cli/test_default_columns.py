"""Tables of which nobody said what to show: what a person looks for first, what fits, ids last."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.support.service import Answer, Request, Service
from wosdk_async.cli.output.cells import DefaultColumns
from wosdk_async.cli.output.table import TableFormat, print_record
from wosdk_async.model import entity_class, index
from wosdk_async.query.builder import selection

ORDER: dict[str, Any] = {
    "Id": 7,
    "Number": "RSC000007",
    "TypeCategory": "Request",
    "WorkOrderCost": {"Id": 7},
    "Priority": {"DisplayAs": "High", "Id": 2},
    "StatusId": "InProgress",
    "ShortLocation": "3 Millrace Lane, flat 2",
    "TaskRefinement": "Campus:3 Millrace Lane, flat 2:Lock",
    "Customer": {"Name": "Housing Authority of the City", "Id": 514},
    "DtDue": "2026-11-23T20:14:09",
    "DueDateUtc": "2026-11-24T01:14:09.1234567",
    "Items": [{"Id": i, "Task": {"DisplayAs": f"Repair of lock {i}", "Id": i}} for i in (1, 2, 3)],
}


def table(
    width: int | None, monkeypatch: pytest.MonkeyPatch, *rows: Any, name: str = "WorkOrder"
) -> list[str]:
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    file = io.StringIO()
    form = TableFormat(file, (), entity_class(name) or name)
    form.write(rows)
    form.close()
    return file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("width", "header"),
    [
        (20, ["Number"]),
        (60, ["Number", "StatusId", "Customer", "Task", "ShortLocation"]),
        (80, ["Number", "StatusId", "Customer", "Task", "ShortLocation", "DtDue"]),
        (130, ["Number", "StatusId", "Customer", "Task", "ShortLocation", "DtDue", "Priority"]),
    ],
)
def test_what_matters_comes_first_and_fits(
    monkeypatch: pytest.MonkeyPatch, width: int, header: list[str]
) -> None:
    """Two lines of no more than the width; of numbers, states and dates nothing is cut."""
    lines = table(width, monkeypatch, ORDER)
    assert lines[0].split() == header
    assert len(lines) == 2
    assert max(map(len, lines)) <= width
    assert lines[1].startswith("RSC000007")
    assert ("2026-11-23 20:14" in lines[1]) == ("DtDue" in header)


def test_the_first_of_a_list_is_shown_and_how_many_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count stays when the text is cut; equal texts count once."""
    assert "Repair of lock 1 +2" in table(200, monkeypatch, ORDER)[1]
    assert "Repair … +2" in table(60, monkeypatch, ORDER)[1] or "… +2" in table(60, monkeypatch, ORDER)[1]
    same = ORDER | {"Items": [{"Task": {"DisplayAs": "Lock"}}] * 3}
    assert "  Lock  " in table(200, monkeypatch, same)[1]


def test_ids_come_last_and_nothing_is_lost_without_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe all columns are there: values first, then the record's own id, then other ids."""
    header = table(None, monkeypatch, ORDER)[0].split()
    assert header[-5:] == ["DueDateUtc", "Id", "WorkOrderCost.Id", "Priority.Id", "Customer.Id"]


def test_times_are_short_and_those_of_utc_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """No seconds; what is not a time of the catalogue stays as it came."""
    row = table(None, monkeypatch, ORDER | {"DtOnSiteBy": "soon", "Comment": "2026-11-23T20:14:09"})[1]
    assert "2026-11-23 20:14  " in row
    assert "2026-11-24 01:14Z" in row
    assert "soon" in row
    assert "2026-11-23T20:14:09" in row


def test_a_record_has_its_lines_in_the_same_order() -> None:
    """Number and state above, then the items, each with its number; ids below."""
    file = io.StringIO()
    print_record(file, ORDER, (), entity_class("WorkOrder") or "")
    names = [line.split()[0] for line in file.getvalue().splitlines()]
    assert names[:3] == ["Number", "StatusId", "Customer.Name"]
    assert names[3:6] == [f"Items[{i}].Task.DisplayAs" for i in range(3)]
    assert names.index("Id") > names.index("DueDateUtc")


def test_without_rows_no_column_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is printed, neither columns nor how many of them do not fit."""
    assert table(60, monkeypatch) == []
    assert capsys.readouterr().err == ""


def test_every_entity_has_paths_that_can_be_selected() -> None:
    """All of the catalogue's names, checked as those that a person types."""
    for name in index.ENTITIES:
        entity = entity_class(name)
        assert entity is not None
        columns = DefaultColumns.of(entity)
        assert selection(entity, (*columns.first, *columns.next, *columns.selection)) is not None
        assert len(columns.selection) <= 10


@pytest.mark.usefixtures("seeded")
def test_the_query_reads_the_names_of_references(wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of 80 columns a customer's zone has its name; JSON stays as the service sends it."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = wosdk("query", "Customer", "--where", "Id = 512").stdout.splitlines()
    assert lines[0].split()[:3] == ["Name", "DisplayAs", "WorkZone"]
    assert "Riverside Campus" in lines[1]
    assert '"WorkZone":{"Id":14}' in wosdk("query", "Customer", "--where", "Id = 512", "--json").stdout


def test_a_release_that_lacks_a_name_is_asked_for_its_own_values(wosdk: Wosdk, scripted: Service) -> None:
    """The refused query is sent once more without the names of references."""
    asked: list[list[str]] = []

    def handler(request: Request) -> Answer:
        asked.append(request.json["QueryExpression"]["PropertySet"]["Properties"])
        if len(asked[-1]) > 1:
            return Answer(400, {"ErrorCode": "ERROR_CODE_1002", "ErrorMessage": "no Dba"})
        return Answer(body={"Entities": [{"Data": {"Id": 1, "Name": "Acme"}}] * (len(asked) < 3)})

    scripted.handler = handler
    result = wosdk("query", "Customer")
    assert result.stdout.splitlines() == ["Name  Id", "Acme  1"]
    assert asked[0][0] == "*"
    assert asked[1] == ["*"]


@pytest.mark.usefixtures("seeded")
def test_a_record_has_the_names_of_its_references(wosdk: Wosdk) -> None:
    """In a table; JSON and paths that were asked for stay as they are."""
    lines = dict(line.split(maxsplit=1) for line in wosdk("get", "Customer", "512").stdout.splitlines())
    assert list(lines)[:3] == ["Name", "DisplayAs", "WorkZone.DisplayAs"]
    assert lines["WorkZone.DisplayAs"] == "Riverside Campus"
    assert '"WorkZone":{"Id":14}' in wosdk("get", "Customer", "512", "--json").stdout
    named = wosdk("get", "Customer", "512", "-p", "Dba").stdout.split()
    assert named == ["Dba", "Lindqvist", "Dental", "Id", "512"]


def test_a_record_is_read_once_more_when_a_name_is_not_known(wosdk: Wosdk, scripted: Service) -> None:
    """What was asked for is not: a wrong path of -p is the service's refusal."""

    def handler(request: Request) -> Answer:
        if "properties" in request.path:
            return Answer(400, {"ErrorCode": "ERROR_CODE_1002", "ErrorMessage": "no Contract"})
        return Answer(body={"Data": {"Id": 7, "Name": "Acme"}})

    scripted.handler = handler
    assert wosdk("get", "Customer", "7").stdout.split() == ["Name", "Acme", "Id", "7"]
    refused = wosdk("get", "Customer", "7", "-p", "Name")
    assert (refused.exit_code, "no Contract" in refused.stderr) == (3, True)
    assert len(scripted.calls) == 3
