"""Router of the service: log-in, tokens, and operations (spec 4 and 5, facts 1 to 3)."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model, required
from wosdk_async.sandbox.schema.bodies import (
    Record,
    client_credentials,
    get_ignore_case,
    parse_form,
    peek_json,
    request_id_of,
    require_body,
)
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect
from wosdk_async.sandbox.schema.entities import enumeration, find_schema
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.service.commands.registry import find_command, run_command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, retrieve, update_entity
from wosdk_async.sandbox.service.query.expression import run_query
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

StatusAndBody = tuple[int, Mapping[str, Any]]


@attrs.frozen
class ServiceRequest:
    """Parts of a request; double slashes in its path are ignored (facts 3.1)."""

    method: str
    segments: tuple[str, ...]
    query: Mapping[str, str]  # by lower-case name
    headers: Mapping[str, str] = attrs.field(repr=False)  # by lower-case name
    body: bytes = attrs.field(repr=False)
    root: str
    content: Record = attrs.field(init=False, repr=False)

    @content.default
    def _decode(self) -> Record:
        return peek_json(self.body)

    @property
    def family(self) -> str:
        """The path segment after ``/api/v1/``, in lower case; empty for other paths."""
        head = [part.lower() for part in self.segments[:3]]
        return head[2] if head[:2] == ["api", "v1"] and len(head) == 3 else ""


@attrs.define
class Router:
    """Service routes over one store; ``clock`` returns nanoseconds since 1970."""

    store: Store
    clock: Callable[[], int]
    dialect: Dialect = SPEC
    tokens: Tokens = attrs.field(init=False)

    @tokens.default
    def _no_tokens(self) -> Tokens:
        return Tokens(self.clock)

    def respond(self, request: ServiceRequest) -> StatusAndBody:
        """Return the response's status and body."""
        if [part.lower() for part in request.segments[:3]] == ["oauth", "token"]:
            return self._token(request)
        handler = _HANDLERS.get(request.family)
        if handler is None:
            raise Refusal(404, "NOT_FOUND", "There is nothing at this path.")  # not shown; assumed
        return 200, handler(self, self._context(request), request)

    def request_id(self, request: ServiceRequest) -> str | None:
        """Return the RequestId to repeat in the response, success or error (facts 5 and 3.1)."""
        return request_id_of(request.query, request.content) if request.family in _HANDLERS else None

    def _token(self, request: ServiceRequest) -> StatusAndBody:
        """Respond to a token request, with refusals from RFC 6749 (facts 1 has none)."""
        _require_method(request, "POST")
        self.store.refresh()  # another process may have added a Company
        fields = parse_form(request.body)
        if fields.get("grant_type") != "client_credentials":
            return 400, {"error": "unsupported_grant_type"}
        client_id, secret = client_credentials(fields, request.headers.get("authorization"))
        for company in self.store.companies():
            if _same(company.client_id, client_id) and _same(company.client_secret, secret):
                token = self.tokens.issue(company)
                return 200, {"access_token": token, "token_type": "bearer", "expires_in": _EXPIRES_IN}
        return 400, {"error": "invalid_client"}

    def _context(self, request: ServiceRequest) -> RequestContext:
        """Return the context for the headers' Company; refuse tokens not issued for it (facts 1)."""
        owner = self.tokens.check(request.headers.get("authorization"))
        # facts 1: the header's value is case-insensitive; facts 2: the error code; facts 6: the status
        name = request.headers.get("companyname", "").strip().lower()
        company = next((each for each in self.store.companies() if each.name.lower() == name), None)
        if company is None or not (company.served_at(request.root) or _is_discovery(request.segments)):
            hint = ""
            if not name:
                hint = " The header CompanyName is missing."
            elif company is None:
                hint = f" It serves {', '.join(each.name for each in self.store.companies()[:_MAX_NAMED])}."
            raise Refusal(400, "DATABASE_VERSION_MISMATCH", "This host does not serve the Company.", hint)
        if company.id != owner:  # not shown; assumed
            raise Refusal(403, "INCORRECT_TOKEN", "The token was issued for another Company.")
        now = Moment.at(self.clock(), self.dialect.tick)
        return RequestContext(self.store, company, now, request.root, self.dialect)

    def _base(self, context: RequestContext, request: ServiceRequest) -> Record:
        rest = request.segments[3:]
        schema = find_schema(rest[0] if rest else "", context.dialect)
        key = "/".join(rest[1:]) or request.query.get("id", "")
        if request.method == "GET":
            return retrieve(context, schema, key, request.query.get("properties"))
        if request.method == "DELETE":
            missing_ok = request.headers.get("ignoremissingentityondelete", "").lower() == "true"
            with self.store.savepoint():
                return delete_entity(context, schema, key, missing_ok=missing_ok)
        if len(rest) > 1:
            raise _id_in_path(request.method, schema.name, "/".join(rest[1:]))
        _require_method(request, "POST", "PUT")
        body = require_body(request.content)
        with self.store.savepoint():
            entity = get_ignore_case(body, "Entity")
            if request.method == "POST":
                return create_entity(context, schema, entity)
            return update_entity(context, schema, entity, get_ignore_case(body, "Properties"))

    def _batch(self, _context: RequestContext, _request: ServiceRequest) -> Record:
        """Refuse batch requests, because facts 3.2 names the endpoints but shows no response."""
        raise broken_rule(
            "The local sandbox does not model the batch endpoints: their responses are unknown."
        )

    def _query(self, context: RequestContext, request: ServiceRequest) -> Record:
        _require_method(request, "POST")
        schema = find_schema("/".join(request.segments[3:]), context.dialect)
        expression = get_ignore_case(require_body(request.content), "QueryExpression")
        if not isinstance(expression, dict):
            raise incorrect_model("QueryExpression must be an object.")
        return {"Entities": [{"Data": row} for row in run_query(context, schema, expression)]}

    def _command(self, context: RequestContext, request: ServiceRequest) -> Record:
        _require_method(request, "POST")
        # The command is looked up before the body is checked (facts 3.3).
        wanted = find_command(list(request.segments[3:]), context.dialect)
        sent = get_ignore_case(require_body(request.content), "Command")
        if not isinstance(sent, dict):
            raise incorrect_model("Command must be an object.")
        if wanted.name == "GetCompanyWsdkUrlCommand":
            return {"CommandResult": _discover(context, get_ignore_case(sent, "CompanyName"), sent)}
        with self.store.savepoint():
            return {"CommandResult": run_command(context, wanted, sent)}

    def _discover_by_get(self, context: RequestContext, request: ServiceRequest) -> Record:
        """Respond to a GET discovery request (facts 2)."""
        _require_method(request, "GET")
        if len(request.segments) != 5 or request.segments[3].lower() != "getcompanywsdkurl":
            raise Refusal(404, "NOT_FOUND", "There is nothing at this path.")
        return {"CommandResult": _discover(context, request.segments[4], {"ApiType": "REST"})}


