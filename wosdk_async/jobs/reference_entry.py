"""One name that rows refer to, and the record that it stands for."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.mapping.references import ReferenceSpec
from wosdk_async.jobs.mapping.template import NAME

__all__ = ["ReferenceEntry"]


@attrs.define
class ReferenceEntry:
    """One distinct name, with the ``id`` of its record or the ``reason`` why there is none.

    With neither, the record is missing and may be created.
    """

    text: str
    full: str
    """The name before it was cut, folded; empty once two names are equal only because they were cut."""
    spellings: set[str]
    cells: dict[str, str] = attrs.field(factory=dict)
    """The cells that a new record reads, of the first row that wants it."""
    id: int | None = None
    reason: str = ""
    error: type[RowError] = RowError
    """The class of the error that ``reason`` gives a row."""
    may_pass: bool = False
    """Whether ``reason`` may be gone in the next run, so that the rows wait for it."""
    wanted: bool = False
    """Whether a row that can be created needs the record."""
    in_doubt: bool = False
    """Whether a creation was sent, and nobody knows whether it was carried out."""
    warnings: list[str] = attrs.field(factory=list)

    def end_doubt(self) -> None:
        """Forget that a creation may have been carried out: the record is known, or missing again."""
        self.in_doubt, self.reason, self.may_pass = False, "", False

    def new_record(self, spec: ReferenceSpec, context: RowContext) -> Any:
        """Return the record to create.

        Raises:
            InvalidCallError: the row of the context cannot fill it.
        """
        if spec.create is None or spec.by is None:
            raise LookupError(spec.name)
        record = spec.create.build(attrs.evolve(context, cells={**context.cells, NAME: self.text}))
        setattr(record, spec.by, self.text)
        require_sendable(record, new=True)
        return record
