"""Active fault script and its counters, moved Companies, and the middleware that applies faults."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Never

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.access import is_internal
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.errors import FaultScriptError, Refusal
from wosdk_async.sandbox.faults.exchange import BufferedResponse, FaultExchange
from wosdk_async.sandbox.faults.script import FaultScript, RequestMatch, Rule, header, match_of
from wosdk_async.sandbox.storage.store import Store

INJECTED = "wosdk.injected"  # ASGI scope key for the list of injected fault kinds

_MAX_READ = 32 * 1024 * 1024  # bytes read for faults; the application reads the rest of a longer body
_MISMATCH = Refusal(400, "DATABASE_VERSION_MISMATCH", "This host does not serve the Company.")
_SECOND_PORT = 8900  # for a server without sockets, where any other port works


class Faults:
    """Faults of a local Company: the active script and its counters.

    Any thread may change the script while the server runs. Each change resets the counters.

    Args:
        script: a TOML file, equivalent plain data, or a `FaultScript`; None for no faults.

    Attributes:
        companies: Company names allowed in rules of `add`; empty allows any.
        late: tasks that carry out requests after their connections have closed.
        moved_hosts: ports of Companies that have moved.

    Raises:
        FaultScriptError: the script is invalid; the message names the rule.
    """

    def __init__(self, script: FaultScript | Mapping[str, Any] | str | Path | None = None) -> None:
        self.companies: Sequence[str] = ()
        self.late: set[asyncio.Future[None]] = set()
        self.moved_hosts = MovedHosts()
        self._request_ids: list[str] = []
        self.load(script)

    def load(self, script: FaultScript | Mapping[str, Any] | str | Path | None) -> None:
        """Replace the active script (None: no rules), and move Companies back to their first port.

        Raises FaultScriptError if the script is invalid.
        """
        if isinstance(script, str | Path):
            script = FaultScript.read(script)
        elif not isinstance(script, FaultScript):
            script = FaultScript.of({} if script is None else script)
        self.moved_hosts.clear()
        self._request_ids.clear()
        self._state = _ScriptState(script)

    def add(self, fault: str | Mapping[str, Any], *_unnamed: Never, **settings: Any) -> None:
        """Append a rule to the active script, and reset all counters.

        Args:
            fault: kind of fault, such as ``status``, ``latency`` or ``reset``; ``docs/sandbox.md`` lists all.
                Or the rule as a dict, as in a script.
            settings: which requests to match (``operation``, ``company``; ``first``, ``every`` or ``rate``),
                and the fault's settings. ``create`` does not match the creation of a work order, which is a
                command: use ``WoCreateCommand`` (name or class) or ``command``.

        Raises:
            FaultScriptError: the rule is invalid; the message says how to fix it.
        """
        if _unnamed:
            raise FaultScriptError(
                f"{_unnamed[0]!r} must be a keyword argument, as in add({fault!r}, status=503)."
            )
        written = self.script.written()
        rule = {**(fault if isinstance(fault, Mapping) else {"fault": fault}), **settings}
        if isinstance(operation := rule.get("operation"), list | tuple | type):
            named = [operation] if isinstance(operation, type) else operation
            rule["operation"] = [each.__name__ if isinstance(each, type) else each for each in named]
        script = FaultScript.of({**written, "rule": [*written["rule"], rule]})
        if self.companies:
            script.require_companies(self.companies)
        effects = self._state.effects
        self.load(script)
        self._state.effects[: len(effects)] = effects

    def clear(self) -> None:
        """Remove all rules."""
        self.load(None)

    @property
    def script(self) -> FaultScript:
        """The active script."""
        return self._state.script

    @property
    def injected(self) -> dict[str, int]:
        """How often each kind of fault has been applied since the script last changed."""
        return dict(self._state.injected)

    def report(self) -> dict[str, Any]:
        """Return the script with counters per rule and per kind of fault."""
        state = self._state
        return {
            **state.script.written(),
            "matched": list(state.matched),
            "applied": list(state.applied),
            "injected": dict(state.injected),
            "late": len(self.late),
        }

    def unmatched(self) -> list[Rule]:
        """Return the rules that have not matched any request since they were added."""
        return [rule for rule, effect in self._state.with_effects() if not effect.matched]

    def preempted(self) -> list[Rule]:
        """Return the rules that were due but never applied, because earlier rules had ended each request."""
        known = self._state.with_effects()
        return [rule for rule, effect in known if effect.preempted and not effect.applied]

    @property
    def idle(self) -> bool:
        """Whether there are no rules."""
        return not self._state.script.rules

    def note_response(self, request_id: str | None) -> None:
        """Record a response's RequestId; the last two different ids are kept."""
        if request_id is not None and request_id not in self._request_ids[-1:]:
            self._request_ids = [*self._request_ids[-1:], request_id]

    def earlier_id(self, request_id: str | None) -> str | None:
        """Return the last RequestId other than ``request_id``, which all attempts of a call share."""
        return next((known for known in reversed(self._request_ids) if known != request_id), None)

    def match(self, request: RequestMatch) -> list[tuple[int, Random]]:
        """Count a request. Return the position and random generator of each rule to apply."""
        return self._state.match(request)

    async def apply(self, request: RequestMatch, exchange: FaultExchange, injected: list[str]) -> bool:
        """Apply a request's faults and list them in ``injected``; return whether one ended the request."""
        state = self._state
        due = state.match(request)
        for place, (position, rng) in enumerate(due, 1):
            rule = state.script.rules[position]
            state.applied[position] += 1
            state.effects[position].applied = True
            state.injected[rule.kind] += 1
            injected.append(rule.kind)
            if await rule.fault.apply(exchange, rng):
                for later, _ in due[place:]:
                    state.effects[later].preempted = True
                return True
        return False