_HANDLERS: Mapping[str, Callable[[Router, RequestContext, ServiceRequest], Record]] = {
    "base": Router._base,
    "batch": Router._batch,
    "query": Router._query,
    "cmd": Router._command,
    "corrigoservice": Router._discover_by_get,
}


def _require_method(request: ServiceRequest, *methods: str) -> None:
    if request.method not in methods:
        raise _not_allowed(f"{request.method} is not allowed here: use {' or '.join(methods)}.")


def _id_in_path(method: str, entity: str, key: str) -> Refusal:
    """Return the refusal for an id in the path of a PUT or PATCH: 405 (facts 3.1)."""
    text = f"{method} takes no id in the path"
    if method != "PUT":
        return _not_allowed(f"{text} of {entity}.")
    return _not_allowed(
        f"{text}: send PUT /api/v1/base/{entity} with the id in the body, as "
        f'{{"Properties": ["*"], "Entity": {{"Id": {key:.20}}}}}.'
    )


def _not_allowed(text: str) -> Refusal:
    return Refusal(405, "METHOD_NOT_ALLOWED", text)  # status: facts 6. Not shown; assumed: code, texts


# --- log-in: tokens for client credentials, and Company discovery (spec 4.1, facts 1, 2) --------------------

_MAX_NAMED = 5  # Companies listed when an unknown Company is refused
_EXPIRES_IN = 1199  # seconds, from the sample in facts 1
_LIFETIME = 1200 * 10**9
_MAX_TOKENS = 100_000  # including expired tokens, to refuse them as expired, not as unknown
_VERSION = "9.21.4.118"  # dotted version (spec 4.1); value from the sample
_SOAP = "wsdk/CorrigoService.asmx"  # facts 2: below /wsdk/. Not shown; assumed: the name


