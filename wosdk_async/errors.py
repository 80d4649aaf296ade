"""Errors of this library, grouped by what the caller does next.

========================  ====================================================================
fix the call              :class:`ConfigurationError`, :class:`InvalidCallError`, :class:`NotUniqueError`,
                          :class:`PayloadError`, :class:`DownloadError`
log-in failed             :class:`SessionError` and below
read the refusal          :class:`RefusedError` and below: the service did nothing
retry                     :class:`NotSentError`, :class:`NoAnswerError`, :class:`DeadlineError`
look before you repeat    :class:`InDoubtError`: the service may have carried out the call
========================  ====================================================================

Exceptions hold only plain data, so that they can be pickled, copied and logged: a stable ``kind``, and facts
as attributes. Their ``remedies`` are values, which callers render in their own terms. No exception contains a
token or secret. ``protocol/verdicts.py`` maps responses to errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from wosdk_async.text.remedies import Remedy, Words, in_python
from wosdk_async.text.safe_text import Secrets, one_line, without_markup

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
    "NameNotFoundError",
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
]


_MAX_MESSAGE = 2000  # maximum characters kept: the service may send texts of any length
_MAX_WORD = 200
_SETTLE = 30.0  # seconds; the default of CallOptions.settle, for errors without a call


class WosdkError(Exception):
    """Base class of all errors of this library.

    Errors caused by a response carry its ``status``, ``code`` (the ErrorCode) and ``time_stamp`` (the
    server's own text). ``request_id`` is taken from the response, or else from the request. Unknown values
    are 0, empty or None. Any other ``details`` also become attributes, used in the text of remedies.
    """

    kind: str = "error"
    """Stable name of the failure, also part of the ``type`` of a problem body; a class may use several
    names."""
    remedies: tuple[Remedy, ...] = ()
    """Remedies, best first."""
    company: str | None = None
    operation: str | None = None
    request_id: str | None = None
    attempts: int = 0
    waits: tuple[float, ...] = ()
    """Seconds waited before each retry."""
    times: Mapping[str, float] = MappingProxyType({})
    """Seconds spent in each phase: queue, session, connect, request, sleep, lookup."""
    status: int = 0
    code: str = ""
    time_stamp: str | None = None
    for_callers: str = ""
    """Message for callers that sent the values as JSON; empty if :attr:`message` also suits them."""
    conflict: bool = False
    """Whether another run of the job or an existing file prevents this call; web callers get a 409."""

    def __init__(self, message: str, /, **details: object) -> None:
        super().__init__(message)
        self.add(**details)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep all attributes when the error is pickled or copied; a copy gets its own list of notes."""
        state = dict(vars(self))
        if "__notes__" in state:
            state["__notes__"] = list(state["__notes__"])
        return _rebuild, (type(self), self.args), state

    def add(self, **details: object) -> None:
        """Set each of ``details`` as an attribute, unless the attribute already has a value."""
        for name, value in details.items():
            if not vars(self).get(name):
                setattr(self, name, value)

    def hide(self, secrets: Secrets) -> None:
        """Hide ``secrets`` in the message and the details, and truncate long texts."""
        self.args = (secrets.hide(self.message, _MAX_MESSAGE),)
        for name, value in vars(self).items():
            setattr(self, name, _hidden(value, secrets))

    @property
    def message(self) -> str:
        """Message of the library or service, without remedies, operation, Company or RequestId."""
        return str(self.args[0])

    @property
    def facts(self) -> dict[str, Any]:
        """The error's details, for a replacement error with a different message."""
        return {name: fact for name, fact in vars(self).items() if name not in ("__notes__", "for_callers")}

    def explained(self, words: Words = in_python) -> str:
        """Return the message with its remedies in the caller's terms."""
        text = self.message if words is in_python else self.for_callers or self.message
        remedies = self._remedies(words)
        if text.endswith(".") and remedies.partition(" ")[0].isalpha():
            return f"{text} {remedies[0].upper()}{remedies[1:]}"
        joint = " " if text.endswith(".") else "; "
        return f"{text}{joint}{remedies}" if remedies else text

    @property
    def remedy(self) -> str:
        """Remedies for a Python program, as text."""
        return self._remedies(in_python)

    def _remedies(self, words: Words) -> str:
        return "; or ".join(filter(None, (words(each, self.facts) for each in self.remedies)))

    def __str__(self) -> str:
        """Return one line for logs and terminals: message, remedies, operation, Company and RequestId."""
        return self.shown(in_python)

    def shown(self, words: Words) -> str:
        """Return the text of ``str(error)``, with the remedies in the caller's terms."""
        where = {"operation": self.operation, "Company": self.company, "RequestId": self.request_id}
        known = ", ".join(f"{name} {value}" for name, value in where.items() if value)
        text = without_markup(self.explained(words))
        return one_line(f"{text} ({known})" if known else text)


def _hidden(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.hide(value, _MAX_WORD)
    if isinstance(value, list | tuple) and any(isinstance(each, str) for each in value):
        return type(value)(_hidden(each, secrets) for each in value)
    return value


def _rebuild(kind: type[WosdkError], args: tuple[Any, ...]) -> WosdkError:
    """Restore an error without calling ``__init__``, because subclasses may take other arguments."""
    error = kind.__new__(kind)
    error.args = args  # OSError.__new__ leaves them empty
    return error


# --- fix the call ---------------------------------------------------------------------------


class ConfigurationError(WosdkError, ValueError):
    """Unusable setting: an unsafe address, a missing variable, a name with a line break."""

    kind = "configuration"
    client_closed: bool = False
    """Whether the call was not sent because its client was closed before."""


class InvalidCallError(WosdkError, ValueError):
    """Call that cannot be sent as is: a string is too long, or a value has the wrong type."""

    kind = "invalid"


class PayloadError(WosdkError, ValueError):
    """Unreadable text from the service, such as the body of a webhook."""

    kind = "unreadable"


class DownloadError(WosdkError):
    """File that cannot be downloaded: it has no usable address, is gone or too large, or the disk is full.

    ``status`` is the storage's HTTP status, 0 if no request was made. Nothing remains on the disk.
    """

    kind = "download"


class UnknownPropertyError(InvalidCallError, AttributeError):
    """Query property that the catalogue lacks; the message suggests a similar name."""

    kind = "unknown-property"


class UnknownFieldError(InvalidCallError, TypeError):
    """Field name that a model class lacks; the message suggests a similar name."""

    kind = "unknown-field"


class NotUniqueError(WosdkError):
    """Several records where one was expected: narrow the query."""

    kind = "not-unique"


# --- log-in failed --------------------------------------------------------------------------


class SessionError(WosdkError):
    """No session for the Company; no call was sent."""

    kind = "no-session"
    retry_after: float | None = None
    """Seconds to wait before the next log-in, if the service throttles log-ins and specifies a wait."""


class CredentialsError(SessionError):
    """Client id or secret refused by the token endpoint; ``code`` is the OAuth error code, if any."""

    kind = "credentials"


class DiscoveryError(SessionError):
    """No usable host for the Company in the locator's response."""

    kind = "discovery"


class UnknownCompanyError(DiscoveryError):
    """Company unknown to the locator in this region."""

    kind = "unknown-company"


# --- read the refusal -----------------------------------------------------------------------


class RefusedError(WosdkError):
    """Refusal by the service, which did nothing.

    ``code`` is the ErrorCode. Base decisions on it, never on ``status`` alone. The service may
    also send undocumented codes.
    """

    kind = "refused"  # spec 7; facts 1


class BusinessRuleError(RefusedError):
    """Request forbidden by a business rule; the message names the rule.

    Also raised for a command or create that names a missing record.
    """

    kind = "business-rule"


class ConflictError(RefusedError):
    """Record changed by another user since the read: read it again.

    ``status`` is 0 if this library compared the versions and sent no write.
    """

    kind = "conflict"


class NotFoundError(RefusedError):
    """No record with this id, in a get, update or delete.

    A command that names a missing record raises BusinessRuleError (``docs/web.md``).
    """

    kind = "not-found"


class NameNotFoundError(NotFoundError):
    """Unknown name in an action or reference; nothing was sent (``status`` is 0).

    The message suggests a similar name, or lists all names if the library has read them.
    """

    kind = "name-not-found"


class UnsupportedError(RefusedError):
    """Operation that the entity does not support, or that requires a command.

    If the restriction is documented, nothing is sent: ``status`` is 0, and the message says what to do.
    """

    kind = "unsupported"


class UnknownNameError(RefusedError):
    """Entity type, command or property unknown to the service."""

    kind = "unknown-name"


class ThrottledError(RefusedError):
    """Call throttled by the service: wait before you retry."""

    kind = "throttled"
    retry_after: float | None = None
    """Seconds to wait; None if the response does not specify them."""


class SessionRefusedError(RefusedError, SessionError):
    """``SessionError`` whose token or host is still refused after a renewal."""

    kind = "session-refused"


# --- retry --------------------------------------------------------------------------------


class NotSentError(WosdkError, ConnectionError):
    """Call that never reached the service and can be retried, even a create.

    Also raised when your own httpx pool has no free connection.
    """

    kind = "not-sent"


class OverloadedError(NotSentError):
    """Call not sent, because too many of the Company's calls are already waiting in this client."""

    kind = "overloaded"


class NoAnswerError(WosdkError):
    """Repeat-safe call without a readable response in any attempt."""

    kind = "no-answer"


class DeadlineError(WosdkError, TimeoutError):
    """Call that timed out and can be retried: it was not sent, or is safe to repeat."""

    kind = "deadline"
    phase: str = ""
    """Phase in which the time ran out: queue, session, connect, request or sleep; for documents also source
    (reading an upload) or downloading.
    """
    key_in_doubt: bool = False
    """Whether another call with the same key may still take effect; this call was not sent."""
    look_first: bool = False
    """Whether a retry first looks for the other call's effect, and so is safe."""
    settle: float = _SETTLE
    """If the key is in doubt: seconds during which the other call may still take effect."""


# --- look before you repeat -----------------------------------------------------------------


class InDoubtError(WosdkError):
    """Call that was sent and may have been carried out; it was not repeated.

    Wait :attr:`settle` seconds, then look for its effect before you retry: ``request_id`` does not prevent a
    duplicate, because the service only repeats it in the response.
    """

    kind = "in-doubt"
    remedies = (Remedy.LOOK,)
    look_first: bool = False
    """Whether a retry with the same marker first looks for this call's effect, and so is safe."""
    settle: float = _SETTLE
    """Seconds during which the call may still take effect: its ``CallOptions.settle``."""

    @property
    def facts(self) -> dict[str, Any]:
        """The error's details, including :attr:`settle`."""
        return {"settle": self.settle, **super().facts}
