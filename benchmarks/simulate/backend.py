"""A small model of the service, written from the specification: what it holds, and what it answers.

It knows who has which token, where each Company is, and what was done under which key.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import attrs

from wosdk_async import Credentials

__all__ = ["LOCATOR", "TOKENS", "Answer", "Backend", "Model", "Request", "Row", "company_name", "host_name"]

LOCATOR, TOKENS = "locator.sim", "token.sim"
KEY = re.compile(r"K\d+(?:-\d+)?")


def company_name(number: int) -> str:
    return f"Company {number}"


def host_name(company: int, moves: int) -> str:
    """The host of a Company after so many moves."""
    return f"h{moves}.c{company}.sim"


@attrs.define(eq=False)
class Request:
    """A request that came in whole. ``key`` is that of the call it belongs to."""

    host: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    kind: str = ""
    key: str = ""
    request_id: str | None = None
    content: Any = None

    def __attrs_post_init__(self) -> None:
        path = self.path
        if self.body[:1] == b"{":
            self.content = json.loads(self.body)
            self.request_id = self.content.get("RequestId")
        if path == "/OAuth/token":
            self.kind = self.key = "token"
        elif path.endswith("/GetCompanyWsdkUrlCommand"):
            self.kind = self.key = "discovery"
        else:
            found = KEY.search(self.body.decode() or path)
            self.key = found[0] if found else path
            self.kind = self._verb()

    def _verb(self) -> str:
        if "/cmd/" in self.path:
            return "command"
        if "/query/" in self.path:
            return "look"
        return {"POST": "create", "PUT": "update", "GET": "get", "DELETE": "delete"}[self.method]


@attrs.define(eq=False)
class Answer:
    """A status, and the members of the body or its bytes."""

    status: int
    body: dict[str, Any] | bytes
    headers: tuple[str, ...] = ()

    @classmethod
    def read(cls, status: int, body: bytes) -> Answer:
        """The answer with this body of JSON."""
        return cls(status, json.loads(body))

    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@attrs.frozen
class Row:
    """Something that was done: under which key, when, and from when on queries show it."""

    kind: str
    key: str
    id: int
    at: float
    seen_from: float


class Backend:
    """What the faults need of a backend."""

    def __init__(self) -> None:
        self.broken: list[tuple[str, str]] = []
        """Rules that a request broke: the name of the violation, and what happened."""
        self.moves: dict[int, int] = defaultdict(int)
        """How often each Company has moved to another host."""

    def credentials(self, number: int) -> Credentials:
        """Those of a Company."""
        raise NotImplementedError

    def perform(self, request: Request, unseen: float, done: Callable[[Answer], None]) -> None:
        """Do what is asked, and tell the answer."""
        raise NotImplementedError

    def rows(self, key: str) -> list[Row]:
        """What was done under ``key``."""
        raise NotImplementedError

    def move(self, company: int) -> None:
        """Move a Company to another host."""

    def kill_tokens(self) -> None:
        """End the life of all tokens."""

    def close(self) -> None:
        """Give back what it holds."""


class Model(Backend):
    """The model. ``old`` is how a host answers that a Company has left: "mismatch", "good" or "down"."""

    def __init__(self, now: Callable[[], float], token_life: float, old: str) -> None:
        super().__init__()
        self._now = now
        self._life = token_life
        self._old = old
        self._rows: dict[str, list[Row]] = defaultdict(list)
        self._count = 0
        self._tokens: dict[str, tuple[str, float]] = {}
        """Token -> the Company it was given to, and its end."""
        self._named: dict[str, set[str]] = defaultdict(set)
        """Token -> the hosts that the locator has named to its holder."""

    def credentials(self, number: int) -> Credentials:
        return Credentials(company_name(number), "secret")

    def move(self, company: int) -> None:
        self.moves[company] += 1

    def kill_tokens(self) -> None:
        self._tokens = {token: (company, 0.0) for token, (company, _) in self._tokens.items()}

    def rows(self, key: str) -> list[Row]:
        return self._rows[key]

    def perform(self, request: Request, unseen: float, done: Callable[[Answer], None]) -> None:
        done(self._answer(request, unseen))

    def _answer(self, request: Request, unseen: float) -> Answer:
        if request.kind == "token":
            return self._token(request)
        refusal = self._check(request)
        if refusal is None:
            made: Answer = getattr(self, f"_{request.kind}")(request, unseen)
        else:
            made = refusal
        if request.request_id is not None and isinstance(made.body, dict):
            made.body["RequestId"] = request.request_id  # facts 5: the last key of every success and error
        return made

    # --- sessions -------------------------------------------------------------------------------

    def _token(self, request: Request) -> Answer:
        company = parse_qs(request.body.decode())["client_id"][0]
        token = f"T{len(self._tokens)}.{company.replace(' ', '-')}"
        self._tokens[token] = (company, self._now() + self._life)
        return Answer(200, {"access_token": token, "token_type": "bearer", "expires_in": self._life})

    def _check(self, request: Request) -> Answer | None:
        """The refusal of a token or a host (facts 1 and 2), and whether the token may be here at all."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        company = request.headers.get("companyname", "")
        holder, end = self._tokens.get(token, ("", 0.0))
        if holder != company:
            self.broken.append(("foreign-token", f"{token!r} of {holder!r} was sent for {company!r}"))
        if request.host != LOCATOR and request.host not in self._named[token]:
            self.broken.append(("token-at-other-host", f"{token!r} was sent to {request.host}"))
        if self._now() >= end:
            return _refusal(403, "EXPIRED_TOKEN", "Token has expired")
        number = int(company.split()[-1])
        current = host_name(number, self.moves[number])
        if request.host not in (LOCATOR, current) and self._old != "good":
            return _refusal(400, "DATABASE_VERSION_MISMATCH", "this host does not serve the company")
        return None

    def _discovery(self, request: Request, _: float) -> Answer:
        company = request.content["Command"]["CompanyName"]
        number = int(company.split()[-1])
        host = host_name(number, self.moves[number])
        self._named[request.headers["authorization"].removeprefix("Bearer ")].add(host)
        result = {"Url": f"http://{host}/", "CompanyName": company, "Protocol": "HTTPS", "CompanyId": number}
        return Answer(200, {"CommandResult": result})

    # --- work -----------------------------------------------------------------------------------

    def _kept(self, request: Request, id: int, unseen: float) -> Row:
        now = self._now()
        row = Row(request.kind, request.key, id, now, now + unseen)
        self._rows[request.key].append(row)
        return row

    def _command(self, request: Request, unseen: float) -> Answer:
        self._count += 1
        row = self._kept(request, self._count, unseen)
        return Answer(200, {"CommandResult": {"Wo": _order(row)}})

    def _create(self, request: Request, unseen: float) -> Answer:
        self._count += 1
        row = self._kept(request, self._count, unseen)
        return Answer(200, {"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Contact", "Id": row.id}})

    def _update(self, request: Request, unseen: float) -> Answer:
        id = request.content["Entity"]["Id"]
        self._kept(request, id, unseen)
        return Answer(200, {"EntitySpecifier": {"ConcurrencyId": 2, "EntityType": "Contact", "Id": id}})

    def _get(self, request: Request, _: float) -> Answer:
        id = int(request.path.rpartition("/")[2].partition("?")[0])
        return Answer(200, {"Data": {"Id": id, "LastName": f"L{id}"}})

    def _look(self, request: Request, _: float) -> Answer:
        now = self._now()
        rows = [row for row in self._rows[request.key] if row.kind == "command" and row.seen_from <= now]
        return Answer(200, {"Entities": [{"Data": _order(row)} for row in rows]})


def _order(row: Row) -> dict[str, Any]:
    return {"Number": f"W{row.id}", "StatusId": "New", "PoNumber": row.key, "Id": row.id}


def _refusal(status: int, code: str, message: str) -> Answer:
    """An error body (spec 7)."""
    return Answer(
        status, {"ErrorMessage": message, "ErrorCode": code, "TimeStamp": "2024-05-14T13:15:07.22Z"}
    )
