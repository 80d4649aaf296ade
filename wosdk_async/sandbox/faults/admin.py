"""Faults and clock over HTTP, below ``/_sandbox/``: JSON in the shape of the script."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.schema.bodies import dump

__all__ = ["fault_routes"]

_SPANS = ("seconds", "minutes", "hours", "days")


def fault_routes(faults: Faults, clock: Clock) -> list[Route]:
    """``GET``, ``PUT``, ``DELETE /_sandbox/faults`` and ``GET``, ``POST /_sandbox/clock``."""

    async def script(request: Request) -> Response:
        try:
            if request.method == "PUT":
                faults.load(FaultScript.of(await _body(request)))
        except ValueError as error:
            return _json({"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": str(error)}, 400)
        if request.method == "DELETE":
            faults.clear()
        return _json(faults.report())

    async def time(request: Request) -> Response:
        try:
            if request.method == "POST":
                clock.advance(**_span(await _body(request)))
        except (ValueError, OverflowError) as error:
            return _json({"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": str(error)}, 400)
        return _json({"now": clock.now.isoformat().replace("+00:00", "Z")})

    return [
        Route("/_sandbox/faults", script, methods=["GET", "PUT", "DELETE"]),
        Route("/_sandbox/clock", time, methods=["GET", "POST"]),
    ]


async def _body(request: Request) -> Any:
    try:
        return json.loads(await request.body())
    except RecursionError:
        raise ValueError("The body is nested too deep.") from None


def _span(body: object) -> dict[str, float]:
    if not isinstance(body, dict) or not body.keys() <= set(_SPANS) or not all(map(_fits, body.values())):
        raise ValueError(f"Name how far the clock goes on, by numbers called {', '.join(_SPANS)}.")
    return body


def _fits(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _json(value: dict[str, object], status: int = 200) -> Response:
    return Response(dump(value), status, media_type="application/json")
