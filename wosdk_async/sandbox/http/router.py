"""Which operation a request asks for, and who may ask (spec 4 and 5, facts 1 to 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model
from wosdk_async.sandbox.http.auth import Tokens, token_reply
from wosdk_async.sandbox.http.discovery import asks_where, found_at
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case, peek_json, request_id_of, require_body
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect
from wosdk_async.sandbox.schema.entities import find_schema
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.service.commands import find_command, run_command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, retrieve, update_entity
from wosdk_async.sandbox.service.documents import StoredFile, find_file
from wosdk_async.sandbox.service.query.expression import run_query
from wosdk_async.sandbox.storage.store import Store, StoredCompany

__all__ = ["Router", "ServiceRequest"]

Reply = tuple[int, Mapping[str, Any]]


@attrs.frozen
class ServiceRequest:
    """A request taken apart.

    ``segments`` are the parts of the path that are not empty, so that a doubled slash does no harm
    (facts 3.1); ``query`` has lower-case names; ``root`` is the address the request came to.
    """

    method: str
    segments: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = attrs.field(repr=False)
    root: str


@attrs.define
class Router:
    """Answers questions out of one store.

    Args:
        clock: nanoseconds since 1970.
    """

    store: Store
    clock: Callable[[], int]
    dialect: Dialect = SPEC
    tokens: Tokens = attrs.field(init=False)
    _listed: tuple[StoredCompany, ...] = attrs.field(default=(), init=False)
    _by_name: dict[str, StoredCompany] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.tokens = Tokens(self.clock)

    def companies(self) -> Mapping[str, StoredCompany]:
        """The Companies by lower-case name."""
        listed = self.store.companies()
        if listed is not self._listed:
            self._listed, self._by_name = listed, {company.name.lower(): company for company in listed}
        return self._by_name

    def answer(self, question: ServiceRequest, request_id: list[str]) -> Reply:
        """Status and body of the reply.

        Args:
            request_id: receives the request's ``RequestId``, if it has one, also when it is refused.

        Raises:
            Refusal: whatever the service would refuse.
        """
        head = [part.lower() for part in question.segments[:3]]
        if head == ["oauth", "token"]:
            return self._token(question)
        family = head[2] if head[:2] == ["api", "v1"] and len(head) == 3 else ""
        handler = {
            "base": self._base,
            "batch": self._batch,
            "query": self._query,
            "cmd": self._command,
            "corrigoservice": self._locate,
        }.get(family)
        if handler is None:
            raise Refusal(404, "NOT_FOUND", "There is nothing at this path.")  # not shown; assumed
        body = peek_json(question.body)
        # facts 5 and 3.1: it comes back on every success and error, whatever went wrong
        sent = request_id_of(question.query, body)
        request_id.extend([] if sent is None else [sent])
        return 200, handler(self._context(question), question, body)

    def file(self, company: int, document: int, key: str) -> StoredFile | None:
        """The file at an address that was handed out; None for any other address."""
        return find_file(self.store, self.store.companies(), company, document, key)

    def _token(self, question: ServiceRequest) -> Reply:
        _only(question, "POST")
        self.store.refresh()  # another process may have added a Company
        header = question.headers.get("authorization")
        return token_reply(self.tokens, self.store.companies(), question.body, header)

    def _context(self, question: ServiceRequest) -> RequestContext:
        """The Company that the headers name, if the token is its own (facts 1)."""
        owner = self.tokens.check(question.headers.get("authorization"))
        # facts 1: the value ignores letter case; facts 2: the code. Its status is the sample's
        company = self.companies().get(question.headers.get("companyname", "").strip().lower())
        if company is None or not (company.served_at(question.root) or asks_where(question.segments)):
            raise Refusal(400, "DATABASE_VERSION_MISMATCH", "This host does not serve the Company.")
        if company.id != owner:  # not shown; assumed
            raise Refusal(403, "INCORRECT_TOKEN", "The token was issued for another Company.")
        now = Moment.at(self.clock(), self.dialect.tick)
        return RequestContext(self.store, company, now, question.root, self.dialect)

    def _base(self, context: RequestContext, question: ServiceRequest, body: Record) -> Record:
        rest = question.segments[3:]
        if not rest:
            raise Refusal(400, "ENTITY_NOT_FOUND", "There are no such entityType as ''")
        shape = find_schema(rest[0], context.dialect)
        key = "/".join(rest[1:]) or question.query.get("id", "")
        if question.method == "GET":
            return retrieve(context, shape, key, question.query.get("properties"))
        if question.method == "DELETE":
            missing_ok = question.headers.get("ignoremissingentityondelete", "").lower() == "true"
            with self.store.savepoint():
                return delete_entity(context, shape, key, missing_ok=missing_ok)
        if len(rest) > 1:
            raise _id_in_path(question.method, shape.name, "/".join(rest[1:]))
        _only(question, "POST", "PUT")
        require_body(body)
        with self.store.savepoint():
            if question.method == "POST":
                return create_entity(context, shape, get_ignore_case(body, "Entity"))
            return update_entity(
                context, shape, get_ignore_case(body, "Entity"), get_ignore_case(body, "Properties")
            )

    def _batch(self, _context: RequestContext, _question: ServiceRequest, _body: Record) -> Record:
        """facts 3.2 names these endpoints and shows none of their answers."""
        raise broken_rule("The local sandbox does not model the batch endpoints: no answer is known.")

    def _query(self, context: RequestContext, question: ServiceRequest, body: Record) -> Record:
        _only(question, "POST")
        shape = find_schema("/".join(question.segments[3:]), context.dialect)
        expression = get_ignore_case(require_body(body), "QueryExpression")
        if not isinstance(expression, dict):
            raise incorrect_model("QueryExpression must be an object.")
        return {"Entities": [{"Data": row} for row in run_query(context, shape, expression)]}

    def _command(self, context: RequestContext, question: ServiceRequest, body: Record) -> Record:
        _only(question, "POST")
        wanted = find_command(
            list(question.segments[3:]), context.dialect
        )  # before the body is judged (facts 3.3)
        sent = get_ignore_case(require_body(body), "Command")
        if not isinstance(sent, dict):
            raise incorrect_model("Command must be an object.")
        if wanted.name == "GetCompanyWsdkUrlCommand":
            return {"CommandResult": found_at(context, get_ignore_case(sent, "CompanyName"), sent)}
        with self.store.savepoint():
            return {"CommandResult": run_command(context, wanted, sent)}

    def _locate(self, context: RequestContext, question: ServiceRequest, _body: Record) -> Record:
        """The GET form of discovery (facts 2)."""
        _only(question, "GET")
        if len(question.segments) != 5 or question.segments[3].lower() != "getcompanywsdkurl":
            raise Refusal(404, "NOT_FOUND", "There is nothing at this path.")
        return {"CommandResult": found_at(context, question.segments[4], {"ApiType": "REST"})}


def _only(question: ServiceRequest, *methods: str) -> None:
    if question.method not in methods:
        raise _not_allowed(f"{question.method} is not offered here: send {' or '.join(methods)}.")


def _id_in_path(method: str, entity: str, key: str) -> Refusal:
    """facts 3.1: a PUT or PATCH with an id in the path was answered with 405."""
    text = f"{method} takes no id in the path"
    if method != "PUT":
        return _not_allowed(f"{text} of {entity}.")
    return _not_allowed(
        f"{text}: send PUT /api/v1/base/{entity} with the id in the body, as "
        f'{{"Properties": ["*"], "Entity": {{"Id": {key:.20}}}}}.'
    )


def _not_allowed(text: str) -> Refusal:
    return Refusal(405, "METHOD_NOT_ALLOWED", text)  # facts 6 has the status; code and texts assumed
