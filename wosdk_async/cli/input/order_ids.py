"""Work orders named by digits, which may be an id and a number: neither is guessed."""

from __future__ import annotations

from collections.abc import Iterable

from wosdk_async import Company
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.errors import NotUniqueError
from wosdk_async.model import WorkOrder
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.resources.names import batches

__all__ = ["ORDER_RULE", "certain_ids", "id_said", "number_said"]

ORDER_RULE = (
    "ORDER is a number such as RSC000005, or an id. id:2903 and number:2903 say which one digits are: digits"
    " that are the id of one order and the number of another are refused."
)
"""The rule for the help of each command that takes ORDER."""

_ID, _NUMBER = "id:", "number:"
_MAX_ID = 2**31 - 1  # of an id; longer digits can be a number alone


def id_said(text: str) -> int | None:
    """Return the id in ``id:2903``; None for another text. Raises CliError when no digits follow."""
    if not text.startswith(_ID):
        return None
    digits = text.removeprefix(_ID).strip()
    if not (digits.isdecimal() and digits.isascii() and len(digits) <= len(str(_MAX_ID))):
        raise CliError(f"{text!r:.60} is not an id; write id:2903, or the number of the order")
    return int(digits)


def number_said(text: str) -> str | None:
    """Return the number in ``number:2903``; None for another text. Raises CliError when nothing follows."""
    if not text.startswith(_NUMBER):
        return None
    if number := text.removeprefix(_NUMBER).strip():
        return number
    raise CliError(f"{text!r:.60} names no WorkOrder; write its number, such as number:2903")


async def certain_ids(company: Company, digits: Iterable[str]) -> dict[str, int]:
    """Return the id of the order that each text of digits names, read by one query for all.

    An order that is neither there by its id nor by its number keeps the id: who reads it reports that.

    Raises:
        NotUniqueError: the digits are the id of one order and the number of another, or of several.
    """
    texts = list(dict.fromkeys(digits))
    orders = await _named(company, texts)
    return {text: _certain(company, text, orders) for text in texts}


async def _named(company: Company, texts: list[str]) -> list[WorkOrder]:
    f, found = fields(WorkOrder), []
    for some in batches(texts):
        named = f.number.in_(some)
        if ids := [int(text) for text in some if int(text) <= _MAX_ID]:
            named |= f.id.in_(ids)
        query = company.query(WorkOrder).where(named).select("Id", "Number")
        page = await company.query(WorkOrder, query.expression | {"Count": ROW_CAP})  # a second page is rare
        found += page if len(page) < ROW_CAP else await query.all()
    return found


def _certain(company: Company, text: str, orders: Iterable[WorkOrder]) -> int:
    id = int(text)
    by_id = {order.id or 0: order for order in orders if order.id == id}
    by_number = {order.id or 0: order for order in orders if (order.number or "").strip() == text}
    if not by_number or by_id.keys() == by_number.keys():
        return id
    if len(by_number) == 1 and not by_id:
        return next(iter(by_number))
    numbered = ", ".join(f"WorkOrder {each}" for each in sorted(by_number))
    if len(by_number) > 1:
        remedy = f"name one by its id, such as id:{min(by_number)}"
    else:
        remedy = f"write number:{text} or id:{text}"
    also = f", and the id of {by_id[id].number or f'WorkOrder {id}'}" if id in by_id else ""
    raise NotUniqueError(
        f"{text} is the number of {numbered}{also}; {remedy}",
        operation="look up WorkOrder",
        company=company.name,
    )
