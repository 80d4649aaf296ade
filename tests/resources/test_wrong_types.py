"""Members of a wrong type in responses: no call raises anything but errors of this library."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import (
    Company,
    Customer,
    DownloadError,
    NameNotFoundError,
    NotFoundError,
    WorkOrder,
    WosdkError,
)

WRONG: list[Any] = [["x"], {"a": 1}, 5, True]
Act = Callable[[Company], Awaitable[object]]


async def outcome(act: Act, **body: Any) -> object:
    """Return the result or error of a call whose requests all get this body."""
    async with Service(lambda _: Answer(body=body)) as service, service.client() as client:
        try:
            return await act(client.company())
        except WosdkError as error:
            return error


@each_of("name", WRONG)
@each_of(
    ("act", "member", "kind"),
    [
        (lambda acme: acme.resolve(Customer, name="Joe"), "Name", NameNotFoundError),
        (lambda acme: acme.work_orders.by_number("X1"), "Number", NotFoundError),
        (lambda acme: acme.work_orders.hold(5, reason="Joe"), "DisplayAs", NameNotFoundError),
    ],
)
async def test_a_name_that_is_no_text_is_nobodys(act: Act, member: str, kind: type, name: Any) -> None:
    record = {"Id": 1, "ActionId": "OnHold", member: name}
    assert type(await outcome(act, Entities=[{"Data": record}])) is kind


@each_of("label", WRONG)
async def test_a_label_that_is_no_text_is_empty(label: Any) -> None:
    fields = [{"Id": 2, "Value": "x", "Descriptor": {"Id": 3, "Type": "Text", "Name": label}}]
    found = await outcome(
        lambda acme: acme.custom_fields.get(WorkOrder.ref(1)), Data={"Id": 1, "CustomFields": fields}
    )
    assert found == {"": "x"}


@each_of(
    "results",
    [
        *WRONG,
        "x",
        *([{"DocumentId": 5, "Url": url}] for url in WRONG),
        [{"DocumentId": [5], "Url": "https://a.example"}],
    ],
)
async def test_results_without_a_usable_address_are_none(results: Any) -> None:
    body: dict[str, Any] = {
        "CommandResult": {"Results": results},
        "Data": {"Id": 5, "StorageTypeId": "Cloud", "DocUrl": results},
    }
    assert await outcome(lambda acme: acme.documents.download_urls([5]), **body) == {}
    error = await outcome(lambda acme: acme.documents.download(5), **body)
    assert isinstance(error, WosdkError)


async def test_a_file_name_that_is_no_text_is_taken_from_the_address(tmp_path: Any) -> None:
    results = [{"DocumentId": 5, "Url": "http://192.0.2.1/belt.jpg", "FileName": ["x"]}]
    error = await outcome(
        lambda acme: acme.documents.download(5, tmp_path),
        CommandResult={"Results": results},
        Data={"StorageTypeId": "Cloud"},
    )
    assert isinstance(error, DownloadError)
