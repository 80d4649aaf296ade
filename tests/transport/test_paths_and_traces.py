"""A command with several paths, and what a program can get beside a typed result."""

from __future__ import annotations

import pytest

from tests.support.service import Answer, Request, Service, error
from tests.transport.script import FOUND, QUICK, Script
from wosdk_async import (
    BusinessRuleError,
    InDoubtError,
    InvalidCallError,
    RefusedError,
    SendWorkOrderCommand,
    Trace,
    UnknownNameError,
    WorkOrderAction,
)


async def test_a_path_that_the_company_does_not_know_is_tried_no_more() -> None:
    """Sources differ on SendWorkOrder: after COMMAND_NOT_FOUND the other path is used, and remembered."""

    def handler(request: Request) -> Answer:
        known = request.path.endswith("/SendWorkOrderCommand")
        return Answer(body={"CommandResult": {}}) if known else error(400, "COMMAND_NOT_FOUND")

    async with Service(handler) as service, service.client() as client:
        for _ in range(2):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    paths = [request.path.rpartition("/")[2] for request in service.calls]
    assert paths == ["SendWorkOrder", "SendWorkOrderCommand", "SendWorkOrderCommand"]
    assert service.calls[0].json == service.calls[1].json


async def test_a_remembered_path_may_stop_to_work() -> None:
    """After an upgrade of the Company the other path is tried again."""
    known = "SendWorkOrderCommand"

    def handler(request: Request) -> Answer:
        there = request.path.endswith(f"/{known}")
        return Answer(body={"CommandResult": {}}) if there else error(400, "COMMAND_NOT_FOUND")

    async with Service(handler) as service, service.client() as client:
        await client.company().run(SendWorkOrderCommand(work_order_id=1))
        known = "SendWorkOrder"
        await client.company().run(SendWorkOrderCommand(work_order_id=1))
    assert len(service.calls) == 4


PAGE = Answer(404, b"<html>not found</html>")


async def test_a_404_page_of_a_path_that_was_accepted_is_in_doubt() -> None:
    """Nothing is certain then: the order may be sent, so it is not sent again by the other path."""
    script = Script(Answer(body={"CommandResult": {}}), PAGE)
    async with Service(script) as service, service.client(options=QUICK) as client:
        await client.company().run(SendWorkOrderCommand(work_order_id=1))
        with pytest.raises(InDoubtError):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    assert len(service.calls) == 2


async def test_a_refusal_by_a_rule_proves_the_path() -> None:
    """A later page on it says nothing of what was done."""
    refusal = {"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "The call failed unexpectedly."}
    script = Script(Answer(400, refusal), PAGE)
    async with Service(script) as service, service.client(options=QUICK) as client:
        with pytest.raises(BusinessRuleError):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
        with pytest.raises(InDoubtError):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    assert len(service.calls) == 2


async def test_a_command_that_no_path_knows() -> None:
    """When every path was refused the last refusal is raised."""
    async with Service(lambda _: error(400, "COMMAND_NOT_FOUND")) as service, service.client() as client:
        with pytest.raises(UnknownNameError):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    assert len(service.calls) == 2


async def test_a_shape_that_commands_share_is_not_sent() -> None:
    """WorkOrderAction is there to write functions over; it has no path."""
    async with Service() as service, service.client() as client:
        with pytest.raises(InvalidCallError, match="run a subclass"):
            await client.company().run(WorkOrderAction(work_order_id=1))
    assert service.calls == []


async def test_the_raw_response_is_kept_beside_the_typed_one() -> None:
    """A traced Company notes attempts and the last response as it came, for successes and refusals."""
    busy = Answer(503, b"busy")
    async with Service(Script(busy, FOUND, error(400, "X"))) as service:
        async with service.client(options=QUICK) as client:
            trace = Trace()
            acme = client.company().traced(trace)
            assert await acme.get("Thing", 1) == {"Id": 1}
            assert trace.reply is not None
            assert (trace.attempts, trace.reply.status) == (2, 200)
            assert trace.reply.body == b'{"Data": {"Id": 1}}'
            assert trace.reply.headers["Content-Type"].startswith("application/json")
            with pytest.raises(RefusedError):
                await acme.run("Any", {})
            assert (trace.attempts, trace.reply.status) == (1, 400)
            assert trace.request_id == service.calls[-1].json["RequestId"]
