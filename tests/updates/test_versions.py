"""if_unchanged and edit: nobody's change is overwritten unseen (facts 3.7)."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service
from wosdk_async import Company, ConflictError, InvalidCallError, Note, RetryPolicy, WoNote, WorkOrder

HASTY = RetryPolicy(wait_initial=0)


class OneRecordService(Service):
    """One order; while there is haste somebody else changes it after each full read."""

    def __init__(self, haste: int = 0, *, told: bool = True) -> None:
        super().__init__(self.answer)
        self.told = told  # whether the answer of an update tells the version (facts 12 row 15)
        self.version, self.haste, self.row = 3, haste, {"Id": 7, "PoNumber": "PO-1"}

    def answer(self, request: Request) -> Answer:
        if request.method == "PUT":
            self.row |= request.json["Entity"]
            self.version += 1
            version = {"ConcurrencyId": self.version} if self.told else {}
            return Answer(body={"EntitySpecifier": {"Id": 7} | version})
        answer = Answer(body={"Data": self.row | {"ConcurrencyId": self.version}})
        if self.haste and "*" in request.path:
            self.haste -= 1
            self.version += 1
        return answer

    @property
    def course(self) -> list[str]:
        return [f"{call.method} {call.path.rpartition('/')[2]}" for call in self.calls]


@pytest.mark.parametrize("by_name", [True, False])
async def test_an_unchanged_record_is_written(by_name: bool) -> None:
    """Only the version is read, and then the change is written; both forms."""
    order = WorkOrder(id=7, concurrency_id=3, po_number="PO-1")
    async with OneRecordService() as service, service.client() as client:
        acme = client.company()
        if by_name:
            made = await acme.update(order, if_unchanged=True, po_number="PO-2")
        else:
            made = await acme.update(attrs.evolve(order, po_number="PO-2"), order, if_unchanged=True)
    assert service.course == ["GET 7?properties=ConcurrencyId", "PUT WorkOrder"]
    assert (made.po_number, made.concurrency_id, service.row["PoNumber"]) == ("PO-2", 4, "PO-2")


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_changed_record_is_not_written(by_name: bool) -> None:
    """ConflictError names both versions and the remedy, as plain data, before anything is sent."""
    order = WorkOrder(id=7, concurrency_id=2)
    copied = attrs.evolve(order, po_number="x", concurrency_id=2 if by_name else 3)
    async with OneRecordService() as service, service.client() as client:
        acme = client.company()
        with pytest.raises(ConflictError, match=r"version 2 .* is 3.*read it again") as caught:
            if by_name:
                await acme.update(copied, if_unchanged=True, po_number="y")
            else:
                await acme.update(copied, order, if_unchanged=True)
    error = copy.copy(caught.value)
    assert (error.code, error.status, error.operation) == ("ERROR_CODE_6", 0, "update WorkOrder")
    assert error.company == acme.name
    assert service.course == ["GET 7?properties=ConcurrencyId"]


@pytest.mark.parametrize(
    ("record", "remedy"),
    [
        (
            WorkOrder(id=7),
            "is unknown: the record was read without ConcurrencyId.*reread the record with properties",
        ),
        (WoNote(id=7), "does not version WoNote records; leave out if_unchanged"),
    ],
)
async def test_a_record_without_a_version(record: Any, remedy: str) -> None:
    """There is nothing to compare: refused before anything is sent."""
    changes = {"po_number": "x"} if isinstance(record, WorkOrder) else {"body": "x"}
    async with OneRecordService() as service, service.client() as client:
        with pytest.raises(InvalidCallError, match=remedy):
            await client.company().update(record, if_unchanged=True, **changes)
    assert service.calls == []


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_version_that_an_answer_does_not_tell_is_not_known(by_name: bool) -> None:
    """Spec 4.9: the second guarded update says what to do, and is no conflict with one's own first."""
    order = WorkOrder(id=7, concurrency_id=3, po_number="PO-1")
    async with OneRecordService(told=False) as service, service.client() as client:
        acme = client.company()
        if by_name:
            made = await acme.update(order, if_unchanged=True, po_number="PO-2")
        else:
            made = await acme.update(attrs.evolve(order, po_number="PO-2"), order, if_unchanged=True)
        assert (made.po_number, made.concurrency_id, order.concurrency_id) == ("PO-2", None, 3)
        with pytest.raises(
            InvalidCallError, match=r"is unknown: .* an update's response had none; reread the record"
        ):
            await acme.update(made, if_unchanged=True, po_number="PO-3")
        read = await acme.get(WorkOrder, 7, properties=["*"])
        await acme.update(read, if_unchanged=True, po_number="PO-3")
    assert service.row["PoNumber"] == "PO-3"
    assert service.course[:3] == ["GET 7?properties=ConcurrencyId", "PUT WorkOrder", "GET 7?properties=*"]


