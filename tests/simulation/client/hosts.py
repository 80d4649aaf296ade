"""Hosts of the simulated service, and the events that happen to them."""

from __future__ import annotations

import functools

from tests.simulation.client.backend import LOCATOR_HOST, TOKEN_HOST, Backend, host_name
from tests.simulation.client.network import Network
from tests.simulation.client.plan import Plan, Step
from tests.simulation.client.service import Peer, Service

COMPANIES = 2
_MOVES = 3  # maximum moves of a Company


class Hosts:
    """Locator, token endpoint and hosts of all Companies, on one network."""

    def __init__(self, plan: Plan, network: Network, backend: Backend, service: Service) -> None:
        self._old_host = plan.world.old_host
        self._network = network
        self._backend = backend
        self._service = service
        company_hosts = [host_name(n, moves) for n in range(COMPANIES) for moves in range(_MOVES + 1)]
        for name in (LOCATOR_HOST, TOKEN_HOST, *company_hosts):
            network.names[name] = [name]
            network.hosts[name] = functools.partial(Peer, service, name)
        dead = plan.world.two_addresses
        if dead:
            getattr(network, dead).add(f"{dead}.sim")
            for name in company_hosts:
                network.names[name] = [f"{dead}.sim", name]

    def happen(self, step: Step) -> None:
        network, company, loop = self._network, step.company, self._network.loop
        network.note("event", step.kind)
        host = host_name(company, self._backend.moves[company])
        if step.kind == "move":
            self._move(company, host)
        elif step.kind == "kill_tokens":
            self._backend.kill_tokens()
        elif step.kind == "reset":
            self._reset("")
        elif step.kind == "overload":
            self._service.overloaded_until = loop.time() + step.seconds
        else:
            unreachable = getattr(network, step.kind)
            unreachable.add(host)
            loop.call_later(step.seconds, unreachable.discard, host)

    def _move(self, company: int, host: str) -> None:
        if self._backend.moves[company] < _MOVES:
            self._backend.move(company)
            if self._old_host == "down":
                self._network.down.add(host)
                self._reset(host)

    def _reset(self, host: str) -> None:
        for wire in self._network.wires:
            if not wire.is_closing() and wire.host.endswith(host):
                wire.finish("rst")
