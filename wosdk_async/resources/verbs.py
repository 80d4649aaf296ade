"""Verbs of a Company that the resources use; a Protocol, so that they need not import the Company."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from wosdk_async.model import Command, CommandResult, EntitySpecifier, Record
from wosdk_async.protocol.calls import Id
from wosdk_async.query.builder import Query
from wosdk_async.query.properties import Path

__all__ = ["Verbs"]

E = TypeVar("E", bound=Record)
R = TypeVar("R", bound=CommandResult)


class Verbs(Protocol):
    """Part of :class:`~wosdk_async.company.Company`, which documents each verb."""

    @property
    def name(self) -> str:
        """Name of the Company."""

    @property
    def host(self) -> str | None:
        """Origin that served the last session."""

    async def get(
        self, entity: type[E], id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> E:
        """Read one record."""

    async def create(self, entity: Record, *, check: bool = True) -> EntitySpecifier:
        """Create a record."""

    async def update(
        self,
        record: E,
        read: E | None = None,
        /,
        *,
        check: bool = True,
        if_unchanged: bool = False,
        **changes: Any,
    ) -> E:
        """Write fields of a record."""

    def query(self, entity: type[E], *, check: bool = True) -> Query[E]:
        """Return a query of an entity."""

    async def run(self, command: Command[R], *, marker: str | None = None, check: bool = True) -> R:
        """Run a command."""
