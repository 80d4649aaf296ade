"""Work orders over HTTP: a small back end on FastAPI.

    pip install . fastapi uvicorn  # in a clone
    uvicorn fastapi_app:app            # the WOSDK_* variables name the Company

Its tests are in ``docs/examples/test_fastapi_app.py``; ``docs/web.md`` explains the parts.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from wosdk_async import (
    Client,
    Company,
    InvalidCallError,
    Trace,
    WoCreateCommand,
    WorkOrder,
    WorkZone,
    WosdkError,
    fields,
    problem_of,
)
from wosdk_async.web.asgi import CancelAbandonedReads, one_line
from wosdk_async.web.pydantic import Strict

log = logging.getLogger(__name__)

MAX_QUEUED = 100  # calls that wait for the service; with one more, a request gets a 503
USUAL_SECONDS, MAX_SECONDS = 15.0, 60.0  # that a request may take
PROBE_AFTER = 5.0  # seconds without a response after which readiness asks the service


def connect() -> Client:
    """Return the client of the whole application."""
    return Client.from_env(max_queued=MAX_QUEUED)


# --- what routes get ------------------------------------------------------------------------


async def client_of(request: Request) -> Client:
    """Return the client, which the lifespan has opened."""
    client: Client = request.app.state.client
    return client


async def company_of(
    client: Annotated[Client, Depends(client_of)],
    request_timeout: Annotated[float, Header(gt=0)] = USUAL_SECONDS,
) -> Company:
    """Return the Company; all calls of a request together may take the seconds that its header gives."""
    return client.company().within(min(request_timeout, MAX_SECONDS))


Acme = Annotated[Company, Depends(company_of)]
OrderId = Annotated[int, Path(ge=1, lt=2**31)]
# The key ends up in the PoNumber of the order, where a call in doubt is looked up by it.
Key = Annotated[str, Header(alias="Idempotency-Key", pattern=r"^[A-Za-z0-9._-]{8,19}$")]


class Fixed(BaseModel):
    """Body without other fields than its own."""

    model_config = ConfigDict(extra="forbid")


class Completion(Fixed):
    """Body of a request to complete an order."""

    note: str | None = Field(default=None, max_length=2000)


class Change(Fixed):
    """Body of a request to change an order: a field that is left out stays as it is, null empties it."""

    version: int = Field(ge=0)  # the ConcurrencyId that the caller read
    contact_name: str | None = Field(default=None, max_length=256)
    is_warranty: bool = False


class Hold(Fixed):
    """Body of a request to put an order on hold."""

    reason: str = Field(max_length=100)
    comment: str | None = Field(default=None, max_length=2000)


# --- the application ------------------------------------------------------------------------


def create_app(connect: Callable[[], Client] = connect) -> FastAPI:
    """Return the application. Tests pass a client of their own."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with connect() as client:  # one for all requests; it ends with the application
            client.company()  # raises ConfigurationError without settings, so that the start fails
            app.state.client = client
            yield

    app = FastAPI(title="Work orders", lifespan=lifespan, separate_input_output_schemas=False)
    app.add_middleware(CancelAbandonedReads)
    app.exception_handler(WosdkError)(problem_response)
    app.exception_handler(RequestValidationError)(invalid_response)
    app.exception_handler(HTTPException)(failure_response)
    app.exception_handler(Exception)(failure_response)
    add_order_routes(app)
    add_health_routes(app)
    return app


async def problem_response(request: Request, error: WosdkError) -> Response:
    """Return the problem response for an error of the service; the log has all of it."""
    problem = problem_of(error)
    level = logging.WARNING if problem.status >= 500 else logging.INFO
    log.log(level, "%s %s: %s", request.method, one_line(request.url.path), error)
    return Response(problem.content, problem.status, dict(problem.headers))


