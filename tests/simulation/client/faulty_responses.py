"""Responses from the faults of a plan: changed and surplus responses, and the bytes of all responses."""

from __future__ import annotations

from typing import Any

from tests.simulation.client.messages import Request, Response, ResponseUnit
from tests.simulation.client.plan import Reaction

FOREIGN_ID = "f" * 32
"""RequestId that no call sends."""
_GATEWAY_PAGE = Response(502, b"<html><h1>502 Bad Gateway</h1></html>", ("Content-Type: text/html",))
_ERROR = {
    "ErrorMessage": "not this one",
    "ErrorCode": "BUSINESS_LOGIC_ERROR",
    "TimeStamp": "2024-05-14T13:15:07.2Z",
}
_FOREIGN_ORDER = {"CommandResult": {"Wo": {"PoNumber": "K0", "Id": 990}}, "RequestId": FOREIGN_ID}
SURPLUS: dict[str, Response] = {
    "408": Response(408, b""),
    "foreign": Response(200, _FOREIGN_ORDER),
    "anonymous": Response(200, {"CommandResult": {"Wo": {"PoNumber": "K0", "Id": 991}}}),
    "refusal": Response(400, {**_ERROR, "RequestId": FOREIGN_ID}),
    "specifier": Response(200, {"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Contact", "Id": 992}}),
    "other_specifier": Response(200, {"EntitySpecifier": {"EntityType": "Team", "Id": 993}}),
    "rows": Response(200, {"Entities": []}),
    "record": Response(200, {"Data": {"Id": 994, "LastName": "L994"}}),
}
"""Surplus responses by the kind in a plan."""


def apply_reaction(request: Request, reaction: Reaction, response: Response | None) -> Response:
    """Return the response that a reaction creates from the right response.

    ``response`` is None if the request was not carried out, or not yet.
    """
    kind = reaction.kind
    if kind == "refuse":
        return _with_id(Response(400, dict(_ERROR)), request.request_id)
    if kind == "busy":
        return _busy(request, reaction)
    if kind == "gateway" or response is None:
        return _GATEWAY_PAGE
    if kind == "unreadable":
        return Response(200, b'{"CommandResult": {"Wo": ')
    if not isinstance(response.body, dict) or response.status != 200:
        return response
    body: dict[str, Any] = dict(response.body)
    if kind == "null":
        name = next(iter(body))
        body[name] = [None, [], "", 0, False][sum(request.key.encode()) % 5]
        if reaction.chunked:
            del body[name]
    elif kind == "no_id":
        body.pop("RequestId", None)
    elif kind == "other_id" and "RequestId" in body:
        body["RequestId"] = FOREIGN_ID
    elif kind == "upper_id" and "RequestId" in body:
        body["RequestId"] = f" {body['RequestId'].upper()} "
    return Response(200, body)


def _busy(request: Request, reaction: Reaction) -> Response:
    """Return an overload response: the service's own error, or a gateway's page."""
    if reaction.retry_after is not None:
        headers = (f"Retry-After: {reaction.retry_after:g}",)
        return Response(429 if reaction.chunked else 503, b"busy", headers)
    if reaction.carried_out:
        return Response(503, b"<html>no backend answered in time</html>", ("Content-Type: text/html",))
    return _with_id(Response(503, {**_ERROR, "ErrorCode": "OVERLOADED"}), request.request_id)


def _with_id(response: Response, request_id: str | None) -> Response:
    if request_id is not None and isinstance(response.body, dict):
        response.body["RequestId"] = request_id
    return response


def unit_of(key: str, response: Response) -> ResponseUnit:
    form = _form(response)
    names_request = isinstance(response.body, dict) and "RequestId" in response.body
    return ResponseUnit(key, form, names_request, strange=form == "page")


def _form(response: Response) -> str:
    """Return the form by which a client recognizes a response that does not name its request."""
    body = response.body
    if any("Retry-After" in header for header in response.headers):
        return "wait"
    if not isinstance(body, dict):
        return "page"
    if "ErrorCode" in body:
        return "error"
    specifier = body.get("EntitySpecifier")
    return f"EntitySpecifier {specifier['EntityType']}" if specifier else next(iter(body), "nothing")


def encode(response: Response, *, chunked: bool = False) -> bytes:
    body = response.content
    lines = [f"HTTP/1.1 {response.status} Status", *response.headers]
    if isinstance(response.body, dict):
        lines.append("Content-Type: application/json; charset=utf-8")
    if chunked and body:
        head = "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode()
        return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body
