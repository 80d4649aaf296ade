"""Work orders over HTTP: a small back end on Litestar, with the routes of ``fastapi_app.py``.

    pip install . litestar uvicorn  # in a clone
    uvicorn litestar_app:app           # the WOSDK_* variables name the Company

Its tests are in ``tests/examples/test_web_apps.py``; ``docs/web.md`` explains the parts.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Annotated, Any

from litestar import Litestar, Request, Response, get, patch, post
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException, ValidationException
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

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
from wosdk_async.web.litestar import RecordPlugin

log = logging.getLogger(__name__)

MAX_QUEUED = 100  # calls that wait for the service; with one more, a request gets a 503
USUAL_SECONDS, MAX_SECONDS = 15.0, 60.0  # that a request may take
PROBE_AFTER = 5.0  # seconds without a response after which readiness asks the service


def connect() -> Client:
    """Return the client of the whole application."""
    return Client.from_env(max_queued=MAX_QUEUED)


# --- what routes get ------------------------------------------------------------------------


async def company_of(
    state: State,
    request_timeout: Annotated[float, HeaderParameter(name="Request-Timeout", gt=0)] = USUAL_SECONDS,
) -> Company:
    """Return the Company; all calls of a request together may take the seconds that its header gives."""
    client: Client = state.client
    return client.company().within(min(request_timeout, MAX_SECONDS))


Acme = NamedDependency[Company]
OrderId = Annotated[int, PathParameter(ge=1, lt=2**31)]
# The key ends up in the PoNumber of the order, where a call in doubt is looked up by it.
Key = Annotated[str, HeaderParameter(name="Idempotency-Key", pattern=r"^[A-Za-z0-9._-]{8,19}$")]
Text = Annotated[str, Meta(max_length=2000)]


class Completion(Struct, forbid_unknown_fields=True):
    """Body of a request to complete an order."""

    note: Text | None = None


class Change(Struct, forbid_unknown_fields=True):
    """Body of a request to change an order: a field that is left out stays as it is, null empties it."""

    version: Annotated[int, Meta(ge=0)]  # the ConcurrencyId that the caller read
    contact_name: Annotated[str, Meta(max_length=256)] | UnsetType | None = UNSET
    is_warranty: bool | UnsetType = UNSET


class Hold(Struct, forbid_unknown_fields=True):
    """Body of a request to put an order on hold."""

    reason: Annotated[str, Meta(max_length=100)]
    comment: Text | None = None


# --- work orders: records are bodies and results as they are --------------------------------


@get("/orders")
async def list_orders(
    acme: Acme,
    status: Annotated[str | None, QueryParameter(max_length=40)] = None,
    after: Annotated[int, QueryParameter(ge=0, lt=2**31)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
) -> list[WorkOrder]:
    """List work orders by id; the id of the last one, as ``after``, leads to the next page."""
    f = fields(WorkOrder)
    query = acme.query(WorkOrder).where(f.id > after).select("*", "Customer.*")
    if status is not None:
        query = query.where(f.status_id == status)
    return await query.order_by(f.id).limit(limit).all()


@get("/orders/{order_id:int}")
async def get_order(acme: Acme, order_id: OrderId) -> WorkOrder:
    """Read one work order."""
    return await acme.get(WorkOrder, order_id, properties=["*", "Customer.*", "Items.*"])


@get("/orders/by-number/{number:str}")
async def get_order_by_number(acme: Acme, number: Annotated[str, PathParameter(max_length=50)]) -> WorkOrder:
    """Read the work order with a number, which is a text."""
    return await acme.work_orders.by_number(number, properties=["*", "Customer.*"])


@post("/orders")
async def create_order(acme: Acme, data: JSONBody[WorkOrder], key: Key) -> Response[WorkOrder]:
    """Create a work order once for each key: the same request again finds the first one's order."""
    data.po_number = key
    trace = Trace()
    # The service works out when it is due; that would replace a time of the caller.
    command = WoCreateCommand(work_order=data, compute_schedule=data.dt_due is None)
    made = await acme.traced(trace).run(command, marker="work_order.po_number", look_first=True)
    return Response(made.wo or data, status_code=200 if trace.found else 201)


@patch("/orders/{order_id:int}", status_code=204)
async def change_order(acme: Acme, order_id: OrderId, data: JSONBody[Change]) -> None:
    """Write fields of a work order if it has the version that the caller read, else respond with 409."""
    changes = {name: value for name, value in asdict(data).items() if value is not UNSET}
    read = WorkOrder(id=order_id, concurrency_id=changes.pop("version"))
    if not changes:
        raise InvalidCallError("the body has no field to change")
    await acme.update(read, if_unchanged=True, **changes)


