"""Simulated service: HTTP/1.1 in front of a backend, with the plan's faults in between."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from functools import partial

import attrs

from tests.simulation.client.backend import LOCATOR_HOST, TOKEN_HOST, Backend
from tests.simulation.client.faulty_responses import SURPLUS, apply_reaction, encode, unit_of
from tests.simulation.client.messages import Request, Response, ResponseUnit
from tests.simulation.client.plan import CallScript, Plan, Reaction, Surplus
from tests.simulation.client.wire import Wire

_GOOD = Reaction()


class Service:
    """State shared by all connections: requests that arrived, and remaining reactions."""

    def __init__(self, plan: Plan, backend: Backend, scripts: Mapping[str, CallScript]) -> None:
        self.backend = backend
        self.seen: dict[str, list[tuple[str, float]]] = defaultdict(list)
        """Kind and time of each complete request, by key. Look-ups of markers are left out."""
        self.waited: set[str] = set()
        """Keys of requests that waited behind another request, which the client considered finished."""
        self.overloaded_until = 0.0
        self.world = plan.world
        self._scripts = scripts
        self._logins = plan.logins
        self._numbers: dict[tuple[str, bool], int] = defaultdict(int)

    def reaction(self, request: Request, now: float) -> Reaction:
        """Return the planned reaction to a request, given its key and the earlier requests."""
        lookup = request.kind == "lookup"
        name = ("login", False) if request.kind in ("token", "discovery") else (request.key, lookup)
        number = self._numbers[name]
        self._numbers[name] += 1
        if name[0] == "login":
            planned = self._logins
        else:
            script = self._scripts.get(request.key)
            planned = () if script is None else script.lookups if lookup else script.reactions
        if now < self.overloaded_until and name[0] != "login":
            return Reaction(kind="busy", carried_out=False, retry_after=1.0 if number % 2 else None)
        return planned[number] if number < len(planned) else _GOOD


class Peer:
    """Service's end of one connection, which handles requests one after another."""

    def __init__(self, service: Service, host: str, wire: Wire) -> None:
        self._service = service
        self._host = host
        self._wire = wire
        self._network = wire.network
        self._loop = wire.network.loop
        self._buffer = b""
        self._waiting: deque[Request] = deque()
        self._busy = self._over = False

    def opened(self) -> None:
        """On some connections, send a response before any request."""
        world, rng = self._service.world, self._network.rng
        if self._host in (LOCATOR_HOST, TOKEN_HOST):
            return  # their responses name no Company, so a surplus is believed: docs/simulation.md
        if world.greetings and rng.random() < world.greetings:
            response = SURPLUS[rng.choice(list(SURPLUS))]
            unit = attrs.evolve(unit_of("", response), surplus=True)
            self._wire.push(encode(response), [unit], world.halved)

    def receive(self, data: bytes) -> None:
        if self._over:
            self._wire.finish("rst")
            return
        self._buffer += data
        while (request := self._next_request()) is not None:
            if request.kind != "lookup" or request.request_id is None:  # look-ups of markers have one
                self._service.seen[request.key].append((request.kind, self._loop.time()))
            self._network.note("request", self._wire.number, request.kind, request.key, request.request_id)
            if self._busy:
                self._service.waited.update(request.keys)
            self._waiting.append(request)
        self._handle_next()

    def closed(self) -> None:
        """Remember that the client has closed; its requests are carried out nevertheless."""
        self._over = True

    def _next_request(self) -> Request | None:
        found = Request.parse(self._host, self._buffer)
        if found is None:
            return None
        request, self._buffer = found
        return request

    def _handle_next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        request = self._waiting.popleft()
        reaction = self._service.reaction(request, self._loop.time())
        if reaction.stall:
            self._wire.stall(reaction.stall)
        if reaction.kind == "refuse" or (reaction.kind == "busy" and reaction.retry_after is not None):
            self._loop.call_later(reaction.before, self._respond, request, reaction, None)
            return
        shows_effect = reaction.kind in ("good", "upper_id", "other_id", "no_id")
        early = reaction.early and not shows_effect
        if shows_effect or reaction.carried_out:
            done = partial(self._done, request, reaction, early)
            # Confirmed effects can be queried at once (docs/assumptions.md), others later.
            hidden_for = 0.0 if shows_effect else reaction.hidden_for
            self._loop.call_later(reaction.before, self._service.backend.perform, request, hidden_for, done)
        else:
            early = True
        if early:
            self._loop.call_later(reaction.before * 0.3, self._respond, request, reaction, None)

    def _done(self, request: Request, reaction: Reaction, responded: bool, response: Response) -> None:
        self._network.note("done", request.kind, request.key, response.status)
        if not responded:
            if reaction.after:
                self._loop.call_later(reaction.after, self._respond, request, reaction, response)
            else:
                self._respond(request, reaction, response)

    # --- responding -----------------------------------------------------------------------------

    def _respond(self, request: Request, reaction: Reaction, response: Response | None) -> None:
        """Send the response that the reaction creates; ``response`` is None without an effect so far."""
        if reaction.kind == "silent":
            return  # the connection stays busy
        sent = apply_reaction(request, reaction, response)
        data = encode(sent, chunked=reaction.chunked)
        unit = unit_of(request.key, sent)
        if reaction.kind == "cut":
            self._cut(data, unit, reaction)
            return
        halved = self._service.world.halved
        now = [each for each in reaction.surplus if not (each.after or halved)]
        units = [unit]
        for each in now:
            extra, extra_unit = _surplus(each, data, unit)
            data += extra
            units.append(extra_unit)
        self._push(data, units, 1 if now else reaction.pieces)
        for each in reaction.surplus:
            if each not in now:
                extra, extra_unit = _surplus(each, encode(sent), unit)
                self._send_later(each.after, extra, extra_unit)
        self._busy = False
        self._handle_next()

    def _send_later(self, seconds: float, data: bytes, unit: ResponseUnit) -> None:
        push, halved = self._wire.push, self._service.world.halved
        if seconds:
            self._loop.call_later(seconds, push, data, [unit], halved)
        else:
            push(data, [unit], halved)

    def _cut(self, data: bytes, unit: ResponseUnit, reaction: Reaction) -> None:
        """Send part of the response, then end the connection."""
        data = data[: int(len(data) * reaction.cut)]
        unit.names_request = False  # the client cannot read the RequestId of an incomplete response
        if data:
            self._push(data, [unit], reaction.pieces)
        self._wire.finish(reaction.end)
        self._over = True

    def _push(self, data: bytes, units: list[ResponseUnit], pieces: int) -> None:
        size = max(1, -(-len(data) // pieces))
        for start in range(0, len(data), size):
            self._wire.push(data[start : start + size], units)


def _surplus(surplus: Surplus, good: bytes, unit: ResponseUnit) -> tuple[bytes, ResponseUnit]:
    if surplus.kind == "again":
        return good, attrs.evolve(unit, surplus=True)
    response = SURPLUS[surplus.kind]
    return encode(response), attrs.evolve(unit_of("", response), surplus=True)
