"""Sandbox errors, and refusals by the service with texts from facts 6 unless marked otherwise."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_CUTOFF = 0.75  # lower values suggest other words, such as CustomerInvoice for Customer


class StoreError(Exception):
    """Unusable store file, or invalid seed rows."""


class SettingError(ValueError):
    """Invalid argument of a Company; ``setting`` is the argument's name, such as ``dialect``."""

    def __init__(self, message: str, setting: str) -> None:
        super().__init__(message)
        self.setting = setting


class FaultScriptError(ValueError):
    """Invalid fault script; the message says how to fix it."""


class Refusal(Exception):
    """Refusal of a request by the service: HTTP status, ``ErrorCode`` and ``ErrorMessage``."""

    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint  # explains a recorded message; the recorded dialect omits it


def broken_rule(message: str, hint: str = "") -> Refusal:
    """Return the refusal for a broken business rule without a specific error code (facts 6)."""
    return Refusal(400, "BUSINESS_LOGIC_ERROR", message, hint)


def required(name: str, of: str = "") -> Refusal:
    """Return the refusal for a missing field (text: facts 6). Not shown; assumed: the code."""
    return broken_rule(f"{name} is a required field", f" of {of}" if of else "")


def incorrect_model(message: str) -> Refusal:
    """Return the refusal for a malformed body (facts 6). Not shown; assumed: the texts."""
    return Refusal(400, "INCORRECT_MODEL", message)


def unsupported(operation: str, entity: str) -> Refusal:
    """Return the refusal for an operation that the entity type lacks (spec 4.9 rule 1, text from facts 6)."""
    return Refusal(400, "ERROR_CODE_1000", f"{operation} operation is not supported by {entity} entity.")


def unknown_property(entity: str, name: str) -> Refusal:
    """Return the refusal for an unknown property, naming only the first step of a path (facts 3.4).

    Not shown; assumed: for a step after a reference, the refusal names the referenced entity and that step.
    """
    return Refusal(400, "ERROR_CODE_1002", f'{entity} entity does not expose "{name}" property.')


def unfinished_path(name: str) -> Refusal:
    """Return the refusal for a path that ends in a reference or list (facts 3.4; text assumed)."""
    return Refusal(400, "ERROR_CODE_1003", f"Property path '{name}' must end in a plain property.")


def missing_record(entity: str, key: object) -> Refusal:
    """Return the refusal for a missing record (code: facts 6). Not shown; assumed: the text."""
    return Refusal(400, "ERROR_CODE_1019", f"{entity} entity with id {key} is not found.")


def modified() -> Refusal:
    """Return the refusal for a record that is not in the expected state."""
    return Refusal(400, "ERROR_CODE_6", "Data was already modified by another user.")  # facts 3.7


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name most similar to ``name``, or an empty string."""
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name[:60].lower(), by_lower, n=1, cutoff=_CUTOFF)
    return f" (did you mean {by_lower[close[0]]}?)" if close else ""