@attrs.define
class _Effect:
    """Effects of a rule since it was added; `Faults.add` keeps them when it resets the counters."""

    matched: bool = False
    applied: bool = False
    preempted: bool = False
    """Whether an earlier rule ended a request for which this rule was due."""


class _ScriptState:
    """Script and counters, replaced together."""

    def __init__(self, script: FaultScript) -> None:
        self.script = script
        self.matched = [0] * len(script.rules)  # number of matching requests per rule
        self.applied = [0] * len(script.rules)
        self.effects = [_Effect() for _ in script.rules]
        self.injected = Counter[str]()

    def with_effects(self) -> list[tuple[Rule, _Effect]]:
        return list(zip(self.script.rules, self.effects, strict=True))

    def match(self, request: RequestMatch) -> list[tuple[int, Random]]:
        found = []
        for position, rule in enumerate(self.script.rules):
            if rule.matches(request):
                self.matched[position] += 1
                self.effects[position].matched = True
                rng = self.script.rng(position, self.matched[position])
                if rule.is_due(self.matched[position], rng):
                    found.append((position, rng))
        return found


@attrs.define
class MovedHosts:
    """Companies that faults have moved to one of ``ports``; every port serves the other Companies."""

    ports: Sequence[int] = ()
    _current: dict[str | None, int] = attrs.field(factory=dict, init=False)

    def move(self, request: RequestMatch, scope: Scope) -> None:
        """Move the request's Company to the next port."""
        current = self._current.get(request.company, _port(scope))
        ports = self.ports if current in self.ports else [current, *(self.ports or [_SECOND_PORT])]
        self._current[request.company] = ports[(ports.index(current) + 1) % len(ports)]

    def clear(self) -> None:
        """Let every port serve every Company again."""
        self._current.clear()

    def has_left(self, request: RequestMatch, scope: Scope) -> bool:
        """Return whether to refuse a request because its Company has left the port."""
        current = self._current.get(request.company)
        elsewhere = current is not None and _port(scope) != current
        return elsewhere and not request.operations & {"token", "discovery", "other"}

    def redirect(self, request: RequestMatch, scope: Scope) -> None:
        """Set the Host header of a discovery request so that the response names the Company's port."""
        current = self._current.get(request.company)
        if current is None or "discovery" not in request.operations:
            return
        host = (header(scope, b"host") or "localhost").rpartition(":")
        name = host[0] if host[2].isdecimal() and host[0] else "".join(host)
        others = [pair for pair in scope["headers"] if pair[0] != b"host"]
        scope["headers"] = [(b"host", f"{name}:{current}".encode()), *others]


def _port(scope: Scope) -> int:
    digits = (header(scope, b"host") or "").rpartition(":")[2]
    return int(digits) if digits.isdecimal() else 443 if scope["scheme"] == "https" else 80


@attrs.frozen
class FaultMiddleware:
    """ASGI middleware that applies active faults before requests reach ``app``."""

    app: ASGIApp
    faults: Faults
    store: Store
    clock: Clock
    expire_token: Callable[[str | None], None]
    refusal: Callable[[Refusal, str | None], BufferedResponse]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Apply the faults. If none of them finished the request, pass it on."""
        if self.faults.idle or scope["type"] != "http" or is_internal(scope["path"], scope["method"]):
            await self.app(scope, receive, send)
            return
        messages = await _read(receive)
        if messages[-1]["type"] == "http.disconnect":  # without a whole request, no fault can be applied
            return
        body = b"".join(message.get("body", b"") for message in messages)
        owners = {company.client_id: company.name for company in self.store.companies()}
        request = match_of(scope, body, owners.get)
        generation = self.store.generation()
        exchange = FaultExchange(
            app=self.app,
            scope=scope,
            messages=messages,
            receive=receive,
            send=send,
            clock=self.clock,
            refusal=lambda refused: self.refusal(refused, request.request_id),
            earlier_id=self.faults.earlier_id(request.request_id),
            expire_token=lambda: self.expire_token(header(scope, b"authorization")),
            move=lambda: self.faults.moved_hosts.move(request, scope),
            late=self.faults.late,
            is_current=lambda: self.store.generation() == generation,
        )
        injected = scope.setdefault(INJECTED, [])
        if await self.faults.apply(request, exchange, injected):
            return
        if self.faults.moved_hosts.has_left(request, scope):
            injected.append("moved")
            await exchange.respond(exchange.refusal(_MISMATCH))
            return
        self.faults.moved_hosts.redirect(request, scope)
        await exchange.pass_on()
        self.faults.note_response(request.request_id)


async def _read(receive: Receive) -> list[Message]:
    kept, size, more = [], 0, True
    while more and size <= _MAX_READ:
        message = await receive()
        kept.append(message)
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    return kept