@post("/orders/{order_id:int}/start", status_code=200)
async def start_order(acme: Acme, order_id: OrderId) -> WorkOrder:
    """Start a work order: a new one is picked up first, and one on hold is resumed."""
    order = await acme.get(WorkOrder, order_id, properties=["StatusId"])
    if order.status_id in ("OnHold", "Paused"):
        return await acme.work_orders.resume(order, start=True)
    if order.status_id == "New":
        await acme.work_orders.pick_up(order)
    return await acme.work_orders.start(order)


@post("/orders/{order_id:int}/complete", status_code=200)
async def complete_order(acme: Acme, order_id: OrderId, data: JSONBody[Completion]) -> WorkOrder:
    """Complete a work order."""
    return await acme.work_orders.complete(order_id, note=data.note)


@post("/orders/{order_id:int}/hold", status_code=200)
async def hold_order(acme: Acme, order_id: OrderId, data: JSONBody[Hold]) -> WorkOrder:
    """Put a work order on hold, for a reason of the Company by its name."""
    return await acme.work_orders.hold(order_id, reason=data.reason, comment=data.comment)


READS = [list_orders, get_order, get_order_by_number]
WRITES = [create_order, change_order, start_order, complete_order, hold_order]


# --- health: what a load balancer asks ------------------------------------------------------


@get("/healthz")
async def is_alive() -> dict[str, str]:
    """Respond with 200 as long as the process lives; nothing is sent to the service."""
    return {"status": "alive"}


@get("/readyz")
async def is_ready(state: State) -> Response[dict[str, Any]]:
    """Respond with 200 if the service did a moment ago and the queue is short: requests may come."""
    client: Client = state.client
    heard = [each.response_age for each in client.stats().companies]
    if not any(seconds is not None and seconds < PROBE_AFTER for seconds in heard):
        await client.company().within(5).query(WorkZone).select("Id").first()  # raises what is wrong
    stats = client.stats()
    shown = {"in_flight": stats.in_flight, "queued": stats.queued, "outcomes": dict(stats.outcomes)}
    return Response(shown, status_code=200 if stats.queued < MAX_QUEUED else 503)


# --- the application ------------------------------------------------------------------------


def problem_response(request: Request[Any, Any, Any], error: WosdkError) -> Response[bytes]:
    """Return the problem response for an error of the service; the log has all of it."""
    problem = problem_of(error)
    level = logging.WARNING if problem.status >= 500 else logging.INFO
    log.log(level, "%s %s: %s", request.method, one_line(request.url.path), error)
    headers = {name: value for name, value in problem.headers.items() if name != "Content-Type"}
    media_type = problem.headers["Content-Type"]
    return Response(problem.content, status_code=problem.status, headers=headers, media_type=media_type)


def invalid_response(request: Request[Any, Any, Any], error: ValidationException) -> Response[dict[str, Any]]:
    """Return the problem response for a request that does not fit; ``errors`` has each mistake."""
    extra = error.extra if isinstance(error.extra, list) else []
    found = [{"field": str(each.get("key") or "data"), "message": str(each["message"])} for each in extra]
    for each in found:
        if each["field"] == "data":  # the argument of a handler; those who send the body do not know it
            missing = each["message"] == "'data'"  # Litestar's words for no body at all
            each |= {"field": "body", "message": "is missing; send JSON" if missing else each["message"]}
    texts = [f"{each['field']}: {each['message']}" for each in found]
    problem = problem_of(InvalidCallError("; ".join(texts) or error.detail))
    log.info("%s %s: %s", request.method, one_line(request.url.path), problem.body["detail"])
    media_type = problem.headers["Content-Type"]
    return Response({**problem.body, "errors": found}, status_code=problem.status, media_type=media_type)


def failure_response(request: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    """Return the problem response for an error of Litestar, such as 404 and 405, or of this program: 500."""
    known = error if isinstance(error, HTTPException) else HTTPException("The log has the cause.")
    if known.status_code >= 500:
        log.error("%s %s", request.method, one_line(request.url.path), exc_info=error)
    body = {
        "type": "about:blank",  # RFC 9457: the title is that of the status
        "title": HTTPStatus(known.status_code).phrase,
        "status": known.status_code,
        "detail": known.detail,
        "in_doubt": known.status_code >= 500 and request.method != "GET",  # it may have failed after a call
    }
    media_type = "application/problem+json"
    return Response(body, status_code=known.status_code, headers=known.headers, media_type=media_type)


def create_app(connect: Callable[[], Client] = connect) -> Litestar:
    """Return the application. Tests pass a client of their own."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with connect() as client:  # one for all requests; it ends with the application
            client.company()  # raises ConfigurationError without settings, so that the start fails
            app.state.client = client
            yield

    return Litestar(
        [*READS, *WRITES, is_alive, is_ready],
        plugins=[RecordPlugin(unknown="refuse")],
        dependencies={"acme": Provide(company_of)},
        middleware=[CancelAbandonedReads],
        exception_handlers={
            WosdkError: problem_response,
            ValidationException: invalid_response,
            Exception: failure_response,
        },
        lifespan=[lifespan],
        logging_config=None,  # as the server sets it
    )


app = create_app()
