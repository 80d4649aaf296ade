"""Faults and clock over HTTP, below ``/_sandbox/``: JSON in the shape of the script."""

from __future__ import annotations

import math

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .body import dump, parse
from .clock import Clock
from .errors import FaultScriptError, Refusal
from .faults import Faults

__all__ = ["fault_routes"]

_SPANS = ("seconds", "minutes", "hours", "days")


def fault_routes(faults: Faults, clock: Clock) -> list[Route]:
    """``GET``, ``PUT``, ``DELETE /_sandbox/faults`` and ``GET``, ``POST /_sandbox/clock``."""

    async def script(request: Request) -> Response:
        try:
            if request.method == "PUT":
                faults.load(parse(await request.body()))
        except (FaultScriptError, Refusal) as error:
            return _json({"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": str(error)}, 400)
        if request.method == "DELETE":
            faults.clear()
        return _json(faults.report())

    async def time(request: Request) -> Response:
        try:
            if request.method == "POST":
                clock.advance(**_span(parse(await request.body())))
        except (ValueError, OverflowError, Refusal) as error:
            return _json({"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": str(error)}, 400)
        return _json({"now": clock.now.isoformat().replace("+00:00", "Z")})

    return [
        Route("/_sandbox/faults", script, methods=["GET", "PUT", "DELETE"]),
        Route("/_sandbox/clock", time, methods=["GET", "POST"]),
    ]


def _span(body: object) -> dict[str, float]:
    if not isinstance(body, dict) or not body.keys() <= set(_SPANS) or not all(map(_fits, body.values())):
        raise ValueError(f"Name how far the clock goes on, by numbers called {', '.join(_SPANS)}.")
    return body


def _fits(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _json(value: dict[str, object], status: int = 200) -> Response:
    return Response(dump(value), status, media_type="application/json")
