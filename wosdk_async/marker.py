"""A key of the caller's own in a command, by which its effect is found.

The service has no idempotency key. A *marker* stands in for one: it names a field of the command
that holds a key which the caller made up and which can be queried afterwards
(:mod:`wosdk_async.resolving` does so).
"""
# facts 5

from __future__ import annotations

import functools
import operator
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async import calls
from wosdk_async.check.arguments import described
from wosdk_async.errors import InvalidCallError, NoAnswerError, NotUniqueError, UnknownPropertyError
from wosdk_async.model import Command, CommandResult, Record, entity_class
from wosdk_async.query.builder import Query, Send
from wosdk_async.query.fields import fields
from wosdk_async.query.places import Place, root
from wosdk_async.query.properties import Path
from wosdk_async.spelling import suggestion

__all__ = ["Marker"]

R = TypeVar("R", bound=CommandResult)

_ROWS = 50  # with the same key but for letter case, which the service may ignore


@attrs.frozen
class Marker(Generic[R]):
    """A key in a command, and where it is found once the command was carried out."""

    entity: type[Record]
    """What the command creates."""
    path: str
    """The property that holds the key, as the model names it: ``po_number``, ``customer.name``."""
    key: str | int
    result: type[R]
    member: str
    """The field of the result that holds what was created."""

    @classmethod
    def of(cls, command: Command[R] | str, path: str) -> Marker[R]:
        """The marker ``path`` of ``command``: ``"work_order.po_number"``.

        Raises InvalidCallError when the path leads to no key, or what it marks is not in the result.
        """
        if isinstance(command, str):
            raise InvalidCallError(f"a marker needs a command of the model, not the name {command!r}")
        calls.require_command(command)
        if not isinstance(path, str):
            shown = repr(path) if isinstance(path, Path) else described(path)
            raise InvalidCallError(
                f"a marker is a text such as 'work_order.po_number', not {shown}; pass the path in the"
                " command"
            )
        first, _, rest = path.partition(".")
        table = type(command).__wire__
        if first not in table:
            near = suggestion(first, table)
            raise InvalidCallError(
                f"marker {path!r:.80}: {command.wire_name} has no field {first!r:.80}{near}"
            )
        name = table[first].get("of")
        entity = entity_class(name) if name and rest else None
        if entity is None:
            raise InvalidCallError(
                f"marker {path!r} of {command.wire_name}: name a record in it and the field that holds "
                "your key, as in 'work_order.po_number'"
            )
        try:
            functools.reduce(Place.by_python, rest.split("."), root(entity))
        except UnknownPropertyError as error:  # which says what the misspelt name is near
            raise UnknownPropertyError(f"marker {path!r:.80}: {error.message}") from None
        try:
            key = operator.attrgetter(path)(command)
        except AttributeError:
            key = None
        if (
            not isinstance(key, str | int)
            or isinstance(key, bool)
            or not key
            or (isinstance(key, str) and key != key.strip())
        ):
            raise InvalidCallError(
                f"marker {path!r} of {command.wire_name} is {key!r}; give it a key of its own"
            )
        result = command.result_class()
        members = [member for member, meta in result.__wire__.items() if meta.get("of") == name]
        if len(members) != 1:
            raise InvalidCallError(f"marker {path!r}: the result of {command.wire_name} holds no {name}")
        marker = cls(entity, rest, key, result, members[0])
        _ = marker.question  # a property that cannot be asked for is told before anything is sent
        return marker

    @property
    def question(self) -> dict[str, Any]:
        """The QueryExpression that asks for everything that carries the key."""
        place = operator.attrgetter(self.path)(fields(self.entity))
        query: Query[Any] = Query(self.entity, _never)
        return query.where(place == self.key).select("*", place).limit(_ROWS).expression

    # A record can be queried as soon as it is committed: not shown; assumed.
    async def find(self, send: Send) -> R | None:
        """The result as it would have been, read from what carries the key; None when nothing does.

        Raises NotUniqueError when several do.
        """
        # One page: keys are unique. With a RequestId, so that no other response is taken for this one.
        rows = await send(calls.query(self.entity, self.question, numbered=True))
        same = [row for row in rows if self._is_key(self._value_of(row))]
        if len(same) > 1:
            ids = ", ".join(str(getattr(row, "id", "?")) for row in same)
            raise NotUniqueError(
                f"several {self.entity.wire_name} have {self.path} {self.key!r} (Id {ids}): the key was used "
                "before, or the call was carried out more than once"
            )
        return self.result(**{self.member: same[0]}) if same else None

    def _value_of(self, row: Any) -> Any:
        """Return what stands where the key should be; None where there is nothing."""
        for name in self.path.split("."):
            row = getattr(row, name, None)
        return row

    def _is_key(self, value: Any) -> bool:
        """Return whether a record that was found has the key. Raises NoAnswerError when nobody can tell."""
        if value is None:
            raise NoAnswerError(
                f"a {self.entity.wire_name} was found by {self.path} {self.key!r}, and came without it"
            )
        return str(value).strip() == str(self.key)


async def _never(_: Any) -> list[Any]:
    raise NotImplementedError
