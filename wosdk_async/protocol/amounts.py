"""Amounts of money in updates: one is written whole, so a missing part comes from the record held."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.elements import OWNED

__all__ = ["complete_amounts", "whole_amount"]


def whole_amount(meta: Wire, value: Any, held: Any, where: str) -> Any:
    """Return the value of a field; an amount of money with both its parts, currency and value.

    An amount is always whole (facts 3.4), and ``Properties`` names it as one: an update that leaves out its
    currency would write none (not shown; assumed). Raises InvalidCallError for a part that is not known.
    """
    if meta["type"] != "money" or not isinstance(value, Record) or value == held:
        return value
    made: Any = copy.copy(value)
    for name, part in value.__wire__.items():
        if getattr(made, name) is None:
            setattr(made, name, getattr(held, name, None))
        if getattr(made, name) is None:
            raise InvalidCallError(
                f"{where} has no {part['name']}, and an amount is written whole; give currency and"
                ' value, Money(currency_type_id="USD", value=6), or update the record that was read'
            )
    return made


def complete_amounts(edited: Record, read: Record, where: str) -> None:
    """Complete the changed amounts of ``edited``, in place, its parts and elements included."""
    for name, meta in edited.__wire__.items():
        value, held = getattr(edited, name), getattr(read, name)
        place = f"{where}.{meta['name']}"
        if value is None or value == held:
            continue
        if meta.get("many"):
            _complete_elements(value, held, place)
        elif meta.get("of") in OWNED and isinstance(value, Record) and isinstance(held, Record):
            complete_amounts(value, held, place)
        else:
            setattr(edited, name, whole_amount(meta, value, held, place))


def _complete_elements(value: Any, held: Any, where: str) -> None:
    """Complete the elements of a list that were read; a new one is as the caller made it."""
    by_id: Mapping[Any, Any] = {getattr(element, "id", None): element for element in held or ()}
    for element in value:
        id = getattr(element, "id", None)
        if id and isinstance(by_id.get(id), type(element)):
            complete_amounts(element, by_id[id], f"{where}[id {id}]")
