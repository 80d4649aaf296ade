"""respx routes for the whole service, from the catalogue: for tests that mock the service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import respx

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, Record
from wosdk_async.testing.answers import asks_for_more, envelope, example
from wosdk_async.testing.mistakes import name_of, require_code, require_operation
from wosdk_async.testing.paths import DISCOVERY, RequestPath, asked_for, is_command, names_of
from wosdk_async.transport.session.credentials import Region

__all__ = ["PreparedResponse", "Routes", "routes"]

HOST = "https://mock.corrigo.com"
_TOKEN = {"access_token": "mock-token", "token_type": "bearer", "expires_in": 1199}  # facts 1
_OPERATIONS = ("retrieve", "create", "update", "delete", "query", "command")
_PATHS = {
    "retrieve": ("GET", r"/api/v1/base/{}(?:/.*)?"),
    "create": ("POST", r"/api/v1/base/{}"),
    "update": ("PUT", r"/api/v1/base/{}"),
    "delete": ("DELETE", r"/api/v1/base/{}(?:/.*)?"),
    "query": ("POST", r"/api/v1/query/{}"),
    "command": ("POST", r"/api/v1/cmd/{}"),
}


def routes(
    router: respx.Router, *, company: str = "AcmeFacilities", region: Region = Region.AMERICAS
) -> Routes:
    """Let ``router`` (a ``respx_mock``) answer for the service; see :class:`Routes`.

    Args:
        company: the only Company that is there.
        region: whose locator and token address are mocked.
    """
    return Routes(router, company, region)


class Routes:
    """The service as routes of respx: token, discovery and, at the Company's host, every operation.

    What is not told otherwise answers an example made from the catalogue. A request that is none of the
    service's operations fails the test with an AssertionError that names it. A route nobody called is no
    fault, unless an answer was set for it and the router has ``assert_all_called``.
    """

    def __init__(self, router: respx.Router, company: str, region: Region) -> None:
        self._router = router
        self._company = company
        self._answers: dict[RequestPath, PreparedResponse] = {}
        discovered = {"Url": f"{HOST}/", "CompanyName": company, "Protocol": "HTTPS", "CompanyId": 1}
        locator = f"{region.locator_url}/api/v1/cmd/{DISCOVERY}"  # spec 4.1
        self._offer(method="POST", url=region.token_url).respond(json=_TOKEN)
        self._offer(method="POST", url=locator).respond(json={"CommandResult": discovered})
        self._offer(url__startswith=HOST).mock(side_effect=self._usual)

    def __repr__(self) -> str:
        return f"<Routes {self._company!r} answers={len(self._answers)}>"

    def on(
        self, what: type[Record] | type[Command[Any]] | str, operation: str | None = None
    ) -> PreparedResponse:
        """What is answered to an operation; asking twice gives the same.

        Args:
            what: a command or an entity, as a class or by its name.
            operation: ``retrieve``, which is the usual one of an entity; ``create``, ``update``, ``delete``
                or ``query``.

        Raises:
            InvalidCallError: there is no such operation, or a name that is nearly this one.
        """
        name = name_of(what)
        asked = RequestPath(operation or _usual_operation(what, name), name)
        require_operation(asked, operation, _OPERATIONS)
        if asked not in self._answers:
            method, path = _PATHS[asked.operation]
            names = "|".join(map(re.escape, names_of(asked)))
            url = f"(?i){re.escape(HOST)}{path.format(f'(?:{names})')}(?:\\?.*)?$"
            route = self._router.route(method=method, url__regex=url)
            self._answers[asked] = PreparedResponse(asked, route.mock(side_effect=_example))
        return self._answers[asked]

    def _offer(self, **lookups: Any) -> respx.Route:
        return self._router.add(_Offered(**lookups))

    def _usual(self, request: Any) -> respx.MockResponse | None:
        asked = asked_for(request.method, request.url.path)
        self._require_company(request)
        if asked in self._answers:
            return None  # a route of its own answers
        return _example(request)

    def _require_company(self, request: Any) -> None:
        named = request.headers.get("CompanyName")
        if named is None or named.lower() != self._company.lower():
            raise AssertionError(
                f"{request.method} {request.url.path} is for the Company {named!r}; "
                f"these routes are those of {self._company!r}: routes(..., company={named!r})"
            )


class PreparedResponse:
    """What one operation answers; ``route`` is its respx route, with the requests in ``route.calls``."""

    def __init__(self, asked: RequestPath, route: respx.Route) -> None:
        self._asked = asked
        self.route = route

    def __repr__(self) -> str:
        return (
            f"<PreparedResponse of {self._asked.operation} {self._asked.name} called={self.route.call_count}>"
        )

    def answers(self, *values: Any) -> PreparedResponse:
        """PreparedResponse these, one after the other and the last one from then on.

        Args:
            values: a result of the command's class; a record; a list of records for ``query``; an id for
                ``create``, ``update`` and ``delete``; or dicts by the service's names in their place.

        Raises:
            InvalidCallError: the operation cannot answer that.
        """
        if not values:
            raise InvalidCallError("answers() needs what to answer")
        bodies = [envelope(self._asked, value) for value in values]
        self.route.mock(side_effect=_InTurn(bodies))
        return self

    def refuses(
        self, code: str, message: str = "Refused by the mock.", status: int = 400
    ) -> PreparedResponse:
        """PreparedResponse with an error of the service: ``refuses("ERROR_CODE_1019")``."""
        # spec 7
        require_code(code)
        body = {"ErrorMessage": message, "ErrorCode": code}
        self.route.mock(side_effect=lambda request: _reply(request, body, status))
        return self


class _Offered(respx.Route):
    """A route that need not be called."""

    @property
    def called(self) -> bool:
        return True


def _usual_operation(what: type[Any] | str, name: str) -> str:
    if isinstance(what, str):
        return "command" if is_command(name) else "retrieve"
    return "command" if issubclass(what, Command) else "retrieve"


def _example(request: Any) -> respx.MockResponse:
    asked = asked_for(request.method, request.url.path)
    query = request.url.query.decode("ascii")
    body = example(asked, request.url.path, query, request.content) if asked else None
    if body is None:
        raise AssertionError(
            f"{request.method} {request.url.path} is no operation of the service that the catalogue knows; "
            "mock it with on(name), or with a route of respx before routes() is called"
        )
    return _reply(request, body)


class _InTurn:
    """Gives answers one after the other, and the last one from then on."""

    def __init__(self, bodies: Sequence[dict[str, Any]]) -> None:
        self._left = list(bodies)
        self._last: dict[str, Any] = {}

    def __call__(self, request: Any) -> respx.MockResponse:
        if asks_for_more(self._last, request.content):
            return _reply(request, {"Entities": []})
        self._last = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        return _reply(request, self._last)


def _reply(request: Any, body: dict[str, Any], status: int = 200) -> respx.MockResponse:
    """Make a response; that to a command ends with the RequestId of the request."""
    # facts 5
    if "/cmd/" in request.url.path:
        sent = codec.loads(request.content) if request.content else {}
        body = body | {name: sent[name] for name in ("RequestId",) if name in sent}
    return respx.MockResponse(
        status, content=codec.dumps(body), content_type="application/json; charset=utf-8"
    )
