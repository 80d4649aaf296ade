"""Record look-up by id, compound key, number or name.

Digits can be the id of one work order and the number of another, so changes look up both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import click

from wosdk_async import Company, codec
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.texts import json_text
from wosdk_async.codec.checks import named_by
from wosdk_async.errors import NotFoundError, NotUniqueError
from wosdk_async.model import Record, WorkOrder
from wosdk_async.protocol.records import Id
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.resources.names import batches
from wosdk_async.text.suggestions import suggestion

_ID = re.compile(r"0|-?[1-9][0-9]*")  # 0071 is a name, because a work order number may have leading zeros
_MAX_ID = 2**31 - 1  # a larger value is no id, so it can only be the number of a work order
_NAMED_BY = ("number", "name", "username", "display_as")
_LABELS = ("Number", "Name", "DisplayAs", "Username")

ORDER_RULE = "ORDER is a number such as RSC000005, or an id. Use id:2903 or number:2903 for ambiguous digits."
"""Help for the ORDER argument."""

by_option = click.option("--by", metavar="PROPERTY", help="Text property to search.")


@attrs.frozen
class RecordTexts:
    """Command-line arguments that name records of one entity."""

    kind: type[Record] | str
    texts: tuple[str, ...]
    by: str | None
    """Python name of the property to search; None for the default."""

    @classmethod
    def read(cls, kind: type[Record] | str, texts: Sequence[str], by: str | None) -> RecordTexts:
        """Parse the arguments. Raises CliError for invalid arguments."""
        if by is not None and isinstance(kind, str):
            raise CliError(f"--by needs an entity in the catalogue, not {kind}; leave out --by")
        key = None
        if by is not None and not isinstance(kind, str):
            key = python_name(kind, by, "--by")
            if kind.__wire__[key]["type"] != "string" or kind.__wire__[key].get("many"):
                raise CliError(f"--by {by}: not a text property of {kind.wire_name}")
        if not all(text.strip() for text in texts):
            if isinstance(kind, str):
                raise CliError(f"an empty string cannot name a {kind}; write an id")
            ways = [] if key else ["id"]
            if name := key or named_by(kind):
                ways.append(kind.__wire__[name]["name"])
            raise CliError(f"an empty string cannot name a {kind.wire_name}; write the {' or '.join(ways)}")
        if key is not None:
            return cls(kind, tuple(texts), key)
        for text in texts:
            if _parsed(kind, text) is None and (
                text.startswith("{") or isinstance(kind, str) or named_by(kind) is None
            ):
                raise CliError(
                    f"ID is {text!r}; write a whole number, or a JSON object of whole numbers for a"
                    " compound key"
                )
        return cls(kind, tuple(texts), None)

    async def ids(self, company: Company, *, certain: bool = False) -> list[Id]:
        """Return the id for each argument. Raises NotFoundError or NotUniqueError with the argument's text.

        With ``certain``, digits that can be a work order's id are also looked up as an order number.
        """
        parsed = {text: None if self.by else _parsed(self.kind, text) for text in self.texts}
        found: dict[str, Id] = {text: id for text, id in parsed.items() if isinstance(id, int | Mapping)}
        if numbers := {text: number for text, number in parsed.items() if isinstance(number, str)}:
            by_number = await self._search_by(company, "number", list(numbers.values()))
            found |= {text: by_number[number] for text, number in numbers.items()}
        if names := [text for text, id in parsed.items() if id is None]:
            found |= await self._resolve(company, names)
        if certain and not self.by and _is_order(self.kind):
            digits = [text for text, id in parsed.items() if text.isdecimal() and isinstance(id, int)]
            orders = await _orders(company, digits)
            # Digits that match no order stay an id, and the next read reports that the order is missing.
            found |= {text: _unambiguous_id(company, text, orders) for text in digits}
        return [found[text] for text in self.texts]

    async def _resolve(self, company: Company, names: list[str]) -> dict[str, int]:
        kind: Any = self.kind
        if self.by is not None:
            return await self._search_by(company, self.by, names)
        try:
            return await self._search_by(company, named_by(kind) or "", names)
        except NotFoundError:
            return {name: await self._search(company, name) for name in names}

    async def _search(self, company: Company, name: str) -> int:
        """Look up a record's id by its name in each property that can hold a name."""
        kind: Any = self.kind
        keys = [key for key in _NAMED_BY if key in kind.__wire__ and kind.__wire__[key]["type"] == "string"]
        for key in keys:
            try:
                return (await self._search_by(company, key, [name]))[name]
            except NotFoundError:
                continue
        tried = " or ".join(kind.__wire__[key]["name"] for key in keys)
        raise NotFoundError(
            f"no {kind.wire_name} has the {tried} {name!r}; --by PROPERTY searches another property",
            company=company.name,
        )

    async def _search_by(self, company: Company, key: str, names: list[str]) -> dict[str, int]:
        kind: Any = self.kind
        try:
            refs = await company.resolve(kind, names=names, by=key)
        except NotUniqueError as error:
            name = next((each for each in names if repr(each) in error.message), names[0])
            shown = search_command(kind, key, name)
            raise NotUniqueError(
                f"{error.message}. To list them: {shown}", operation=error.operation, company=error.company
            ) from error
        return {name: ref.id for name, ref in refs.items()}


