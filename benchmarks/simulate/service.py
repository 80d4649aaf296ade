"""The service: HTTP/1.1 in front of a backend, with the faults of the plan between them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from functools import partial
from typing import Any

import attrs

from benchmarks.simulate.backend import Answer, Backend, Request
from benchmarks.simulate.network import Unit, Wire
from benchmarks.simulate.plan import Fate, Plan, Reaction, Surplus

__all__ = ["Service"]

_GOOD = Reaction()
_PAGE = Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", ("Content-Type: text/html",))
FOREIGN = "f" * 32
"""The RequestId of surplus responses: nobody's."""
_ERROR = {
    "ErrorMessage": "not this one",
    "ErrorCode": "BUSINESS_LOGIC_ERROR",
    "TimeStamp": "2024-05-14T13:15:07.2Z",
}
_STRANGE: dict[str, Answer] = {
    "408": Answer(408, b""),
    "foreign": Answer(200, {"CommandResult": {"Wo": {"PoNumber": "K0", "Id": 990}}, "RequestId": FOREIGN}),
    "anonymous": Answer(200, {"CommandResult": {"Wo": {"PoNumber": "K0", "Id": 991}}}),
    "refusal": Answer(400, {**_ERROR, "RequestId": FOREIGN}),
    "specifier": Answer(200, {"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Contact", "Id": 992}}),
    "other_specifier": Answer(200, {"EntitySpecifier": {"EntityType": "Team", "Id": 993}}),
    "rows": Answer(200, {"Entities": []}),
    "record": Answer(200, {"Data": {"Id": 994, "LastName": "L994"}}),
}


class Service:
    """All hosts together."""

    def __init__(self, plan: Plan, backend: Backend, fates: Mapping[str, Fate]) -> None:
        self.backend = backend
        self.seen: dict[str, list[tuple[str, float]]] = defaultdict(list)
        """Key -> the kinds of its requests that came in whole, and when."""
        self.waited: set[str] = set()
        """Keys of requests that waited for another on their connection: the client thought it was over."""
        self.overloaded_until = 0.0
        self._fates = fates
        self._logins = plan.logins
        self._numbers: dict[tuple[str, bool], int] = defaultdict(int)

    def reaction(self, request: Request, now: float) -> Reaction:
        """What the plan says about this request, the n-th of its key."""
        look = request.kind == "look"
        name = ("login", False) if request.kind in ("token", "discovery") else (request.key, look)
        number = self._numbers[name]
        self._numbers[name] += 1
        if name[0] == "login":
            planned = self._logins
        else:
            fate = self._fates.get(request.key)
            planned = () if fate is None else fate.looks if look else fate.reactions
        if now < self.overloaded_until and name[0] != "login":
            return Reaction(kind="busy", carried=False, retry_after=1.0 if number % 2 else None)
        return planned[number] if number < len(planned) else _GOOD


