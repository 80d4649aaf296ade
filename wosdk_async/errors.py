"""Errors of this library, grouped by what the caller does next.

========================  ====================================================================
fix the call              :class:`ConfigurationError`, :class:`InvalidCallError`, :class:`NotUniqueError`,
                          :class:`PayloadError`, :class:`DownloadError`
log in again              :class:`SessionError` and below
read the refusal          :class:`RefusedError` and below: the service did nothing
retry                     :class:`NotSentError`, :class:`NoAnswerError`, :class:`DeadlineError`
look before you repeat    :class:`InDoubtError`: the service may have done it
========================  ====================================================================

Every exception holds plain data only, so that it survives pickle, copy and a log line: a stable ``kind``,
facts as attributes, and ``remedies`` as values, which a caller shows in its own words. None holds a token or
a secret. ``protocol/verdicts.py`` says which response becomes which error.
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


_MAX_MESSAGE = 2000  # characters that are kept: the service may send texts of any length
_MAX_WORD = 200


class WosdkError(Exception):
    """Base class of all errors of this library.

    An error that a response caused carries its ``status``, ``code`` (its ErrorCode) and ``time_stamp`` (the
    server's own text). ``request_id`` is the one of the response, otherwise the one that was sent. An unknown
    value is 0, empty or None. Further ``details`` become attributes: the facts that a remedy names.
    """

    kind: str = "error"
    """Stable name of what went wrong, as in the ``type`` of a problem body: of the class, or a finer one."""
    remedies: tuple[Remedy, ...] = ()
    """What to do about it, the best first."""
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
    for_callers: str = ""
    """The message for callers that sent the values in JSON; empty if it is the same."""

    def __init__(self, message: str, /, **details: object) -> None:
        super().__init__(message)
        self.add(**details)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep all attributes when pickled or copied; a copy gets its own list of notes."""
        state = dict(vars(self))
        if "__notes__" in state:
            state["__notes__"] = list(state["__notes__"])
        return _rebuild, (type(self), self.args), state

    def add(self, **details: object) -> None:
        """Set the attributes that are not set yet."""
        for name, value in details.items():
            if not vars(self).get(name):
                setattr(self, name, value)

    def hide(self, secrets: Secrets) -> None:
        """Hide ``secrets`` that a response repeated, then cut the texts to their longest length."""
        self.args = (secrets.hide(self.message, _MAX_MESSAGE),)
        for name, value in vars(self).items():
            setattr(self, name, _hidden(value, secrets))

    @property
    def message(self) -> str:
        """Text of the error as the service sent it, without remedies, operation, Company and RequestId."""
        return str(self.args[0])

    @property
    def facts(self) -> dict[str, Any]:
        """What was given about this error, for an error that replaces it under another message."""
        return {name: fact for name, fact in vars(self).items() if name not in ("__notes__", "for_callers")}

    def explained(self, words: Words = in_python) -> str:
        """Return the message with its remedies, in the terms of the caller."""
        text = self.message if words is in_python else self.for_callers or self.message
        remedies = self._remedies(words)
        if text.endswith(".") and remedies.partition(" ")[0].isalpha():
            return f"{text} {remedies[0].upper()}{remedies[1:]}"
        joint = " " if text.endswith(".") else "; "
        return f"{text}{joint}{remedies}" if remedies else text

    @property
    def remedy(self) -> str:
        """What a Python program does about it: its remedies as a text."""
        return self._remedies(in_python)

    def _remedies(self, words: Words) -> str:
        return "; or ".join(filter(None, (words(each, self.facts) for each in self.remedies)))

    def __str__(self) -> str:
        """Return the text on one line for logs and terminals: with remedies and known names."""
        return self.shown(in_python)

    def shown(self, words: Words) -> str:
        """Return what ``str`` does, with the remedies in the terms of the caller."""
        where = {"operation": self.operation, "Company": self.company, "RequestId": self.request_id}
        known = ", ".join(f"{name} {value}" for name, value in where.items() if value)
        text = without_markup(self.explained(words))
        return one_line(f"{text} ({known})" if known else text)


def _hidden(value: Any, secrets: Secrets) -> Any:
    """Return a fact without secrets; one that is no text, and no list or tuple of texts, as it is."""
    if isinstance(value, str):
        return secrets.hide(value, _MAX_WORD)
    if isinstance(value, list | tuple) and any(isinstance(each, str) for each in value):
        return type(value)(_hidden(each, secrets) for each in value)
    return value


def _rebuild(kind: type[WosdkError], args: tuple[Any, ...]) -> WosdkError:
    """Return an error without ``__init__``: that of a program's subclass may take other arguments."""
    error = kind.__new__(kind)
    error.args = args  # OSError.__new__ sets none
    return error


# --- fix the call ---------------------------------------------------------------------------


class ConfigurationError(WosdkError, ValueError):
    """A setting that cannot be used: an unsafe address, a missing variable, a name with a line break."""

    kind = "configuration"


class InvalidCallError(WosdkError, ValueError):
    """A call that cannot be sent as is: a text too long, a value of the wrong type."""

    kind = "invalid"


class PayloadError(WosdkError, ValueError):
    """A received text of the service that cannot be read: the body of a webhook."""

    kind = "unreadable"


class DownloadError(WosdkError):
    """A file that cannot be downloaded: no usable address, gone, too long, or no space on the disk.

    ``status`` is the HTTP status of its storage, 0 when no request was made. Nothing remains on the disk.
    """

    kind = "download"


class UnknownPropertyError(InvalidCallError, AttributeError):
    """A property in a query that the catalogue does not know; the message suggests a similar name."""

    kind = "unknown-property"


class UnknownFieldError(InvalidCallError, TypeError):
    """A field name that a class of the model does not have; the message suggests a similar name."""

    kind = "unknown-field"


class NotUniqueError(WosdkError):
    """Several records where a query was to find one: narrow it down."""

    kind = "not-unique"


# --- log in again ---------------------------------------------------------------------------


class SessionError(WosdkError):
    """No session for the Company; no call was sent."""

    kind = "no-session"


class CredentialsError(SessionError):
    """Client id or secret that the token endpoint refused; ``code`` is that of OAuth, ``invalid_client``."""

    kind = "credentials"


class DiscoveryError(SessionError):
    """No usable host for the Company in the locator's response."""

    kind = "discovery"


class UnknownCompanyError(DiscoveryError):
    """A Company that the locator does not know in this region."""

    kind = "unknown-company"


# --- read the refusal -----------------------------------------------------------------------


class RefusedError(WosdkError):
    """An error of the service, which did nothing.

    ``code`` is its ErrorCode. Decide on it, never on ``status`` alone. The list of codes is open.
    """

    kind = "refused"  # spec 7; facts 1


class BusinessRuleError(RefusedError):
    """A request that a business rule forbids; the message names the rule.

    Also a command or a create that names a record that does not exist.
    """

    kind = "business-rule"


class ConflictError(RefusedError):
    """A record that another user changed in between: read it again.

    ``status`` is 0 when this library compared the versions and sent no write.
    """

    kind = "conflict"


class NotFoundError(RefusedError):
    """A get, an update or a delete named an id that no record has.

    A command with such an id is a BusinessRuleError; ``docs/web.md`` says how to tell them apart.
    """

    kind = "not-found"


class NameNotFoundError(NotFoundError):
    """A name that no record has, where an action or a reference needs one; nothing was sent (``status`` 0).

    The message suggests a similar name, or lists the names there are, where the library has read them.
    """

    kind = "name-not-found"


class UnsupportedError(RefusedError):
    """An operation that the entity does not support, or for which a command must be used.

    If the service documents that, nothing is sent: ``status`` is 0 then, and the message says what to do.
    """

    kind = "unsupported"


class UnknownNameError(RefusedError):
    """An entity type, command or property that the service does not know."""

    kind = "unknown-name"


class ThrottledError(RefusedError):
    """A request of the service to wait."""

    kind = "throttled"
    retry_after: float | None = None
    """Seconds to wait; None when the response does not say."""


class SessionRefusedError(RefusedError, SessionError):
    """Token or host that the service refused even after they were renewed."""

    kind = "session-refused"


# --- retry --------------------------------------------------------------------------------


class NotSentError(WosdkError, ConnectionError):
    """A call that never reached the service; it can be retried, a create too.

    Also one for which no connection of your own httpx pool was free.
    """

    kind = "not-sent"


class OverloadedError(NotSentError):
    """A call that was not sent because too many calls of the Company wait in this client already."""

    kind = "overloaded"


class NoAnswerError(WosdkError):
    """A call, safe to repeat, that got no readable response in any of its attempts."""

    kind = "no-answer"


class DeadlineError(WosdkError, TimeoutError):
    """A call that timed out before it could take effect."""

    kind = "deadline"
    phase: str = ""
    """Phase in which the time ended: queue, session, connect, request or sleep."""


# --- look before you repeat -----------------------------------------------------------------


class InDoubtError(WosdkError):
    """A call that was sent and may have been carried out; it was not repeated.

    Look for its effect before you retry it. ``request_id`` was sent along, but the service only echoes
    it.
    """

    kind = "in-doubt"
