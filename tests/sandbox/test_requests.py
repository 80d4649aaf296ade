"""Requests that a local Company received."""

from __future__ import annotations

from tests.testing.orders import create_command
from wosdk_async import Client, Customer
from wosdk_async.sandbox import LocalCompany


async def test_requests_of_a_local_company() -> None:
    """As of the fixtures: in order, without secrets, and each is there when its response is."""
    with LocalCompany() as local:
        assert not local.requests
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            await acme.run(create_command("PO-1"))
            for count in range(1, 50):
                await acme.get(Customer, 512)
                assert len(local.requests) == count + 3
        created = local.requests[2]
        assert (created.path, created.status, created.company) == (
            "/api/v1/cmd/WoCreateCommand",
            200,
            "AcmeFacilities",
        )
        assert created.json["Command"]["WorkOrder"]["PoNumber"] == "PO-1"
        secret = local.variables["WOSDK_CLIENT_SECRET"]
        shown = repr([(request.headers, request.body) for request in local.requests])
        assert secret not in shown
        assert "Bearer" not in shown


async def test_requests_that_are_kept_are_limited() -> None:
    """Uploads of files would fill the memory."""
    with LocalCompany() as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            order = (await acme.run(create_command())).wo
            assert order is not None
            for _ in range(5):
                await acme.documents.attach(order, bytes(12 << 20), file_name="a.bin")
        assert sum(len(request.body) for request in local.requests) <= 64 << 20
        assert [request.path for request in local.requests] == ["/api/v1/base/Document"] * 3
