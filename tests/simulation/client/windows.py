"""Documented windows: wrong outcomes that no client can avoid, see docs/failures.md."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.client.messages import Request, ResponseUnit
from tests.simulation.client.network import Network
from tests.simulation.client.wire import Wire

_AT_ONCE = 0.05  # seconds: within them, responses may be read in a different order than they arrived


def documented_window(network: Network, key: str) -> str:
    """Return the window in which a call accepted another request's response; empty if there is none.

    The response to a base call names no request. A surplus response that arrives after the next request has
    left on the same connection looks like that request's own, if it has the same form. A command accepts a
    response without a RequestId until its host has sent one.
    """
    for wire in network.wires:
        for request, unit in odd_responses_read(wire):
            kind = request.kind
            if key not in request.keys or (unit.key == request.key and not unit.surplus):
                continue
            if unit.key == request.key and unit.names_request:
                return "the response to an attempt came twice"
            if unit.form == "wait":
                return f"{kind} believed a request to wait that was for another"
            if kind == "command" and _may_lack_id(network, wire.host, unit):
                return "a command believed a response without RequestId"
            if _looks_right(kind, unit):
                return f"{kind} believed another response"
    return ""


def odd_responses_read(wire: Wire) -> Iterator[tuple[Request, ResponseUnit]]:
    """Yield like :func:`responses_read`, but only for a connection with strange or surplus responses."""
    if any(unit.strange or unit.surplus for unit in wire.exchange.units):
        yield from responses_read(wire)


def responses_read(wire: Wire) -> Iterator[tuple[Request, ResponseUnit]]:
    """Yield each request, and the response that the client read for it.

    This is the first response that arrived after the request had left.
    """
    exchange, index = wire.exchange, 0
    units = sorted(exchange.units, key=lambda unit: unit.arrived)
    for written, data in exchange.written:
        while index < len(units) and units[index].arrived < written:
            index += 1
        if index == len(units):
            return
        if found := Request.parse(wire.host, data):
            yield found[0], units[index]
        index += 1


def _may_lack_id(network: Network, host: str, unit: ResponseUnit) -> bool:
    """Return whether a response may lack a RequestId, because the host has sent none in this form so far.

    The client counts RequestIds of look-ups separately.
    """
    echoed = (
        each
        for wire in network.wires
        if wire.host == host
        for request, each in responses_read(wire)
        if each.names_request
        and request.kind == "command"
        and (each.form == "error") == (unit.form == "error")
    )
    return not unit.names_request and all(each.until > unit.since - _AT_ONCE for each in echoed)


def _looks_right(kind: str, unit: ResponseUnit) -> bool:
    """Return whether another request's response has the form of a response to this kind of request."""
    if kind == "command":
        return False
    if unit.form == "error" and not unit.names_request:
        return True
    return unit.form == {"create": "EntitySpecifier Contact", "lookup": "Entities"}.get(kind)