# --- edit ---------------------------------------------------------------------------------------


def in_place(order: WorkOrder) -> None:
    order.po_number = f"{order.po_number}+"


async def by_copy(order: WorkOrder) -> WorkOrder:
    return attrs.evolve(order, po_number=f"{order.po_number}+")


@each_of("change", [in_place, by_copy])
@each_of("haste", [0, 2])
async def test_an_edit_repeats_until_nobody_is_faster(change: Any, haste: int) -> None:
    """Each conflict reads again; the change is written once."""
    async with OneRecordService(haste) as service, service.client() as client:
        acme = client.company().with_options(retry=HASTY)
        made = await acme.edit(WorkOrder, 7, change)
    assert service.course == ["GET 7?properties=*", "GET 7?properties=ConcurrencyId"] * (haste + 1) + [
        "PUT WorkOrder"
    ]
    assert (made.po_number, made.concurrency_id) == ("PO-1+", service.version)


async def test_an_edit_gives_up_with_the_last_conflict() -> None:
    """Attempts are bounded, and nothing was written."""
    async with OneRecordService(haste=9) as service, service.client() as client:
        acme = client.company().with_options(retry=HASTY)
        with pytest.raises(ConflictError, check=having(code="ERROR_CODE_6", status=0)):
            await acme.edit(WorkOrder, 7, in_place, attempts=3)
        with pytest.raises(InvalidCallError, match="attempts is 0; it must be a whole number, 1 or more"):
            await acme.edit(WorkOrder, 7, in_place, attempts=0)
    assert len(service.calls) == 6
    assert service.row["PoNumber"] == "PO-1"


async def test_the_services_own_conflict_is_repeated_too() -> None:
    """Facts 3.7: ERROR_CODE_6 can come from inside the server, and is worth another read."""
    conflict = Answer(400, {"ErrorCode": "ERROR_CODE_6", "ErrorMessage": "Data was already modified."})
    service = OneRecordService()
    puts: Iterator[Answer] = iter([conflict])

    def answer(request: Request) -> Answer:
        if request.method == "PUT" and (refused := next(puts, None)):
            return refused
        return service.answer(request)

    service.handler = answer
    async with service, service.client() as client:
        await client.company().with_options(retry=HASTY).edit(WorkOrder, 7, in_place)
    assert [call.method for call in service.calls] == ["GET", "GET", "PUT"] * 2
    assert service.row["PoNumber"] == "PO-1+"


async def test_an_edit_that_changes_nothing_sends_nothing() -> None:
    """One read; the version is read along with the chosen properties."""
    async with OneRecordService() as service, service.client() as client:
        made = await client.company().edit(WorkOrder, 7, lambda order: None, properties=["PoNumber"])
    assert service.course == ["GET 7?properties=PoNumber,ConcurrencyId"]
    assert made.po_number == "PO-1"


async def test_an_entity_without_a_version_is_edited_all_the_same() -> None:
    """A Note has none: read and write, without a comparison."""

    def change(note: Note) -> None:
        note.note_text = "new"

    async with OneRecordService() as service, service.client() as client:
        await client.company().edit(Note, 7, change)
    assert service.course == ["GET 7?properties=*", "PUT Note"]


async def test_a_change_that_fails_or_gives_no_record() -> None:
    """What it raises goes through; what is no record is refused; nothing is written."""

    def fails(order: WorkOrder) -> None:
        raise LookupError(order.id)

    def wrong(order: WorkOrder) -> Any:
        return copy.copy(order.po_number)

    async with OneRecordService() as service, service.client() as client:
        acme: Company = client.company()
        with pytest.raises(LookupError, match="7"):
            await acme.edit(WorkOrder, 7, fails)
        with pytest.raises(InvalidCallError, match="a str is not an edited WorkOrder"):
            await acme.edit(WorkOrder, 7, wrong)
    assert {call.method for call in service.calls} == {"GET"}
