"""Shapes that entities share.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Referable
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.enums import ActorType, CurrencyType


@define(kw_only=True, eq=False, repr=False)
class Entity(Referable):
    """The service's ``CorrigoEntity``."""

    wire_name = "CorrigoEntity"

    id: int | None = field(default=None, metadata=wire("Id", "integer"))
    """Record identifier."""
    perform_deletion: bool | None = field(default=None, metadata=wire("PerformDeletion", "boolean"))
    """Set to true on a nested record to delete it on update."""
    is_new: bool | None = field(default=None, metadata=wire("IsNew", "boolean"))
    """Present in returned records."""


@define(kw_only=True, eq=False, repr=False)
class LockedEntity(Entity):
    """The service's ``CorrigoEntityWithOptimisticLock``."""

    wire_name = "CorrigoEntityWithOptimisticLock"

    concurrency_id: int | None = field(default=None, metadata=wire("ConcurrencyId", "integer"))
    """Version counter used for optimistic locking."""


@define(kw_only=True, eq=False, repr=False)
class EmployeeLinkEntity(Entity):
    """The service's ``EmployeeBridgeCorrigoEntity``."""

    wire_name = "EmployeeBridgeCorrigoEntity"


@define(kw_only=True, eq=False, repr=False)
class SimpleLookupEntity(Entity):
    """The service's ``SimpleLookupCorrigoEntity``."""

    wire_name = "SimpleLookupCorrigoEntity"

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class MoneyValuesEntity(LockedEntity):
    """The service's ``CorrigoEntityMoneyValues``."""

    wire_name = "CorrigoEntityMoneyValues"

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record."""


@define(kw_only=True, eq=False, repr=False)
class LookupEntity(LockedEntity):
    """The service's ``LookupCorrigoEntity``."""

    wire_name = "LookupCorrigoEntity"

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class PortfolioChildEntity(LockedEntity):
    """The service's ``PortfolioChildCorrigoEntity``."""

    wire_name = "PortfolioChildCorrigoEntity"

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""


@define(kw_only=True, eq=False, repr=False)
class RemovableEntity(LockedEntity):
    """The service's ``RemovableCorrigoEntity``."""

    wire_name = "RemovableCorrigoEntity"

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag."""


@define(kw_only=True, eq=False, repr=False)
class LockedSimpleLookupEntity(LockedEntity):
    """The service's ``SimpleLookupWithOptimisticLockCorrigoEntity``."""

    wire_name = "SimpleLookupWithOptimisticLockCorrigoEntity"

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class RemovableWithOriginalEntity(RemovableEntity):
    """The service's ``RemovableWithOriginalCorrigoEntity``."""

    wire_name = "RemovableWithOriginalCorrigoEntity"

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    display_as_original: str | None = field(default=None, metadata=wire("DisplayAsOriginal", "string"))
    """``DisplayAsOriginal`` on the wire."""