def _is_order(kind: type[Record] | str) -> bool:
    return not isinstance(kind, str) and kind.wire_name == "WorkOrder"


def _parsed(kind: type[Record] | str, text: str) -> Id | str | None:
    """Parse an id (``512`` or ``id:512``), a compound key or, for a work order, ``number:2903``.

    Return None for a name.
    """
    found = _prefixed(text) if _is_order(kind) else None
    return _parse_id(text.removeprefix("id:")) if found is None else found


def _prefixed(text: str) -> int | str | None:
    """Return the id in ``id:2903``, or the number in ``number:2903``; None without a prefix.

    Raises CliError if no id or number follows.
    """
    kind, _, rest = text.partition(":")
    rest = rest.strip()
    if kind == "number" and rest:
        return rest
    if kind == "number" and text != kind:
        raise CliError(f"{text!r:.60} is not a work order; write a number, such as number:2903")
    if kind != "id" or text == kind:
        return None
    if not (rest.isdecimal() and rest.isascii() and len(rest) <= len(str(_MAX_ID))):
        raise CliError(f"{text!r:.60} is not an id; write id:2903, or the order number")
    return int(rest)


async def _orders(company: Company, texts: list[str]) -> list[WorkOrder]:
    f, found = fields(WorkOrder), []
    for some in batches(texts):
        named = f.number.in_(some)
        if ids := [int(text) for text in some if int(text) <= _MAX_ID]:
            named |= f.id.in_(ids)
        query = company.query(WorkOrder).where(named).select("Id", "Number")
        # One request is usually enough. If its page is full, all pages are read.
        page = await company.query(WorkOrder, query.expression | {"Count": ROW_CAP})
        found += page if len(page) < ROW_CAP else await query.all()
    return found


def _unambiguous_id(company: Company, text: str, orders: Iterable[WorkOrder]) -> int:
    id = int(text)
    by_id = {order.id or 0: order for order in orders if order.id == id}
    by_number = {order.id or 0: order for order in orders if (order.number or "").strip() == text}
    if not by_number or by_id.keys() == by_number.keys():
        return id
    if len(by_number) == 1 and not by_id:
        return next(iter(by_number))
    numbered = ", ".join(f"WorkOrder {each}" for each in sorted(by_number))
    if len(by_number) > 1:
        remedy = f"use an id, such as id:{min(by_number)}"
    else:
        remedy = f"write number:{text} or id:{text}"
    also = f", and the id of {by_id[id].number or f'WorkOrder {id}'}" if id in by_id else ""
    raise NotUniqueError(
        f"{text} is the number of {numbered}{also}; {remedy}",
        operation="look up WorkOrder",
        company=company.name,
    )


def _parse_id(text: str) -> Id | None:
    """Parse an id or a compound key; return None for a name."""
    if _ID.fullmatch(text):
        try:
            return int(text)
        except ValueError:  # Python does not convert thousands of digits; no id is that long
            return None
    if not text.startswith("{"):
        return None
    try:
        found: Any = codec.loads(text.encode(errors="surrogateescape"))
    except ValueError:
        return None
    is_key = isinstance(found, dict) and found and all(type(value) is int for value in found.values())
    return found if is_key else None


def python_name(kind: type[Record], name: str, option: str) -> str:
    """Return a property's Python name.

    For an unknown name, raises CliError, whose message begins with ``option``.
    """
    for key, meta in kind.__wire__.items():
        if name in (key, meta["name"], *meta.get("aliases", ())):
            return key
    hint = suggestion(name, [meta["name"] for meta in kind.__wire__.values()])
    raise CliError(f"{option}: {kind.wire_name} has no field {name!r}{hint}")


def search_command(kind: type[Record], key: str, value: object) -> str:
    """Return a shell command that lists the records whose field ``key`` is ``value``."""
    text = str(value).replace("'", "''")
    condition = re.sub(r'([\\$`"])', r"\\\1", f"{kind.__wire__[key]['name']} = '{text}'")
    return f'wosdk query {kind.wire_name} --where "{condition}"'


def newest_command(entity: str) -> str:
    """Return the ``wosdk`` command that lists an entity's newest records."""
    return f"wosdk query {entity} --order 'Id desc' --limit 5"


def order_search_command(fields: Mapping[str, Any], hint: str = "") -> str:
    """Return a shell command that lists orders with the PoNumber in ``fields``; without one, the newest."""
    number = fields.get("PoNumber")
    if not isinstance(number, str) or not number:
        return newest_command("WorkOrder")
    return search_command(WorkOrder, "po_number", number) + (f" # {hint}" if hint else "")


def label_of(entity: str, id: Id, record: dict[str, Any]) -> str:
    """Return a record's label, such as ``Customer 512 (Lindqvist Dental LLC)``."""
    key = id if isinstance(id, int) else json_text(dict(id))
    name = next((str(record[label]) for label in _LABELS if record.get(label)), "")
    return f"{entity} {key} ({name})" if name else f"{entity} {key}"


def show_command(entity: str, id: Id) -> str:
    """Return a shell command that shows a record."""
    return f"wosdk get {entity} " + (str(id) if isinstance(id, int) else f"'{json_text(dict(id))}'")
