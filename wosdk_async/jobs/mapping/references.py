"""Map references, which look up or create the records that rows name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.mapping.nodes import NO_NAMES, Node, ObjectNode, RowContext
from wosdk_async.jobs.mapping.template import NAME, LengthLimit, Template
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.resources.lookup_tables import folded, normalized
from wosdk_async.text.safe_text import INVISIBLE

_SHOWN = 3  # pairs of look-alikes in a message
_NAME = 60  # characters of a name in a message


@attrs.frozen
class Filter:
    """Condition that a record's field has a given value."""

    name: str
    meta: Wire
    node: Node

    def __str__(self) -> str:
        content = getattr(self.node, "content", None)
        if content is None:
            return f"{self.name} = @{next(iter(self.node.references), '')}"
        return f"{self.name} = {str(content).lower() if isinstance(content, bool) else content}"


@attrs.frozen(kw_only=True)
class ReferenceSpec:
    """Compiled ``[reference.<name>]``. Without a template, the filters' first match is used."""

    name: str
    entity: type[Record]
    filters: tuple[Filter, ...] = ()
    by: str | None = None
    template: Template | None = None
    limit: LengthLimit
    create: ObjectNode | None = None
    takes_first: bool = False
    """Whether to take the lowest id if several records have the name."""

    @property
    def columns(self) -> frozenset[str]:
        """Columns that the reference reads, including those for a new record."""
        own = self.template.columns if self.template else NO_NAMES
        return (own | (self.create.columns if self.create else NO_NAMES)) - {NAME}

    @property
    def needs(self) -> frozenset[str]:
        """References that must be resolved first."""
        filters = NO_NAMES.union(*(each.node.references for each in self.filters))
        return filters | (self.create.references if self.create else NO_NAMES)

    @property
    def lacks(self) -> list[str]:
        """Required fields of a new record that ``create`` does not set.

        ``display_as`` is the only string among them; lists and booleans are never among them.
        """
        fields = self.create.fields if self.create else {}
        return [
            name
            for name, meta in self.entity.__wire__.items()
            if meta.get("required") and not meta.get("many") and name not in (self.by, *fields)
            if name == "display_as" or meta["type"] not in ("string", "boolean")
        ]

    @property
    def filtered(self) -> str:
        """Filters, formatted as the end of a message."""
        return f" with {', '.join(map(str, self.filters))}" if self.filters else ""

    def finds_same(self, other: ReferenceSpec) -> bool:
        """Return whether both references find the same record for a name."""
        return (self.entity, self.by, self.filters) == (other.entity, other.by, other.filters)

    def raw_name_in(self, cells: Mapping[str, str]) -> str | None:
        """Return the name as written in a row: None if its cells are empty, ``""`` without a template."""
        return "" if self.template is None else self.template.fill(cells)

    def name_of(self, raw: str, warnings: list[str]) -> str | None:
        """Normalize a raw name; return None if it is blank. Raise RowError if it is too long."""
        if self.template is None:  # the record is the same for every row
            return ""
        return self.limit.fit(normalized(raw), warnings).rstrip() if raw.strip() else None


@attrs.define(eq=False)
class ReferenceEntry:
    """Distinct name, with its record's ``id``, or the ``problem`` that prevents using the record.

    If both are None, the record is missing and may be created.
    """

    spec: ReferenceSpec
    """Reference that creates the record; equivalent references may share the entry."""
    text: str
    full: str
    """Normalized name before truncation; empty if truncation made different names equal."""
    spellings: set[str]
    cells: dict[str, str] = attrs.field(factory=dict)
    """Cells for a new record, from the first row that needs it."""
    id: int | None = None
    problem: RowError | None = None
    """Error of each row with the name; a WaitingRowError is temporary."""
    wanted: bool = False
    """Whether a valid row needs the record."""
    in_doubt: bool = False
    """Whether the record's creation is in doubt."""
    warnings: list[str] = attrs.field(factory=list)

    def end_doubt(self) -> None:
        """Clear the doubt, because the record was found or confirmed absent."""
        self.in_doubt, self.problem = False, None

    @property
    def reason(self) -> str | None:
        """Message of the problem; None if there is none."""
        return self.problem.message if self.problem is not None else None

    @property
    def missing(self) -> bool:
        """Whether the record does not exist but may be created."""
        return self.id is None and self.problem is None

    def new_record(self, context: RowContext) -> Any:
        """Build the record to create. Raise InvalidCallError if the context's row lacks valid values."""
        spec = self.spec
        if spec.create is None or spec.by is None:
            raise LookupError(spec.name)
        record = spec.create.build(msgspec.structs.replace(context, cells={**context.cells, NAME: self.text}))
        setattr(record, spec.by, self.text)
        require_sendable(record, new=True)
        return record


@attrs.define
class LookAlikes:
    """Names that differ only in letter case, compatibility form or invisible characters."""

    _first: dict[str, str] = attrs.field(factory=dict)
    """First name of each form."""
    count: int = 0
    _shown: list[str] = attrs.field(factory=list)

    def __str__(self) -> str:
        more = ", ..." if self.count > len(self._shown) else ""
        names = "1 name differs" if self.count == 1 else f"{self.count} names differ"
        shown = f"{', '.join(self._shown)}{more}"
        return f"{names} from another only in letter case, Unicode form or invisible characters ({shown})"

    def add(self, name: str) -> None:
        """Add a name, and count it if it looks like an earlier name."""
        form = folded(unicodedata.normalize("NFKC", re.sub(f"[{INVISIBLE}]", "", name)))
        if (first := self._first.setdefault(form, name)) != name:
            self.note(name, first)

    def note(self, name: str, other: str) -> None:
        """Count a pair of look-alikes."""
        self.count += 1
        if len(self._shown) < _SHOWN:
            self._shown.append(f"{name[:_NAME]!r} and {other[:_NAME]!r}")