@attrs.define
class Tokens:
    """Tokens of one sandbox; ``clock`` returns nanoseconds since 1970."""

    clock: Callable[[], int]
    _issued: dict[str, tuple[int, int]] = attrs.field(factory=dict, repr=False)

    def issue(self, company: StoredCompany) -> str:
        """Issue a new token for a Company."""
        now = self.clock()
        token = secrets.token_urlsafe(32)
        self._issued[token] = (company.id, now + _LIFETIME)
        if len(self._issued) > _MAX_TOKENS:
            del self._issued[next(iter(self._issued))]
        return token

    def expire(self, authorization: str | None) -> None:
        """Expire the token in an Authorization header now."""
        token = (authorization or "").strip().partition(" ")[2].strip()
        if token in self._issued:
            company, end = self._issued[token]
            self._issued[token] = (company, min(end, self.clock()))

    def check(self, authorization: str | None) -> int:
        """Return the id of the token's Company (facts 1; some texts assumed)."""
        if authorization is None:
            raise Refusal(401, "MISSING_AUTHORIZATION_HEADER", "No Authorization header was sent.")
        scheme, _, token = authorization.strip().partition(" ")
        if scheme.lower() != "bearer":
            text = "The Authorization header does not use the Bearer scheme."
            raise Refusal(403, "MISSING_AUTHORIZATION_SCHEME", text)
        token = token.strip()
        if not token or not token.isascii() or " " in token:
            # facts 1: 400 for an empty or malformed token. Not shown; assumed: the code
            raise Refusal(400, "INCORRECT_TOKEN", "The token is empty or malformed.")
        company, end = self._issued.get(token, (0, 0))
        if not company:
            raise Refusal(403, "INCORRECT_TOKEN", "The token could not be verified.")
        if self.clock() >= end:
            raise Refusal(403, "EXPIRED_TOKEN", "Token has expired")
        return company


def _same(known: str, sent: str) -> bool:
    return hmac.compare_digest(known.encode(), sent.encode("utf-8", "surrogatepass"))


def _is_discovery(segments: Sequence[str]) -> bool:
    """Return whether a path is for discovery, which every host serves for every Company (facts 2)."""
    name = segments[-1] if segments[2].lower() == "cmd" else segments[2]
    return name.lower() in ("getcompanywsdkurlcommand", "corrigoservice")


def _discover(context: RequestContext, name: object, sent: Mapping[str, Any]) -> Record:
    if not isinstance(name, str):
        raise required("CompanyName")
    if name.strip().lower() != context.company.name.lower():
        raise Refusal(400, "DATABASE_VERSION_MISMATCH", f"There is no Company '{name}' here.")
    kind = enumeration("ApiTypes").name_of(get_ignore_case(sent, "ApiType"))
    soap = kind == "SOAP" or (kind is None and context.dialect.soap_url)
    return {
        "Url": context.company.address(context.root) + (_SOAP if soap else ""),
        "CompanyName": context.company.name,
        "Protocol": enumeration("Protocols").name_of(get_ignore_case(sent, "Protocol")) or "HTTPS",
        "CompanyVersion": _VERSION,
        "CompanyId": context.company.id,
    }