class Peer:
    """The service's end of one connection: one request after the other."""

    def __init__(self, service: Service, host: str, wire: Wire) -> None:
        self._service = service
        self._host = host
        self._wire = wire
        self._network = wire.network
        self._loop = wire.network.loop
        self._buffer = b""
        self._waiting: deque[Request] = deque()
        self._busy = self._over = False

    def received(self, data: bytes) -> None:
        if self._over:
            self._wire.finish("rst")
            return
        self._buffer += data
        while (request := self._taken()) is not None:
            self._service.seen[request.key].append((request.kind, self._loop.time()))
            self._network.note("request", self._wire.number, request.kind, request.key, request.request_id)
            if self._busy:
                self._service.waited.add(request.key)
            self._waiting.append(request)
        self._go_on()

    def ended(self) -> None:
        """The client has closed. What it has asked for is done all the same."""
        self._over = True

    def _taken(self) -> Request | None:
        found = Request.parsed(self._host, self._buffer)
        if found is None:
            return None
        request, self._buffer = found
        return request

    def _go_on(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        request = self._waiting.popleft()
        reaction = self._service.reaction(request, self._loop.time())
        if reaction.stall:
            self._wire.stall(reaction.stall)
        if reaction.kind == "refuse" or (reaction.kind == "busy" and reaction.retry_after is not None):
            self._loop.call_later(reaction.before, self._answer, request, reaction, None)
            return
        tells = reaction.kind in ("good", "upper_id", "other_id", "no_id")
        early = reaction.early and not tells
        if tells or reaction.carried:
            done = partial(self._done, request, reaction, early)
            perform = self._service.backend.perform
            self._loop.call_later(reaction.before, perform, request, reaction.unseen, done)
        else:
            early = True
        if early:
            self._loop.call_later(reaction.before * 0.3, self._answer, request, reaction, None)

    def _done(self, request: Request, reaction: Reaction, answered: bool, answer: Answer) -> None:
        self._network.note("done", request.kind, request.key, answer.status)
        if not answered:
            if reaction.after:
                self._loop.call_later(reaction.after, self._answer, request, reaction, answer)
            else:
                self._answer(request, reaction, answer)

    # --- answering ------------------------------------------------------------------------------

    def _answer(self, request: Request, reaction: Reaction, answer: Answer | None) -> None:
        """Send what the reaction makes of the answer; without one nothing was done, or not yet."""
        kind = reaction.kind
        if kind == "silent":
            return  # and this connection stays busy
        sent = _changed(kind, request, reaction, answer)
        data = _bytes(sent, reaction.chunked)
        unit = _unit(request.key, sent)
        if kind == "cut":
            data = data[: int(len(data) * reaction.cut)]
            unit.names_request = False  # nobody will read it to its end
            if data:
                self._push(data, [unit], reaction.pieces)
            self._wire.finish(reaction.how)
            self._over = True
            return
        now = [each for each in reaction.surplus if not each.after]
        units = [unit]
        for each in now:
            made, strange = self._strange(each, data, unit)
            data += made
            units.append(strange)
        self._push(data, units, 1 if now else reaction.pieces)
        for each in reaction.surplus:
            if each.after:
                made, strange = self._strange(each, _bytes(sent, False), unit)
                self._loop.call_later(each.after, self._wire.push, made, [strange])
        self._busy = False
        self._go_on()

    def _push(self, data: bytes, units: list[Unit], pieces: int) -> None:
        size = max(1, -(-len(data) // pieces))
        for start in range(0, len(data), size):
            self._wire.push(data[start : start + size], units)

    @staticmethod
    def _strange(surplus: Surplus, good: bytes, unit: Unit) -> tuple[bytes, Unit]:
        if surplus.what == "again":
            return good, attrs.evolve(unit, surplus=True)
        answer = _STRANGE[surplus.what]
        return _bytes(answer), attrs.evolve(_unit("", answer), surplus=True)


def _changed(kind: str, request: Request, reaction: Reaction, answer: Answer | None) -> Answer:
    if kind == "refuse":
        return _with_id(Answer(400, dict(_ERROR)), request.request_id)
    if kind == "busy":
        return _busy(request, reaction)
    if kind == "gateway" or answer is None:
        return _PAGE
    if kind == "unreadable":
        return Answer(200, b'{"CommandResult": {"Wo": ')
    if not isinstance(answer.body, dict) or answer.status != 200:
        return answer
    body: dict[str, Any] = dict(answer.body)
    if kind == "null":
        name = next(iter(body))
        body[name] = [None, [], "", 0, False][sum(request.key.encode()) % 5]
        if reaction.chunked:
            del body[name]
    elif kind == "no_id":
        body.pop("RequestId", None)
    elif kind == "other_id" and "RequestId" in body:
        body["RequestId"] = FOREIGN
    elif kind == "upper_id" and "RequestId" in body:
        body["RequestId"] = f" {body['RequestId'].upper()} "
    return Answer(200, body)


def _busy(request: Request, reaction: Reaction) -> Answer:
    """Overload: the service's own words, or a gateway's page, which knows nothing of the service."""
    if reaction.retry_after is not None:
        headers = (f"Retry-After: {reaction.retry_after:g}",)
        return Answer(429 if reaction.chunked else 503, b"busy", headers)
    if reaction.carried:
        return Answer(503, b"<html>no backend answered in time</html>", ("Content-Type: text/html",))
    return _with_id(Answer(503, {**_ERROR, "ErrorCode": "OVERLOADED"}), request.request_id)


def _with_id(answer: Answer, request_id: str | None) -> Answer:
    if request_id is not None and isinstance(answer.body, dict):
        answer.body["RequestId"] = request_id
    return answer


def _unit(key: str, answer: Answer) -> Unit:
    form = _form(answer)
    names_request = isinstance(answer.body, dict) and "RequestId" in answer.body
    return Unit(key, form, names_request, strange=form == "page")


def _form(answer: Answer) -> str:
    """What a client can tell an answer by, when nothing in it names the request."""
    body = answer.body
    if any("Retry-After" in header for header in answer.headers):
        return "wait"
    if not isinstance(body, dict):
        return "page"
    if "ErrorCode" in body:
        return "error"
    specifier = body.get("EntitySpecifier")
    return f"EntitySpecifier {specifier['EntityType']}" if specifier else next(iter(body), "nothing")


def _bytes(answer: Answer, chunked: bool = False) -> bytes:
    body = answer.bytes()
    json_type = isinstance(answer.body, dict)
    lines = [f"HTTP/1.1 {answer.status} Status", *answer.headers]
    if json_type:
        lines.append("Content-Type: application/json; charset=utf-8")
    if chunked and body:
        head = "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode()
        return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body
