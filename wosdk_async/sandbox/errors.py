"""How the local service refuses: one exception that carries a status, a code and a text.

The texts are the recorded ones where facts 6 has them; the others are marked.
"""

from __future__ import annotations

__all__ = [
    "FaultScriptError",
    "Refusal",
    "StoreError",
    "broken_rule",
    "custom_command",
    "incorrect_model",
    "missing_row",
    "modified",
    "required",
    "unfinished_path",
    "unknown_entity",
    "unknown_property",
    "unsupported",
]


class StoreError(Exception):
    """The store file cannot be used; the text names the file and the remedy."""


class FaultScriptError(ValueError):
    """A fault script cannot be used; the text names the rule and the remedy."""


class Refusal(Exception):
    """A request the service answers with an error body.

    Args:
        status: the HTTP status.
        code: the ``ErrorCode`` of the body.
        message: the ``ErrorMessage`` of the body; a recorded text where one is known.
        hint: what a reader needs beside a recorded text; the recorded dialect leaves it out.
    """

    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint


def broken_rule(message: str, hint: str = "") -> Refusal:
    """A business rule without a number of its own (facts 6)."""
    return Refusal(400, "BUSINESS_LOGIC_ERROR", message, hint)


def required(name: str, of: str = "") -> Refusal:
    """A field the server wants; facts 6 knows the text, the code is assumed.

    Args:
        of: the entity type whose field it is, where the request does not tell.
    """
    return broken_rule(f"{name} is a required field", f" of {of}" if of else "")


def incorrect_model(message: str) -> Refusal:
    """A body of the wrong shape (facts 6; the texts are assumed)."""
    return Refusal(400, "INCORRECT_MODEL", message)


def unsupported(operation: str, entity: str) -> Refusal:
    """``operation`` is Create, Update or Delete (spec 4.9 rule 1, text of facts 6)."""
    return Refusal(400, "ERROR_CODE_1000", f"{operation} operation is not supported by {entity} entity.")


def custom_command(entity: str, path: str) -> Refusal:
    """The operation exists as a command only, at this path (facts 3.9, text of facts 6)."""
    text = (
        f"There are some custom command for '{entity}' for that action. "
        f"Use '/cmd/{path}' endpoint for that please."
    )
    return Refusal(400, "CUSTOM_COMMAND_ERROR", text)


def unknown_entity(name: str) -> Refusal:
    return Refusal(400, "ENTITY_NOT_FOUND", f"There are no such entityType as '{name}'")  # facts 6


def unknown_property(entity: str, name: str) -> Refusal:
    """Of a path only the first step is named (facts 3.4)."""
    return Refusal(400, "ERROR_CODE_1002", f'{entity} entity does not expose "{name}" property.')


def unfinished_path(name: str) -> Refusal:
    """A path that ends in a reference or a list; code of a peer (facts 3.4), text assumed."""
    return Refusal(400, "ERROR_CODE_1003", f"Property path '{name}' must end in a plain property.")


def missing_row(entity: str, key: object) -> Refusal:
    """The code is a peer's (facts 6); the text is assumed."""
    return Refusal(400, "ERROR_CODE_1019", f"{entity} entity with id {key} is not found.")


def modified() -> Refusal:
    return Refusal(400, "ERROR_CODE_6", "Data was already modified by another user.")  # facts 3.7
