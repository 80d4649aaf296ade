"""References of a map: records of the service that rows name, how they are found or created, and names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.mapping.nodes import NONE, Node, ObjectNode, RowContext
from wosdk_async.jobs.mapping.template import NAME, LengthLimit, Template
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.resources.lookup_tables import normalized

__all__ = ["Filter", "LookAlikes", "ReferenceEntry", "ReferenceSpec", "RowName"]

_SHOWN = 3  # look-alikes of a reference
_NAME = 60  # characters of one


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


@attrs.define
class ReferenceEntry:
    """One distinct name, with the ``id`` of its record or the ``reason`` why there is none.

    With neither, the record is missing and may be created.
    """

    spec: ReferenceSpec
    """The reference that creates the record; another one may share the entry."""
    text: str
    full: str
    """The normalized name before truncation; empty if two names are equal only because of truncation."""
    spellings: set[str]
    cells: dict[str, str] = attrs.field(factory=dict)
    """The cells for a new record, from the first row that needs it."""
    id: int | None = None
    reason: str = ""
    error: type[RowError] = RowError
    """The class of the error that ``reason`` gives a row."""
    details: Mapping[str, Any] = attrs.field(factory=dict)
    """The remedies and facts of the error."""
    may_pass: bool = False
    """Whether ``reason`` is temporary, so that the rows wait for the next run."""
    wanted: bool = False
    """Whether a valid row needs the record."""
    held: bool = False
    """Whether its creation waits until a first row with new records has succeeded."""
    in_doubt: bool = False
    """Whether its creation was sent with unknown outcome."""
    warnings: list[str] = attrs.field(factory=list)

    def end_doubt(self) -> None:
        """Clear the doubt about its creation: the record is found, or confirmed absent."""
        self.in_doubt, self.reason, self.may_pass = False, "", False

    @property
    def missing(self) -> bool:
        """Whether the record does not exist and may be created."""
        return self.id is None and not self.reason

    def new_record(self, context: RowContext) -> Any:
        """Return the record to create.

        Raises:
            InvalidCallError: the row of the context cannot fill it.
        """
        spec = self.spec
        if spec.create is None or spec.by is None:
            raise LookupError(spec.name)
        record = spec.create.build(attrs.evolve(context, cells={**context.cells, NAME: self.text}))
        setattr(record, spec.by, self.text)
        require_sendable(record, new=True)
        return record


@attrs.define
class LookAlikes:
    """Names of one reference that differ only in letter case or compatibility form."""

    _first: dict[str, str] = attrs.field(factory=dict)
    """The first name of each form."""
    count: int = 0
    _shown: list[str] = attrs.field(factory=list)

    def __str__(self) -> str:
        more = ", ..." if self.count > len(self._shown) else ""
        names = "1 name differs" if self.count == 1 else f"{self.count} names differ"
        return f"{names} from another only in letter case or form ({', '.join(self._shown)}{more})"

    def add(self, name: str) -> None:
        """Note a name if it looks like an earlier one."""
        form = unicodedata.normalize("NFKC", name).casefold()
        if (first := self._first.setdefault(form, name)) != name:
            self.note(name, first)

    def note(self, name: str, other: str) -> None:
        """Count two names that look alike."""
        self.count += 1
        if len(self._shown) < _SHOWN:
            self._shown.append(f"{name[:_NAME]!r} and {other[:_NAME]!r}")
