"""The whole service as respx routes, generated from the catalogue, for tests with mocks."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import respx

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, Record
from wosdk_async.protocol.arguments import described
from wosdk_async.testing.operations import (
    DISCOVERY,
    ServiceOperation,
    envelope,
    example_body,
    is_command,
    name_of,
    names_of,
    operation_at,
    require_code,
    require_operation,
    wants_next_page,
)
from wosdk_async.transport.session.credentials import Region

_TOKEN = {"access_token": "mock-token", "token_type": "bearer", "expires_in": 1199}  # facts 1
_PATHS = {
    "retrieve": ("GET", r"/api/v1/base/{}(?:/.*)?"),
    "create": ("POST", r"/api/v1/base/{}"),
    "update": ("PUT", r"/api/v1/base/{}"),
    "delete": ("DELETE", r"/api/v1/base/{}(?:/.*)?"),
    "query": ("POST", r"/api/v1/query/{}"),
    "command": ("POST", r"/api/v1/cmd/{}"),
}
_refusing: dict[Routes, None] = {}
"""Routes that refused requests of the running test, kept because their routers may be gone at the end."""


def routes(
    router: respx.Router,
    *,
    company: str = "AcmeFacilities",
    region: Region = Region.AMERICAS,
    examples: bool = True,
) -> Routes:
    """Mock the whole service for one Company; see :class:`Routes`. Call this once for each Company.

    Args:
        router: respx router, such as the ``respx_mock`` fixture.
        company: name of the Company.
        region: region whose locator and token address are mocked.
        examples: whether operations without a response set by ``on`` return an example; if not, they
            fail the test.
    """
    if not hasattr(router, "route"):
        raise InvalidCallError(
            f"routes() takes a respx router, not {described(router)}; pass the respx_mock fixture"
        )
    return Routes(router, company, region, examples)


class Routes:
    """The service as respx routes: token, discovery and, at the Company's host, every operation.

    Responses are examples from the catalogue unless set with :meth:`on`; with ``examples=False``, operations
    whose response is not set fail the test. A request that is not a service operation also fails the test: it
    raises an AssertionError, and if the program catches this error, pytest fails the test at the end. The
    router's ``assert_all_called`` checks only operations whose response was set.

    Attributes:
        unexpected: error messages of the refused requests; clear the list if the test expects them.
    """

    def __init__(self, router: respx.Router, company: str, region: Region, examples: bool = True) -> None:
        self._router = router
        self._company = company
        self._examples = examples
        self.unexpected: list[str] = []
        self._mocked: dict[ServiceOperation, PreparedResponse] = {}
        known = self._companies()
        self._host = f"https://mock{len(known) + 1 if known else ''}.corrigo.com"
        if company.lower() in known:
            self._host = known[company.lower()].host
        locator = f"{region.locator_url}/api/v1/cmd/{DISCOVERY}"  # spec 4.1
        self._router.add(_OptionalRoute(method="POST", url=region.token_url)).respond(json=_TOKEN)
        self._router.add(_OptionalRoute(method="POST", url=locator)).mock(side_effect=self._discover)
        self._router.add(_CompanyRoute(company, self._host)).mock(side_effect=self._respond)

    def __repr__(self) -> str:
        return f"<Routes {self._company!r} mocked={len(self._mocked)}>"

    def on(
        self, what: type[Record] | type[Command[Any]] | str, operation: str | None = None
    ) -> PreparedResponse:
        """Return the object that sets an operation's response; repeated calls return the same object.

        Args:
            what: command or entity, as a class or name.
            operation: for an entity: ``retrieve`` (default), ``create``, ``update``, ``delete`` or ``query``.

        Raises:
            InvalidCallError: the operation does not exist, or the name seems misspelled.
        """
        name = name_of(what)
        runs = is_command(name) if isinstance(what, str) else issubclass(what, Command)
        wanted = ServiceOperation(operation or ("command" if runs else "retrieve"), name)
        require_operation(wanted, operation)
        if wanted not in self._mocked:
            method, path = _PATHS[wanted.kind]
            names = "|".join(map(re.escape, names_of(wanted)))
            url = f"(?i){re.escape(self._host)}{path.format(f'(?:{names})')}(?:\\?.*)?$"
            route = self._router.route(method=method, url__regex=url)
            self._mocked[wanted] = PreparedResponse(wanted, route.mock(side_effect=self._example))
        return self._mocked[wanted]

    def _companies(self) -> dict[str, _CompanyRoute]:
        """Return the routes of all Companies that the router mocks, by lower-case name."""
        found = (route for route in self._router.routes if isinstance(route, _CompanyRoute))
        return {route.company.lower(): route for route in found}

    def _discover(self, request: Any) -> respx.MockResponse:
        name = codec.loads(request.content)["Command"]["CompanyName"]
        found = self._companies().get(name.lower())
        url = f"{found.host if found else self._host}/"
        discovered = {"Url": url, "CompanyName": name, "Protocol": "HTTPS", "CompanyId": 1}
        return respx.MockResponse(json={"CommandResult": discovered})

    def _respond(self, request: Any) -> respx.MockResponse | None:
        named = request.headers.get("CompanyName")
        if named is None or named.lower() != self._company.lower():
            mocked = ", ".join(repr(route.company) for route in self._companies().values())
            self._refuse(
                f"{request.method} {request.url.path} is for the Company {named!r}; "
                f"these routes only mock {mocked}: also call routes(..., company={named!r})"
            )
        if operation_at(request.method, request.url.path) in self._mocked:
            return None  # another route responds
        if not self._examples:
            self._refuse(
                f"{request.method} {request.url.path} was not expected: these routes have examples=False; "
                "expect it with on(name)"
            )
        return self._example(request)

    def _example(self, request: Any) -> respx.MockResponse:
        operation = operation_at(request.method, request.url.path)
        query = request.url.query.decode("ascii")
        body = example_body(operation, request.url.path, query, request.content) if operation else None
        if body is None:
            self._refuse(
                f"{request.method} {request.url.path} is not an operation in the catalogue; "
                "mock it with on(name), or add a respx route before you call routes()"
            )
        return _response(request, body)

    def _refuse(self, why: str) -> NoReturn:
        """Raise an AssertionError, and keep it for the end of the test, because the program may catch it."""
        self.unexpected.append(why)
        _refusing[self] = None
        raise AssertionError(why)


def take_unexpected() -> list[str]:
    """Return and clear the messages about unexpected requests of all routes."""
    found = [why for each in _refusing for why in each.unexpected]
    for each in _refusing:
        each.unexpected.clear()
    _refusing.clear()
    return found


class PreparedResponse:
    """Response of one operation.

    Attributes:
        route: the respx route; ``route.calls`` has the requests.
    """

    def __init__(self, operation: ServiceOperation, route: respx.Route) -> None:
        self._operation = operation
        self.route = route

    def __repr__(self) -> str:
        kind, name = self._operation
        return f"<PreparedResponse of {kind} {name} called={self.route.call_count}>"

    def answers(self, *values: Any) -> PreparedResponse:
        """Respond with these results in turn, repeating the last one.

        Args:
            values: for a command, its result; for ``retrieve``, a record; for ``query``, a list of records;
                for ``create``, ``update`` and ``delete``, an id. Results and records may be dicts with
                service names.

        Raises:
            InvalidCallError: the operation cannot have this result.
        """
        if not values:
            raise InvalidCallError("answers() needs at least one result")
        left = [envelope(self._operation, value) for value in values]
        last: dict[str, Any] = {}

        def respond(request: Any) -> respx.MockResponse:
            nonlocal last
            if wants_next_page(last, request.content):
                return _response(request, {"Entities": []})
            last = left.pop(0) if len(left) > 1 else left[0]
            return _response(request, last)

        self.route.mock(side_effect=respond)
        return self

    def refuses(
        self, code: str, message: str = "Refused by the mock.", status: int = 400
    ) -> PreparedResponse:
        """Respond with a service error: ``refuses("ERROR_CODE_1019")``.

        Raises:
            InvalidCallError: the code seems misspelled.
        """
        # spec 7
        require_code(code)
        body = {"ErrorMessage": message, "ErrorCode": code}
        self.route.mock(side_effect=lambda request: _response(request, body, status))
        return self


class _OptionalRoute(respx.Route):
    """Route that always counts as called, so ``assert_all_called`` does not require it."""

    @property
    def called(self) -> bool:
        return True


class _CompanyRoute(_OptionalRoute):
    """Route for all requests to a Company's host. Companies have different hosts."""

    def __init__(self, company: str, host: str) -> None:
        super().__init__(url__startswith=host)
        self.company = company
        self.host = host


def _response(request: Any, body: dict[str, Any], status: int = 200) -> respx.MockResponse:
    """Return a response; a command's response echoes the request's RequestId."""
    # facts 5
    if "/cmd/" in request.url.path:
        sent = codec.loads(request.content) if request.content else {}
        body = body | {name: sent[name] for name in ("RequestId",) if name in sent}
    return respx.MockResponse(
        status, content=codec.dumps(body), content_type="application/json; charset=utf-8"
    )
