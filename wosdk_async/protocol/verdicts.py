"""Verdict table: what a response or a failed attempt means, and what the client does next.

It governs response reading, retries, log-in, the look-up of calls in doubt and the command line's exit
statuses. To change the rule for an error code, edit its row in ``CODES``. ``python -m tests.errors.tables``
renders the tables of ``docs/failures.md`` from this module.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, Protocol

import attrs

from wosdk_async.errors import (
    BusinessRuleError,
    ConflictError,
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotFoundError,
    NotSentError,
    NotUniqueError,
    RefusedError,
    SessionError,
    SessionRefusedError,
    ThrottledError,
    UnknownNameError,
    UnsupportedError,
    WosdkError,
)

# --- verdicts -------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Verdict:
    """Meaning of an attempt that returned no result."""

    name: str
    retried: Literal["always", "if safe", "never"]
    """When the retry policy retries the call: always, only if it is safe to repeat, or never."""
    when: str
    then: str

    def __repr__(self) -> str:
        return f"<Verdict {self.name}>"


NEVER_SENT = Verdict(
    "never sent",
    "always",
    when="no connection; a refused certificate; a cancellation or timeout before the first byte",
    then="even a create is retried, until the deadline if the host is unreachable; the last attempt "
    "raises `NotSentError` or `DeadlineError`. A refused certificate, or a server without TLS, raises "
    "`NotSentError` at once",
)
REFUSED = Verdict(
    "refused",
    "never",
    when="an error body from the service (HTTP 4xx, or 2xx without a result); a `CommandResult` with only "
    "`ErrorInfo`",
    then="the error class of the code is raised at once",
)
SESSION_REFUSED = Verdict(
    "session refused",
    "never",  # not by the retry policy: the attempt itself renews the session (transport/dispatcher.py)
    when="{codes}; any 401",
    then="one renewal of token and host serves all calls; then the call is retried",
)
OTHER_PATH = Verdict(
    "other path",
    "never",  # not by the retry policy: the attempt itself tries the other path
    when="for a command with two documented paths: {codes}; a 404 page for the path documented by only "
    "one source, while the Company has accepted neither path",
    then="the call is sent to the other path; if both are unknown, `UnknownNameError` is raised",
)
WAIT = Verdict(
    "wait",
    "always",
    when="429; 503 with an error body from the service or a valid `Retry-After`; a code of "
    "`RetryPolicy(waits=...)`",
    then="the call is retried after the requested wait plus jitter; the last attempt, or a requested wait "
    "above 60 s, raises `ThrottledError`",
)
REPEAT = Verdict(
    "repeat",
    "always",
    when="a code of `RetryPolicy(repeats=...)`",
    then="the call is retried after a wait, even a create; the last attempt raises the code's error class",
)
IN_DOUBT = Verdict(
    "in doubt",
    "if safe",
    when="after sending: a reset, a truncated response, any other 5xx, a gateway's page, a redirect, no "
    "JSON, no result or record, any other `ErrorInfo`, or the response to another call; "
    "`ENTITYSPECIFIER_NOT_FOUND` for a create without a command",
    then="a call that is safe to repeat is retried, and finally raises `NoAnswerError`; any other call "
    "raises `InDoubtError` at once",
)

VERDICTS = (NEVER_SENT, REFUSED, SESSION_REFUSED, OTHER_PATH, WAIT, REPEAT, IN_DOUBT)


# --- error codes ----------------------------------------------------------------------------


@attrs.frozen
class CodeRule:
    """Meaning of one error code of the service."""

    code: str
    verdict: Verdict
    """Any verdict except NEVER_SENT and IN_DOUBT; WAIT only with a ThrottledError."""
    error: type[RefusedError]
    unknown_company: bool = False
    """Whether the locator uses this code for an unknown Company even though the verdict is not REFUSED."""
    create_in_doubt: bool = False
    """Whether a create that gets this code may have been carried out."""


CODES: Mapping[str, CodeRule] = {
    rule.code: rule
    for rule in (  # facts 6
        CodeRule("BUSINESS_LOGIC_ERROR", REFUSED, BusinessRuleError),
        CodeRule("ERROR_CODE_6", REFUSED, ConflictError),  # facts 3.7
        CodeRule("CONCURRENCY_ERROR", REFUSED, ConflictError),  # shown only in a third-party client
        CodeRule("ERROR_CODE_1019", REFUSED, NotFoundError),
        CodeRule("ERROR_CODE_1000", REFUSED, UnsupportedError),
        CodeRule("CUSTOM_COMMAND_ERROR", REFUSED, UnsupportedError),
        CodeRule("ENTITY_NOT_FOUND", REFUSED, UnknownNameError),  # the entity type does not exist
        CodeRule("ERROR_CODE_1002", REFUSED, UnknownNameError),
        CodeRule("ERROR_CODE_1003", REFUSED, UnknownNameError),  # facts 3.4
        # facts 6: a command's specifier is missing, or a create was answered without one
        CodeRule("ENTITYSPECIFIER_NOT_FOUND", REFUSED, RefusedError, create_in_doubt=True),
        CodeRule("COMMAND_NOT_FOUND", OTHER_PATH, UnknownNameError),  # facts 12 row 4
        CodeRule("EXPIRED_TOKEN", SESSION_REFUSED, SessionRefusedError),
        CodeRule("INCORRECT_TOKEN", SESSION_REFUSED, SessionRefusedError),
        CodeRule("MISSING_AUTHORIZATION_HEADER", SESSION_REFUSED, SessionRefusedError),
        CodeRule("MISSING_AUTHORIZATION_SCHEME", SESSION_REFUSED, SessionRefusedError),
        # facts 2: the wrong host for the Company, or no such Company
        CodeRule("DATABASE_VERSION_MISMATCH", SESSION_REFUSED, SessionRefusedError, unknown_company=True),
    )
}

_OTHER_CODE = CodeRule("", REFUSED, RefusedError)  # spec 7; facts 6: the list of codes is open


class OwnCodes(Protocol):
    """Error codes whose verdicts the program sets, for example in a ``RetryPolicy``."""

    @property
    def waits(self) -> Collection[str]:
        """Codes that mean that the service did nothing and asks the client to wait."""

    @property
    def repeats(self) -> Collection[str]:
        """Codes that mean that the service did nothing and allows a retry."""


@attrs.frozen
class _NoOwnCodes:
    waits: Collection[str] = ()
    repeats: Collection[str] = ()


NO_OWN_CODES = _NoOwnCodes()


# --- statuses -------------------------------------------------------------------------------


@attrs.frozen
class StatusRule:
    """Meaning of a status, for responses that meet the rule's conditions; the first matching row decides."""

    statuses: range
    verdict: Verdict | None
    """Verdict; None where ``CODES`` decides."""
    error: type[RefusedError] | None
    needs: Literal["nothing", "error body", "error body or Retry-After"] = "nothing"

    def fits(self, status: int, has_error_body: bool, has_retry_after: bool) -> bool:
        """Return whether the rule matches a response with these properties."""
        if status not in self.statuses:
            return False
        if self.needs == "nothing" or has_error_body:
            return True
        return has_retry_after and self.needs == "error body or Retry-After"