async def invalid_response(request: Request, error: RequestValidationError) -> Response:
    """Return the problem response for a request that does not fit; ``errors`` has each mistake."""
    found = [{"field": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors()]
    problem = problem_of(InvalidCallError("; ".join(f"{each['field']}: {each['message']}" for each in found)))
    log.info("%s %s: %s", request.method, one_line(request.url.path), problem.body["detail"])
    body = {**problem.body, "errors": found}
    return JSONResponse(body, problem.status, media_type=problem.headers["Content-Type"])


async def failure_response(request: Request, error: Exception) -> Response:
    """Return the problem response for an error of FastAPI, such as 404 and 405, or of this program: 500."""
    known = error if isinstance(error, HTTPException) else HTTPException(500, "The log has the cause.")
    body = {
        "type": "about:blank",  # RFC 9457: the title is that of the status
        "title": HTTPStatus(known.status_code).phrase,
        "status": known.status_code,
        "detail": known.detail,
        "in_doubt": known.status_code >= 500 and request.method != "GET",  # it may have failed after a call
    }
    return JSONResponse(body, known.status_code, known.headers, media_type="application/problem+json")


def add_order_routes(app: FastAPI) -> None:
    """Add the routes of work orders. Records are bodies and results as they are."""

    @app.get("/orders")
    async def list_orders(
        acme: Acme,
        status: Annotated[str | None, Query(max_length=40)] = None,
        after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> list[WorkOrder]:
        """List work orders by id; the id of the last one, as ``after``, leads to the next page."""
        f = fields(WorkOrder)
        query = acme.query(WorkOrder).where(f.id > after).select("*", "Customer.*")
        if status is not None:
            query = query.where(f.status_id == status)
        return await query.order_by(f.id).limit(limit).all()

    @app.get("/orders/{order_id}")
    async def get_order(acme: Acme, order_id: OrderId) -> WorkOrder:
        """Read one work order."""
        return await acme.get(WorkOrder, order_id, properties=["*", "Customer.*", "Items.*"])

    @app.get("/orders/by-number/{number}")
    async def get_order_by_number(acme: Acme, number: Annotated[str, Path(max_length=50)]) -> WorkOrder:
        """Read the work order with a number, which is a text."""
        return await acme.work_orders.by_number(number, properties=["*", "Customer.*"])

    @app.post("/orders", status_code=201)
    async def create_order(
        acme: Acme, order: Annotated[Strict[WorkOrder], Body()], key: Key, response: Response
    ) -> WorkOrder:
        """Create a work order once for each key: the same request again finds the first one's order."""
        order.po_number = key
        trace = Trace()
        # The service works out when it is due; that would replace a time of the caller.
        command = WoCreateCommand(work_order=order, compute_schedule=order.dt_due is None)
        made = await acme.traced(trace).run(command, marker="work_order.po_number", look_first=True)
        if trace.found:
            response.status_code = 200
        return made.wo or order

    @app.patch("/orders/{order_id}", status_code=204)
    async def change_order(acme: Acme, order_id: OrderId, change: Change) -> None:
        """Write fields of a work order if it has the version that the caller read, else respond with 409."""
        changes = change.model_dump(exclude={"version"}, exclude_unset=True)
        if not changes:
            raise InvalidCallError("the body has no field to change")
        read = WorkOrder(id=order_id, concurrency_id=change.version)
        await acme.update(read, if_unchanged=True, **changes)

    @app.post("/orders/{order_id}/start")
    async def start_order(acme: Acme, order_id: OrderId) -> WorkOrder:
        """Start a work order: a new one is picked up first, and one on hold is resumed."""
        order = await acme.get(WorkOrder, order_id, properties=["StatusId"])
        if order.status_id in ("OnHold", "Paused"):
            return await acme.work_orders.resume(order, start=True)
        if order.status_id == "New":
            await acme.work_orders.pick_up(order)
        return await acme.work_orders.start(order)

    @app.post("/orders/{order_id}/complete")
    async def complete_order(acme: Acme, order_id: OrderId, completion: Completion) -> WorkOrder:
        """Complete a work order."""
        return await acme.work_orders.complete(order_id, note=completion.note)

    @app.post("/orders/{order_id}/hold")
    async def hold_order(acme: Acme, order_id: OrderId, hold: Hold) -> WorkOrder:
        """Put a work order on hold, for a reason of the Company by its name."""
        return await acme.work_orders.hold(order_id, reason=hold.reason, comment=hold.comment)


def add_health_routes(app: FastAPI) -> None:
    """Add the routes that a load balancer asks."""

    @app.get("/healthz")
    async def is_alive() -> dict[str, str]:
        """Respond with 200 as long as the process lives; nothing is sent to the service."""
        return {"status": "alive"}

    @app.get("/readyz")
    async def is_ready(client: Annotated[Client, Depends(client_of)]) -> Response:
        """Respond with 200 if the service did a moment ago and the queue is short: requests may come."""
        heard = [each.response_age for each in client.stats().companies]
        if not any(seconds is not None and seconds < PROBE_AFTER for seconds in heard):
            await client.company().within(5).query(WorkZone).select("Id").first()  # raises what is wrong
        stats = client.stats()
        state: dict[str, Any] = {
            "in_flight": stats.in_flight,
            "queued": stats.queued,
            "outcomes": dict(stats.outcomes),
        }
        return JSONResponse(state, 200 if stats.queued < MAX_QUEUED else 503)


app = create_app()
