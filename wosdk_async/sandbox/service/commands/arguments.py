"""Arguments of a command, and the records that they name."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import Refusal, broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["Arguments", "named_record", "not_modelled", "required_record"]

Arguments = dict[str, Any]


def required_record(context: RequestContext, entity: str, key: int, name: str = "") -> Record:
    """Return a record that a command refers to.

    The message of a refusal names the record by ``name``, or by its entity type if ``name`` is empty.

    Raises:
        Refusal: ``BUSINESS_LOGIC_ERROR``: there is no such record (spec 3; the text of the message is
            assumed).
    """
    record = context.find(entity, key)
    if record is None:
        raise broken_rule(f"{name or entity} with id {key} is not found.")
    return record


def named_record(
    context: RequestContext, arguments: Arguments, argument: str, entity: str, name: str = ""
) -> Record:
    """Return the record whose id is in an argument.

    The message of a refusal names the record by ``name``, or by the argument if ``name`` is empty.

    Raises:
        Refusal: the argument is missing, or there is no such record.
    """
    key = arguments.get(argument, 0)
    if not key:
        raise required(argument)
    return required_record(context, entity, key, name or argument)


def not_modelled(name: str, why: str) -> Refusal:
    """Return the refusal of a command, or of arguments of it, that the sandbox does not model."""
    return broken_rule(f"The local sandbox does not model {name}: {why}.")
