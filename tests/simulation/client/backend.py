"""Small model of the service, written from the specification: its records and its responses.

It knows which token belongs to which Company, the host of each Company, and the effects of each call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from tests.simulation.client.messages import Effect, Request, Response
from wosdk_async import Credentials

LOCATOR_HOST, TOKEN_HOST = "locator.sim", "token.sim"


def company_name(number: int) -> str:
    return f"Company {number}"


def host_name(company: int, moves: int) -> str:
    return f"h{moves}.c{company}.sim"


class Backend:
    """Interface between the faults and the code that carries out the requests."""

    def __init__(self) -> None:
        self.broken: list[tuple[str, str]] = []
        """Violations by requests: the name of the violation, and a description."""
        self.moves: dict[int, int] = defaultdict(int)
        """Number of moves of each Company to another host."""

    def credentials(self, number: int) -> Credentials:
        raise NotImplementedError

    def perform(self, request: Request, hidden_for: float, respond: Callable[[Response], None]) -> None:
        """Carry out a request, and pass the response to ``respond``.

        Queries do not show the effect for ``hidden_for`` seconds.
        """
        raise NotImplementedError

    def effects(self, key: str) -> list[Effect]:
        raise NotImplementedError

    def move(self, company: int) -> None:
        """Move a Company to another host, if the backend supports moves."""

    def kill_tokens(self) -> None:
        """Make all tokens expire, if the backend supports it."""

    def close(self) -> None:
        """Release resources, if any."""


class ServiceModel(Backend):
    """Model of the service.

    ``old_host`` is the behaviour of a host that a Company has left: "mismatch", "good" or "down".
    """

    def __init__(
        self, now: Callable[[], float], token_life: float, old_host: str, scheme: str = "http"
    ) -> None:
        super().__init__()
        self._scheme = scheme
        self._now = now
        self._life = token_life
        self._old_host = old_host
        self._effects: dict[str, list[Effect]] = defaultdict(list)
        self._count = 0
        self._tokens: dict[str, tuple[str, float]] = {}
        """Company and expiry time of each token."""
        self._named: dict[str, set[str]] = defaultdict(set)
        """Hosts that the locator has returned for each token."""

    def credentials(self, number: int) -> Credentials:
        return Credentials(company_name(number), "secret")

    def move(self, company: int) -> None:
        self.moves[company] += 1

    def kill_tokens(self) -> None:
        self._tokens = {token: (company, 0.0) for token, (company, _) in self._tokens.items()}

    def effects(self, key: str) -> list[Effect]:
        return self._effects[key]

    def perform(self, request: Request, hidden_for: float, respond: Callable[[Response], None]) -> None:
        respond(self._response(request, hidden_for))

    def _response(self, request: Request, hidden_for: float) -> Response:
        if request.kind == "token":
            return self._token(request)
        response = self._check(request)
        if response is None:
            carry_out: Callable[[Request, float], Response] = getattr(self, f"_{request.kind}")
            response = carry_out(request, hidden_for)
        if request.request_id is not None and isinstance(response.body, dict):
            response.body["RequestId"] = request.request_id  # facts 5: last key of every response
        return response

    # --- sessions -------------------------------------------------------------------------------

    def _token(self, request: Request) -> Response:
        company = parse_qs(request.body.decode())["client_id"][0]
        token = f"T{len(self._tokens)}.{company.replace(' ', '-')}"
        self._tokens[token] = (company, self._now() + self._life)
        return Response(200, {"access_token": token, "token_type": "bearer", "expires_in": self._life})

    def _check(self, request: Request) -> Response | None:
        """Check token and host; return the refusal if one is invalid (facts 1 and 2)."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        company = request.headers.get("companyname", "")
        holder, end = self._tokens.get(token, ("", 0.0))
        if holder != company:
            self.broken.append(("foreign-token", f"{token!r} of {holder!r} was sent for {company!r}"))
        if request.host != LOCATOR_HOST and request.host not in self._named[token]:
            self.broken.append(("token-at-other-host", f"{token!r} was sent to {request.host}"))
        if self._now() >= end:
            return _refusal(403, "EXPIRED_TOKEN", "Token has expired")
        number = int(company.split()[-1])
        current = host_name(number, self.moves[number])
        if request.host not in (LOCATOR_HOST, current) and self._old_host != "good":
            return _refusal(400, "DATABASE_VERSION_MISMATCH", "this host does not serve the company")
        return None

    def _discovery(self, request: Request, _: float) -> Response:
        company = request.content["Command"]["CompanyName"]
        number = int(company.split()[-1])
        host = host_name(number, self.moves[number])
        self._named[request.headers["authorization"].removeprefix("Bearer ")].add(host)
        result = {
            "Url": f"{self._scheme}://{host}/",
            "CompanyName": company,
            "Protocol": "HTTPS",
            "CompanyId": number,
        }
        return Response(200, {"CommandResult": result})

    # --- records --------------------------------------------------------------------------------

    def _store(self, request: Request, id: int, hidden_for: float) -> Effect:
        now = self._now()
        effect = Effect(request.kind, request.key, id, now, now + hidden_for)
        self._effects[request.key].append(effect)
        return effect

    def _store_new(self, request: Request, hidden_for: float) -> Effect:
        self._count += 1
        return self._store(request, self._count, hidden_for)

    def _command(self, request: Request, hidden_for: float) -> Response:
        return Response(200, {"CommandResult": {"Wo": _order(self._store_new(request, hidden_for))}})

    def _create(self, request: Request, hidden_for: float) -> Response:
        id = self._store_new(request, hidden_for).id
        return Response(200, {"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Contact", "Id": id}})

    def _update(self, request: Request, hidden_for: float) -> Response:
        id = request.content["Entity"]["Id"]
        self._store(request, id, hidden_for)
        return Response(200, {"EntitySpecifier": {"ConcurrencyId": 2, "EntityType": "Contact", "Id": id}})

    def _get(self, request: Request, _: float) -> Response:
        id = int(request.path.rpartition("/")[2].partition("?")[0])
        return Response(200, {"Data": {"Id": id, "LastName": f"L{id}"}})

    def _lookup(self, request: Request, _: float) -> Response:
        now = self._now()
        effects = [each for key in request.keys for each in self._effects[key]]
        orders = [_order(each) for each in effects if each.kind == "command" and each.visible_from <= now]
        return Response(200, {"Entities": [{"Data": order} for order in orders]})


def _order(effect: Effect) -> dict[str, Any]:
    return {"Number": f"W{effect.id}", "StatusId": "New", "PoNumber": effect.key, "Id": effect.id}


def _refusal(status: int, code: str, message: str) -> Response:
    """Return an error body (spec 7)."""
    return Response(
        status, {"ErrorMessage": message, "ErrorCode": code, "TimeStamp": "2024-05-14T13:15:07.22Z"}
    )
