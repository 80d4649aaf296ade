"""What can go wrong, ordered by what the caller does next.

========================  ====================================================================
fix the call              :class:`ConfigurationError`, :class:`InvalidCallError`, :class:`NotUniqueError`,
                          :class:`PayloadError`, :class:`DownloadError`
log in again              :class:`SessionError` and below
read the refusal          :class:`RefusedError` and below: the service did nothing
send it again             :class:`NotSentError`, :class:`NoAnswerError`, :class:`DeadlineError`
look before you repeat    :class:`InDoubtError`: the service may have done it
========================  ====================================================================

Every exception holds plain data only, so that it survives pickle, copy and a log line, and none
of them ever holds a token or a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from wosdk_async.safe_text import Secrets, one_line

__all__ = [
    "BusinessRuleError",
    "ConfigurationError",
    "ConflictError",
    "CredentialsError",
    "DeadlineError",
    "DiscoveryError",
    "DownloadError",
    "InDoubtError",
    "InvalidCallError",
    "NoAnswerError",
    "NotFoundError",
    "NotSentError",
    "NotUniqueError",
    "OverloadedError",
    "PayloadError",
    "RefusedError",
    "SessionError",
    "SessionRefusedError",
    "ThrottledError",
    "UnknownCompanyError",
    "UnknownFieldError",
    "UnknownNameError",
    "UnknownPropertyError",
    "UnsupportedError",
    "WosdkError",
    "refused",
]


_MAX_MESSAGE = 2000  # characters that are kept: what the service sends is not trusted to be short
_MAX_WORD = 200

THROTTLED = (429, 503)  # facts 6: no throttling seen; assumed to mean "not now, nothing done"


class WosdkError(Exception):
    """The root: ``except WosdkError`` catches whatever this library raises.

    Every error of an answer says what it was: ``status``, ``code`` (its ErrorCode) and ``time_stamp`` (the
    server's own text). ``request_id`` is the one that the answer carries, otherwise the one that was sent.
    What is not known is 0, empty or None.
    """

    company: str | None = None
    operation: str | None = None
    request_id: str | None = None
    attempts: int = 0
    waits: tuple[float, ...] = ()
    """Seconds waited before each further attempt."""
    times: Mapping[str, float] = MappingProxyType({})
    """Seconds spent in each phase: queue, session, connect, request, sleep."""
    status: int = 0
    code: str = ""
    time_stamp: str | None = None

    def __init__(self, message: str, /, **details: object) -> None:
        super().__init__(message)
        self.add(**details)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy keep all attributes; a copy's notes are its own."""
        state = dict(vars(self))
        if "__notes__" in state:
            state["__notes__"] = list(state["__notes__"])
        return type(self), self.args, state

    def add(self, **details: object) -> None:
        """Fill in what the place that raised did not know; what is known stays."""
        for name, value in details.items():
            if not getattr(self, name):
                setattr(self, name, value)

    def hide(self, secrets: Secrets) -> None:
        """Take out what a response repeated of ``secrets``, and then cut the texts to what is kept."""
        self.args = (secrets.hide(self.message, _MAX_MESSAGE),)
        for name, value in vars(self).items():
            if isinstance(value, str):
                setattr(self, name, secrets.hide(value, _MAX_WORD))

    @property
    def message(self) -> str:
        """The text alone, without where it happened."""
        return str(self.args[0])

    def __str__(self) -> str:
        """The text and where it happened, on one line: it may go to a log or a terminal."""
        where = {"operation": self.operation, "Company": self.company, "RequestId": self.request_id}
        known = ", ".join(f"{name} {value}" for name, value in where.items() if value)
        return one_line(f"{self.message} ({known})" if known else self.message)


# --- fix the call ---------------------------------------------------------------------------


class ConfigurationError(WosdkError, ValueError):
    """A setting cannot be used: an unsafe address, a missing variable, a name with a line break."""


class InvalidCallError(WosdkError, ValueError):
    """The call cannot be sent as it stands: a text too long, a value of the wrong type."""


class PayloadError(WosdkError, ValueError):
    """Something that was received and should be the service's cannot be read: a webhook's body."""


class DownloadError(WosdkError):
    """A file cannot be had as asked for: no address that may be used, gone, too long, no room on the disk.

    ``status`` is what its storage answered, 0 when it was not asked. Nothing is left on the disk.
    """


class UnknownPropertyError(InvalidCallError, AttributeError):
    """The catalogue does not know the property that a query names; the message says what is near."""


class UnknownFieldError(InvalidCallError, TypeError):
    """A class of the model has no field of that name; the message says what is near."""


class NotUniqueError(WosdkError):
    """Several rows match a query that was to find one: narrow it down."""


# --- log in again ---------------------------------------------------------------------------


class SessionError(WosdkError):
    """No session could be had for the Company; no call was sent."""


class CredentialsError(SessionError):
    """The token endpoint refused the client id or secret."""


class DiscoveryError(SessionError):
    """The locator gave no host that may be used for the Company."""


class UnknownCompanyError(DiscoveryError):
    """The locator does not know the Company in this region."""


# --- read the refusal -----------------------------------------------------------------------


class RefusedError(WosdkError):
    """The service answered with an error and did nothing.

    ``code`` is its ErrorCode, an open list: decide on it, never on ``status`` alone.
    """

    # spec 7; facts 1


class BusinessRuleError(RefusedError):
    """A business rule refused the request (``BUSINESS_LOGIC_ERROR``); the message says which."""


class ConflictError(RefusedError):
    """Another user changed the record in between (``ERROR_CODE_6``): read it again.

    ``status`` is 0 when the versions were compared here and nothing was sent to be written.
    """


class NotFoundError(RefusedError):
    """No record has that id (``ERROR_CODE_1019``)."""


class UnsupportedError(RefusedError):
    """The entity does not support the operation, or a command must be used instead.

    What is documented not to be supported is refused without asking: ``status`` is 0 then, and the message
    says what to do instead.
    """


class UnknownNameError(RefusedError):
    """The service knows no such entity type, command or property."""


class ThrottledError(RefusedError):
    """The service asks to wait (429 or 503, assumed); ``retry_after`` is in seconds."""

    retry_after: float | None = None


class SessionRefusedError(RefusedError, SessionError):
    """The service refused the token or the host even after they were renewed."""


# --- send it again --------------------------------------------------------------------------


class NotSentError(WosdkError, ConnectionError):
    """The call never reached the service, so it can be sent again, a create too."""


class OverloadedError(NotSentError):
    """Too many calls of the Company wait in this client already, so this one was turned away at once."""


class NoAnswerError(WosdkError):
    """A call that is safe to repeat got no answer that could be read, however often it was sent."""


class DeadlineError(WosdkError, TimeoutError):
    """The time for the call was used up before it could have had an effect.

    ``phase`` names what it was busy with then: queue, session, connect, request or sleep.
    """

    phase: str = ""


# --- look before you repeat -----------------------------------------------------------------


class InDoubtError(WosdkError):
    """The call was sent and nobody knows whether it was carried out.

    It was not repeated. Look for its effect (``request_id`` was sent along, though the service
    only echoes it) before you send it again.
    """


_BY_CODE: dict[str, type[RefusedError]] = {  # facts 6
    "BUSINESS_LOGIC_ERROR": BusinessRuleError,
    "ERROR_CODE_6": ConflictError,
    "CONCURRENCY_ERROR": ConflictError,
    "ERROR_CODE_1019": NotFoundError,
    "ERROR_CODE_1000": UnsupportedError,
    "CUSTOM_COMMAND_ERROR": UnsupportedError,
    "ENTITY_NOT_FOUND": UnknownNameError,
    "COMMAND_NOT_FOUND": UnknownNameError,
    "ERROR_CODE_1002": UnknownNameError,
    "ERROR_CODE_1003": UnknownNameError,
    "EXPIRED_TOKEN": SessionRefusedError,
    "INCORRECT_TOKEN": SessionRefusedError,
    "MISSING_AUTHORIZATION_HEADER": SessionRefusedError,
    "MISSING_AUTHORIZATION_SCHEME": SessionRefusedError,
    "DATABASE_VERSION_MISMATCH": SessionRefusedError,
}


def refused(
    code: object, message: object, status: int, time_stamp: object = None, request_id: object = None
) -> RefusedError:
    """The exception for what an answer says of a failure; a code that is not known keeps its text.

    What is not text counts as not sent. The texts are whole, as secrets are hidden before anything is cut:
    :func:`wosdk_async.protocol.wire.read` does both.
    """
    known = _text(code) or ""
    kind = _BY_CODE.get(known)
    if status in THROTTLED:
        kind = ThrottledError
    elif status == 401:
        kind = SessionRefusedError  # facts 6: it is the token's alone, whatever its code
    return (kind or RefusedError)(
        _text(message) or known or f"HTTP {status} without a text",
        code=known,
        status=status,
        time_stamp=_text(time_stamp),
        request_id=_text(request_id),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
