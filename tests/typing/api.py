"""Never run, only checked: what a type checker knows of the public names.

A line marked ``type: ignore[code]`` must be an error of that code: ``warn_unused_ignores`` tells when not.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, assert_type

import httpx
import httpx2

from wosdk_async import (
    ActorType,
    ApStatusChangeCommand,
    ChangeFeed,
    Client,
    Company,
    Condition,
    Credentials,
    Customer,
    Document,
    Done,
    EntitySpecifier,
    FinancialAction,
    FinancialItem,
    FinancialStatusChangeResponse,
    GetDocDownloadUrl,
    Limits,
    Location,
    Money,
    Query,
    Ref,
    Region,
    Stats,
    Task,
    Timeouts,
    Watermark,
    WoActionReasonLookup,
    WoActionResponse,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderAction,
    WorkOrderCost,
    WorkOrderStatus,
    WoStartCommand,
    fields,
)
from wosdk_async.query.table import RecordTable


async def verbs(client: Client) -> None:
    acme = client.company("Acme Facilities")
    order = await acme.get(WorkOrder, 1, properties=["*"])
    assert_type(order, WorkOrder)
    assert_type(order.number, str | None)
    assert_type(order.customer, Customer | None)
    assert_type(await acme.get("NewEntity", 1), dict[str, Any])
    assert_type(await acme.query(Customer, {}), list[Customer])
    assert_type(await acme.create(Customer(name="A")), EntitySpecifier)
    assert_type(
        await acme.create(Customer(tenant_code="A"), marker="tenant_code", look_first=True), EntitySpecifier
    )
    assert_type(await acme.find_marked(Customer, "tenant_code", ["A"]), dict[str, list[Customer]])
    assert_type(await acme.find_marked(WorkOrder, "won_id", [1]), dict[int, list[WorkOrder]])
    assert_type(await acme.find_marked(WoCreateCommand, "work_order.po_number", ("A",)), dict[str, list[Any]])
    await acme.create("Customer", {}, marker="tenant_code")  # type: ignore[call-overload]
    assert_type(await acme.update(order, po_number="PO-77"), WorkOrder)
    assert_type(await acme.update(order, po_number="PO-77", if_unchanged=True), WorkOrder)
    assert_type(await acme.update(order, order, if_unchanged=True), WorkOrder)
    assert_type(await acme.edit(WorkOrder, 7, mark, properties=["*"], attempts=3), WorkOrder)
    assert_type(await acme.edit(WorkOrder, 7, marked), WorkOrder)
    await acme.edit(Customer, 7, mark)  # type: ignore[arg-type]
    assert_type(await acme.run(WoCreateCommand()), WoActionResponse)
    assert_type(
        await acme.run(WoCreateCommand(), marker="work_order.po_number", look_first=True), WoActionResponse
    )
    assert_type(await acme.run(WoStartCommand(work_order_id=1)), WoActionResponse)
    assert_type(await acme.run("NewCommand", {}), dict[str, Any])
    assert_type(await acme.get(WorkOrder, 1, properties=[fields(WorkOrder).number], check=False), WorkOrder)
    assert_type(await acme.put(Customer, {"Id": 1}, properties=["*"]), EntitySpecifier)
    assert_type(await acme.put("Customer", Customer(id=1), properties=["*"]), EntitySpecifier)
    print(order.nunber)  # type: ignore[attr-defined]
    await acme.get(WorkOrder)  # type: ignore[call-overload]
    await acme.get(WorkOrder, 1, timeout=3)  # type: ignore[call-overload]
    await acme.get(WorkOrder, "1")  # type: ignore[call-overload]
    await acme.get(order, 1)  # type: ignore[call-overload]
    await acme.delete(WorkOrder, 1, timeout=3)  # type: ignore[call-arg]
    await acme.delete(WorkOrder, "1")  # type: ignore[arg-type]
    await acme.create(Customer)  # type: ignore[call-overload]
    await acme.update(1, po_number="x")  # type: ignore[type-var]
    await acme.put("Customer", {"Id": 1})  # type: ignore[call-arg]
    await acme.run(order)  # type: ignore[call-overload]
    await acme.run(WoCreateCommand(), timeout=3)  # type: ignore[call-overload]
    Customer.ref("512")  # type: ignore[arg-type]


def mark(order: WorkOrder) -> None:
    order.po_number = "PO-77"


async def marked(order: WorkOrder) -> WorkOrder:
    return order


def remark(action: WorkOrderAction[Any], text: str) -> int | None:
    action.comment = text
    action.vendor_invoice_status_id = 7  # type: ignore[attr-defined]
    return action.work_order_id


async def act(acme: Company, action: WorkOrderAction[WoActionResponse]) -> WorkOrder | None:
    return (await acme.run(action)).wo


async def actions(acme: Company) -> None:
    submit = ApStatusChangeCommand(work_order_id=1, vendor_invoice_status_id=7)
    financial: FinancialAction[FinancialStatusChangeResponse] = submit
    assert_type(await acme.run(submit), FinancialStatusChangeResponse)
    assert_type(await acme.run(financial), FinancialStatusChangeResponse)
    assert_type(remark(submit, "paid"), int | None)
    await act(acme, WoStartCommand(work_order_id=1))
    await act(acme, submit)  # type: ignore[arg-type]
    remark(WorkOrder(), "paid")  # type: ignore[arg-type]


def conditions() -> None:
    f = fields(WorkOrder)
    assert_type((f.status_id == "New") & f.customer.name.like("%mall%"), Condition)
    assert_type(f.status_id.in_([WorkOrderStatus.New, "Open"]) | ~f.items.task.is_null(), Condition)
    assert_type(f.vendor_nte.value > Decimal("1.50"), Condition)
    assert_type(f.dt_created.between(datetime(2024, 1, 1), datetime(2024, 2, 1)), Condition)
    assert_type(f.customer == 512, Condition)
    assert_type(fields("NewEntity").New.Name == 5, Condition)
    print(f.nunber)  # type: ignore[attr-defined]
    print(f.customer.nme)  # type: ignore[attr-defined]
    f.duration.like("5%")  # type: ignore[attr-defined]
    print(f.duration > "5")  # type: ignore[operator]
    f.number.in_([5])  # type: ignore[list-item]


async def queries(client: Client) -> None:
    f = fields(WorkOrder)
    feed = client.company().changes(WorkOrder, since=Watermark.parse("..."), properties=["*"])
    assert_type(feed, ChangeFeed[WorkOrder])
    assert_type(feed.watermark, Watermark)
    async for order in feed:
        assert_type(order, WorkOrder)
    query = client.company().query(WorkOrder)
    assert_type(query, Query[WorkOrder])
    narrow = query.where(f.id > 5, f.number == "7").select("*", f.items).order_by(f.number.desc(), f.id)
    assert_type(narrow.limit(5).distinct().isolation("Snapshot"), Query[WorkOrder])
    async for order in narrow:
        assert_type(order, WorkOrder)
    async for order in query.scan(parallel=4):
        assert_type(order, WorkOrder)
    async for page in query.pages(size=50):
        assert_type(page, list[WorkOrder])
    assert_type(await query.all(), list[WorkOrder])
    assert_type(await query.table(size=500, parallel=4), RecordTable)
    async for batch in query.batches(parallel=4):
        assert_type(batch, Any)
    await query.table(sise=5)  # type: ignore[call-arg]
    assert_type(await query.first(), WorkOrder | None)
    assert_type(await query.one(), WorkOrder)
    assert_type(await client.company().query("NewEntity").one(), dict[str, Any])
    query.where(f.duration == "5")  # type: ignore[arg-type]
    query.where(f.duration is None)  # type: ignore[arg-type]
    await query  # type: ignore[misc]
    query.where(status_id="New")  # type: ignore[call-arg]
    query.filter(f.id > 5)  # type: ignore[attr-defined]
    for order in query:  # type: ignore[attr-defined]
        print(order)


async def documents(acme: Company, order: WorkOrder, chunks: AsyncIterator[bytes]) -> None:
    assert_type(
        await acme.documents.attach(order, "belt.jpg", doc_type="Picture", shared=True), EntitySpecifier
    )
    assert_type(await acme.documents.attach(7, Path("belt.jpg"), actor_type=ActorType.Asset), EntitySpecifier)
    assert_type(await acme.documents.attach(Ref(7), b"", file_name="a"), EntitySpecifier)
    assert_type(await acme.documents.attach(7, chunks, file_name="a", doc_type=Ref(3)), EntitySpecifier)
    assert_type(await acme.documents.link(order, "https://a.example/", title="a"), EntitySpecifier)
    assert_type(await acme.documents.download(7, progress=print), bytes)
    assert_type(await acme.documents.download(Document(id=7), "belt.jpg"), Path)
    assert_type(await acme.documents.download_urls([7, Document(id=7), Ref(7)]), dict[int, GetDocDownloadUrl])
    made = await acme.documents.attach(order, "belt.jpg")
    assert_type(await acme.documents.download(made), bytes)
    assert_type(await acme.documents.download(made, "belt.jpg"), Path)
    assert_type(await acme.documents.download_urls([made]), dict[int, GetDocDownloadUrl])
    await acme.documents.attach(order, 7)  # type: ignore[arg-type]
    await acme.documents.download("7")  # type: ignore[call-overload]
    await acme.documents.link(order, "https://a.example/")  # type: ignore[call-arg]


async def helpers(acme: Company, order: WorkOrder) -> None:
    assert_type(await acme.work_orders.complete(order, note="done", repair_code="Repaired"), WorkOrder)
    assert_type(await acme.work_orders.hold(1, reason="Weather", at=datetime(2024, 5, 14)), WorkOrder)
    assert_type(await acme.work_orders.cancel(Ref(1), reason=1841, comment="twice"), WorkOrder)
    assert_type(await acme.work_orders.resume(order, start=True), WorkOrder)
    assert_type(await acme.work_orders.assign(order, "mira.okafor"), WorkOrder)
    assert_type(await acme.work_orders.assign(order, [208, Ref(215)], mode="Snapshot"), WorkOrder)
    assert_type(await acme.work_orders.note(order, "Gate code 4711"), EntitySpecifier)
    assert_type(await acme.work_orders.by_number("RSC000005"), WorkOrder)
    assert_type(await acme.work_orders.by_numbers(["RSC000005"]), dict[str, WorkOrder])
    assert_type(await acme.work_orders.reasons("OnHold"), list[WoActionReasonLookup])
    assert_type(await acme.work_orders.employee("mira.okafor"), int)
    assert_type(await acme.work_orders.set_flags(order, ["Urgent", 7]), WorkOrder)
    assert_type(await acme.work_orders.clear_flags(order, [7]), WorkOrder)
    assert_type(
        await acme.custom_fields.get(order), dict[str, str | int | Decimal | bool | date | time | Money]
    )
    assert_type(await acme.custom_fields.set(order, {"Dock": "4", "Old": None}), None)
    assert_type(await acme.resolve(Customer, name="Acme Mall"), Customer)
    assert_type(await acme.resolve(Customer, names=["a", "b"], by="dba", max_age=0), dict[str, Customer])
    async for entry in acme.labor.entries([order, 5], where=fields(WorkOrderCost).number == "7", since=None):
        assert_type(entry, FinancialItem)
    await acme.work_orders.hold(order)  # type: ignore[call-arg]
    await acme.resolve(Customer, number=7)  # type: ignore[call-overload]


async def many(client: Client) -> None:
    commands = [WoCreateCommand(comment="a")]
    made = await client.company().run(commands[0], marker="work_order.po_number")
    assert_type(made, WoActionResponse)
    assert_type(client.stats(), Stats)
    assert_type(client.stats().retry_quota, float)
    await client.aclose(grace=1.0)
    Client(timeouts=Timeouts(read=60), limits=Limits(connections=9), ssl_context=ssl.create_default_context())
    Client(timeouts=httpx.Timeout(5), limits=httpx.Limits(), proxy="http://a:1", trust_env=False)
    Client(http2=True)  # type: ignore[call-arg]
    Client(http_client=httpx.AsyncClient(), transport=httpx.AsyncHTTPTransport())
    Client(http_client=httpx.Client())  # type: ignore[arg-type]
    Client(timeouts=httpx2.Timeout(5), limits=httpx2.Limits())
    Client(http_client=httpx2.AsyncClient(), transport=httpx2.AsyncHTTPTransport())
    Client(transport=httpx2.MockTransport(lambda _: httpx2.Response(200)))
    Client(http_client=httpx2.Client())  # type: ignore[arg-type]
    Client(transport=httpx2.HTTPTransport())  # type: ignore[arg-type]
    Client(transport=httpx2.AsyncClient())  # type: ignore[arg-type]
    Client(timeouts=httpx2.Limits())  # type: ignore[arg-type]
    Client.from_env(timeouts=5)  # type: ignore[arg-type]
    Client(rate=5, in_flight=100, max_queued=100, adaptive=True, on_in_doubt=lambda call, company: None)
    Client.from_env(in_flight=64, adaptive=True)
    Client.from_env(in_fligt=8)  # type: ignore[call-arg]
    Client.from_env(
        company="Acme", credentials=Credentials("a", "b"), region=Region.EMEA, trusted_hosts=["a"]
    )
    Client.from_env(compny="Acme")  # type: ignore[call-arg]
    Client.from_env(region="emea")  # type: ignore[arg-type]
    async with client.company().run_many(commands, limit=64) as run:
        async for outcome in run:
            if isinstance(outcome, Done):
                assert_type(outcome.result, WoActionResponse)


def constructors() -> None:
    WorkOrder(
        items=[WoItem(asset=Location.ref(1), task=Task.ref(2))],
        customer=Ref(512),
        vendor_nte=Money(value=Decimal("1.50")),
    )
    WorkOrder(nunber="7")  # type: ignore[call-arg]
    WorkOrder(number=7)  # type: ignore[arg-type]
    WorkOrder("7")  # type: ignore[call-arg, arg-type]
