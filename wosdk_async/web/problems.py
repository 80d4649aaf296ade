"""Problem bodies (RFC 9457): a web back end's responses when its calls to the service fail.

Bodies never contain a token, secret or address. Errors of connections, log-ins and settings get a fixed text,
and so do refusals not meant for users. URLs, hosts, paths and settings are removed from other texts. Log the
complete error in the back end. ``docs/web.md`` is the user guide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async import codec, errors
from wosdk_async.codec.masking import mask_text
from wosdk_async.errors import DeadlineError, InDoubtError, SessionError, ThrottledError, WosdkError
from wosdk_async.text.remedies import Remedy, in_json
from wosdk_async.text.safe_text import one_line, shortened, without_markup

__all__ = ["PROBLEMS", "ProblemDetails", "ProblemRule", "problem_of"]

_TYPE = "urn:problem-type:wosdk:"  # a name, not an address, because this library has no web site
_MAX_DETAIL = 500  # characters
_MAX_READ = 10_000  # characters of service text
_MAX_WAIT = 3600  # seconds; a limit, because the service may send any number
# Internals that are removed from service text: addresses, hosts with ports, IP addresses, file paths.
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,30}:(?:\\?/){2}[^\s'\"<>]*"
    r"|(?<![\w./\\])(?:[a-z]:)?[/\\]{1,2}[\w.$-]+[/\\][^\s'\"<>,;)]*"
    r"|(?<![\w.-])[a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,9}:[0-9]{2,5}\b"
    r"|(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]{1,5})?(?![\w.])"
    r"|(?<![\w:])\[?(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{0,4}\]?(?![\w:])"
    r"|(?<![\w.-])[a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,9}\.(?:internal|local|lan|corp|intranet)\b",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\b(server|data source|initial catalog|database|host|user id|uid|user|pwd)(\s{0,5}=\s{0,5})[^;\s'\"]+",
    re.IGNORECASE,
)


@attrs.frozen
class ProblemRule:
    """A back end's response to one class of errors."""

    error: type[WosdkError]
    status: int
    title: str
    detail: str = ""
    """Fixed ``detail``; empty to use the error's own message."""
    retry_after: int | None = None
    """Seconds until the same request may succeed; None if waiting does not help."""

    @property
    def name(self) -> str:
        """Last part of the problem ``type``: the class's ``kind``."""
        return self.error.kind


_OPERATOR = "The back end is not set up correctly for the work-order service; see its log for the cause."
_NO_SESSION = "The back end could not log in to the work-order service; see its log for the cause."
_NO_FILE = "The file is missing, too large or unavailable; see the back end's log for the cause."
_SAFE = "No usable response was received. The same request can be retried."
_REFUSED = "The work-order service refused the request. See `code`, and the back end's log for details."
_SENT = "The request was sent to the work-order service, and no response says whether it was carried out."
_EARLIER = "An earlier request with the same key may still be carried out."
_CHECK = "Wait {settle:g} seconds, then check for its effect before you retry."
_SAME_KEY = "Repeat the request with the same key; after {settle:g} seconds, its outcome is certain."
_NOTHING_DONE = "Nothing was done, so the same request can be retried."

PROBLEMS: Mapping[type[WosdkError], ProblemRule] = {
    rule.error: rule
    for rule in (
        # the client's request
        ProblemRule(errors.InvalidCallError, 422, "The request cannot be carried out"),
        ProblemRule(errors.UnknownFieldError, 422, "Unknown field"),
        ProblemRule(errors.UnknownPropertyError, 422, "Unknown property"),
        ProblemRule(errors.NotUniqueError, 409, "Several records match"),
        ProblemRule(errors.PayloadError, 400, "The body cannot be read"),
        ProblemRule(errors.RefusedError, 422, "The work-order service refused the request", _REFUSED),
        ProblemRule(errors.BusinessRuleError, 422, "A business rule forbids this request"),
        ProblemRule(errors.ConflictError, 409, "The record has changed since it was read"),
        ProblemRule(errors.NotFoundError, 404, "Record not found"),
        # 422 instead of 404, because the record in the request's address exists
        ProblemRule(errors.NameNotFoundError, 422, "A name in the request matches no record"),
        ProblemRule(errors.UnsupportedError, 422, "The record does not support this"),
        ProblemRule(errors.UnknownNameError, 422, "The service does not know the name"),
        # possibly done; not 502 to 504, because proxies and HTTP libraries automatically retry these
        ProblemRule(
            errors.InDoubtError,
            500,
            "It is unknown whether this was done",
            f"{_SENT} {_CHECK}",
        ),
        # not done, but a retry may succeed
        ProblemRule(errors.ThrottledError, 503, "The work-order service is busy", _NOTHING_DONE, 5),
        ProblemRule(errors.OverloadedError, 503, "The back end is busy", _NOTHING_DONE, 1),
        ProblemRule(errors.NotSentError, 503, "The work-order service is unreachable", _NOTHING_DONE, 5),
        ProblemRule(errors.SessionError, 503, "No session", _NO_SESSION, 5),
        ProblemRule(errors.DeadlineError, 504, "The request timed out", _NOTHING_DONE, 1),
        ProblemRule(errors.NoAnswerError, 502, "The work-order service did not respond", _SAFE, 5),
        # the back end's operator has to act
        ProblemRule(errors.CredentialsError, 502, "No session", _NO_SESSION),
        ProblemRule(errors.DiscoveryError, 502, "No session", _NO_SESSION),
        ProblemRule(errors.UnknownCompanyError, 502, "Unknown Company", _NO_SESSION),
        ProblemRule(errors.SessionRefusedError, 502, "No session", _NO_SESSION),
        ProblemRule(errors.DownloadError, 502, "The file cannot be downloaded", _NO_FILE),
        ProblemRule(errors.ConfigurationError, 500, "The back end is not set up", _OPERATOR),
        ProblemRule(errors.WosdkError, 500, "The back end failed", _OPERATOR),
    )
}
"""Responses to all error classes of the library, keyed by class."""