STATUSES = (
    # facts 5: a success may contain an ErrorInfo. spec 7 shows error bodies without a status. Not shown;
    # assumed: a success may also contain an error body.
    StatusRule(range(300), None, None),
    StatusRule(range(401, 402), SESSION_REFUSED, SessionRefusedError),  # facts 6: with any body
    StatusRule(range(429, 430), WAIT, ThrottledError),  # facts 6: not shown; assumed
    StatusRule(range(400, 500), None, None, "error body"),  # spec 7, facts 6
    # Not shown; assumed: a bare 503 may come from a gateway that has passed the request on. The call is then
    # in doubt, even with an empty or unreadable Retry-After.
    StatusRule(range(503, 504), WAIT, ThrottledError, "error body or Retry-After"),
    StatusRule(range(1000), IN_DOUBT, None),  # facts 6: a 500 is an unhandled exception
)

BUSY = frozenset(status for rule in STATUSES if rule.verdict is WAIT for status in rule.statuses)
"""Statuses on which the client reduces the Company's concurrency."""


def verdict_on(
    status: int,
    code: str,
    *,
    has_error_body: bool = True,
    has_retry_after: bool = False,
    creates: bool = False,
    own: OwnCodes = NO_OWN_CODES,
) -> tuple[Verdict, type[RefusedError]]:
    """Return the verdict on a response, and the class to raise for a service error.

    ``has_retry_after`` tells whether there is a readable Retry-After.
    ``creates`` tells whether the call creates a record without a command.
    """
    rule = next((row for row in STATUSES if row.fits(status, has_error_body, has_retry_after)), STATUSES[-1])
    by_code = CODES.get(code, _OTHER_CODE)
    by_code_verdict = IN_DOUBT if creates and by_code.create_in_doubt else by_code.verdict
    verdict, error = rule.verdict or by_code_verdict, rule.error or by_code.error
    if has_error_body and verdict in (REFUSED, IN_DOUBT):
        if code in own.waits:
            return WAIT, ThrottledError
        if code in own.repeats:
            return REPEAT, error
    return verdict, error


def verdict_of(error: RefusedError, own: OwnCodes = NO_OWN_CODES) -> Verdict:
    """Return the verdict on a refusal, based on its status and code."""
    return verdict_on(error.status, error.code, own=own)[0]


def is_early(error: RefusedError) -> bool:
    """Return whether ``error`` is a refusal that the service may send before it has read the request body.

    Not shown; assumed: such a refusal carries no RequestId, even from a host that usually sends one.
    """
    return error.status in BUSY or verdict_of(error) is SESSION_REFUSED


def means_unknown_company(error: RefusedError) -> bool:
    """Return whether a refusal means that the locator does not know the Company.

    A status above 400, or the error for an unknown command, does not come from a locator.
    """
    # facts 2: the locator responds with a 400, whose body was not recorded
    rule = CODES.get(error.code, _OTHER_CODE)
    return rule.unknown_company or (error.status <= 400 and verdict_of(error) is REFUSED)


# --- errors that a call ends with -----------------------------------------------------------


@attrs.frozen
class Ending:
    """Meaning of an error that ends a call; the first row with a matching class decides."""

    error: type[WosdkError]
    exit_status: int
    """Exit status of the ``wosdk`` command."""
    passes: bool = False
    """Whether the error may be transient, so that the look-up of a call in doubt is retried."""


ENDINGS = (
    Ending(InDoubtError, 7),
    Ending(SessionError, 5, passes=True),
    Ending(ThrottledError, 6, passes=True),
    Ending(NotFoundError, 4),
    Ending(RefusedError, 3),
    Ending(NotUniqueError, 3),
    Ending(NotSentError, 6, passes=True),
    Ending(NoAnswerError, 6, passes=True),
    Ending(DeadlineError, 6, passes=True),
    Ending(WosdkError, 2),
)


def ending_of(error: Any) -> Ending:
    """Return what an error means for the caller."""
    if isinstance(error, UnsupportedError) and not error.status:
        return ENDINGS[-1]  # the client refused the call because of the catalogue, before sending anything
    return next((each for each in ENDINGS if isinstance(error, each.error)), ENDINGS[-1])
