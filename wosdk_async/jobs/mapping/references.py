"""References of a map: records of the service that rows name, and how they are found or created."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from wosdk_async.jobs.mapping.nodes import NONE, Node, ObjectNode
from wosdk_async.jobs.mapping.template import NAME, LengthLimit, Template
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.resources.lookup_tables import normalized

__all__ = ["Filter", "ReferenceSpec", "RowName"]


@attrs.frozen
class Filter:
    """One field of a record that must have a certain value."""

    name: str
    meta: Wire
    node: Node

    def __str__(self) -> str:
        content = getattr(self.node, "content", None)
        if content is None:
            return f"{self.name} = @{next(iter(self.node.references), '')}"
        return f"{self.name} = {str(content).lower() if isinstance(content, bool) else content}"


@attrs.frozen
class RowName:
    """A name that a row gives: ``text`` is sent, ``key`` is compared, ``raw`` is in the file."""

    text: str
    raw: str
    key: str
    warnings: tuple[str, ...] = ()


_ONLY = RowName("", "", "")
"""The name of a record that is the same for every row."""


@attrs.frozen(kw_only=True)
class ReferenceSpec:
    """One ``[reference.<name>]``; without ``template``, the first record that passes the filters."""

    name: str
    entity: type[Record]
    filters: tuple[Filter, ...] = ()
    by: str | None = None
    template: Template | None = None
    limit: LengthLimit
    create: ObjectNode | None = None
    takes_first: bool = False
    """Whether to take the record with the lowest id if several have the name."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns it reads, those of a new record included."""
        own = self.template.columns if self.template else NONE
        return (own | (self.create.columns if self.create else NONE)) - {NAME}

    @property
    def needs(self) -> frozenset[str]:
        """The references that must be known before this one."""
        filters = NONE.union(*(each.node.references for each in self.filters))
        return filters | (self.create.references if self.create else NONE)

    @property
    def filtered(self) -> str:
        """The filters, as the end of a message."""
        return f" with {', '.join(map(str, self.filters))}" if self.filters else ""

    def name_in(self, cells: Mapping[str, str]) -> RowName | None:
        """Return the name that a row gives, or None; raise RowError when it is too long to be used."""
        raw = self.raw_name_in(cells)
        return None if raw is None else self.name_of(raw)

    def raw_name_in(self, cells: Mapping[str, str]) -> str | None:
        """Return the name as it is in the row; None without one."""
        return "" if self.template is None else self.template.fill(cells)

    def name_of(self, raw: str) -> RowName | None:
        """Return the name that ``raw`` spells, or None; raise RowError when it is too long to be used."""
        if self.template is None:
            return _ONLY
        if not raw.strip():
            return None
        warnings: list[str] = []
        text = self.limit.fit(normalized(raw), warnings).rstrip()
        return RowName(text, raw, text, tuple(warnings))