_CLOSED = ProblemRule(errors.NotSentError, 503, "The back end is shutting down", _NOTHING_DONE, 5)


@attrs.frozen
class ProblemDetails:
    """A back end's response to an error; pass its three parts to the web framework.

    ::

        problem = problem_of(error)
        return Response(problem.content, problem.status, problem.headers)
    """

    status: int
    body: Mapping[str, Any]
    """``type``, ``title``, ``status``, ``detail`` and ``in_doubt``; if known, ``code``, ``operation``,
    ``request_id`` and ``retry_after``."""
    headers: Mapping[str, str]

    @property
    def content(self) -> bytes:
        """The body as JSON."""
        return codec.dumps(self.body)


def problem_of(error: WosdkError, *rules: ProblemRule) -> ProblemDetails:
    """Return a web back end's response to ``error``.

    The first of ``rules`` that covers the error's class or a base class applies. If none does, the rule in
    ``PROBLEMS`` for the class or its nearest base class applies.
    """
    rule = next((each for each in rules if isinstance(error, each.error)), None)
    if rule is None and getattr(error, "client_closed", False):
        rule = _CLOSED
    rule = rule or next(PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)
    if set(error.remedies) - {Remedy.START_SANDBOX} and rule.retry_after is not None:  # the operator acts
        rule = attrs.evolve(rule, status=502, detail=_OPERATOR, retry_after=None)
    if error.conflict:
        rule = attrs.evolve(
            rule,
            status=409,
            title="Conflict with another job or file",
            detail=_shown(without_markup(error.message)),
        )
    doubt: InDoubtError | DeadlineError | None = error if isinstance(error, InDoubtError) else None
    if isinstance(error, DeadlineError) and error.key_in_doubt:
        # not 504, because a proxy's retry may reach a process that does not know of the other call
        doubt, rule = error, attrs.evolve(PROBLEMS[InDoubtError], detail=f"{_EARLIER} {_CHECK}")
    if doubt is not None:
        check = _SAME_KEY if doubt.look_first else _CHECK
        rule = attrs.evolve(rule, detail=rule.detail.replace(_CHECK, check.format(settle=doubt.settle)))
    wait = _seconds(error, rule)
    texts = {"code": error.code, "operation": error.operation, "request_id": error.request_id}
    body: dict[str, Any] = {
        "type": _TYPE + (error.kind if error.conflict else rule.name),
        "title": rule.title,
        "status": rule.status,
        "detail": rule.detail or _shown(without_markup(error.explained(in_json))),
        "in_doubt": doubt is not None,
        **{name: _shown(text) for name, text in texts.items() if text},
    }
    headers = {"Content-Type": "application/problem+json"}
    if wait is not None:
        body["retry_after"] = wait
        headers["Retry-After"] = str(wait)
    return ProblemDetails(rule.status, body, headers)


def _seconds(error: WosdkError, rule: ProblemRule) -> int | None:
    """Return the number of seconds to wait: the service's if known, otherwise the rule's."""
    seconds = error.retry_after if isinstance(error, ThrottledError | SessionError) else None
    if seconds is None or not math.isfinite(seconds):
        return rule.retry_after
    return min(max(math.ceil(seconds), 1), _MAX_WAIT)


def _shown(text: str) -> str:
    """Return ``text`` as one truncated line without addresses or secrets."""
    text = mask_text(text[:_MAX_READ])
    return shortened(one_line(_ADDRESS.sub("[address]", _SETTING.sub(r"\1\2***", text))), _MAX_DETAIL)
