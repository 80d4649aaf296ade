"""The query language.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model.base import Record
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.enums import ConditionOperator, EntityType, LogicalOperator, OrderType
    from wosdk_async.model.values import PropertySet


@define(kw_only=True, eq=False, repr=False)
class ConditionExpression(Record):
    """The service's ``ConditionExpression``."""

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path."""
    operator: ConditionOperator | None = field(
        default=None, metadata=wire("Operator", "enum", "ConditionOperator")
    )
    """Comparison."""
    values: list[Any] | None = field(default=None, metadata=wire("Values", "object", many=True))
    """Values to compare with."""


@define(kw_only=True, eq=False, repr=False)
class FilterExpression(Record):
    """The service's ``FilterExpression``."""

    conditions: list[ConditionExpression] | None = field(
        default=None, metadata=wire("Conditions", "object", "ConditionExpression", many=True)
    )
    """Conditions of this group."""
    filter_operator: LogicalOperator | None = field(
        default=None, metadata=wire("FilterOperator", "enum", "LogicalOperator")
    )
    """Operator that joins the conditions."""
    filters: list[FilterExpression] | None = field(
        default=None, metadata=wire("Filters", "object", "FilterExpression", many=True)
    )
    """Nested groups."""


@define(kw_only=True, eq=False, repr=False)
class OrderExpression(Record):
    """The service's ``OrderExpression``."""

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path."""
    order_type: OrderType | None = field(default=None, metadata=wire("OrderType", "enum", "OrderType"))
    """Direction."""


@define(kw_only=True, eq=False, repr=False)
class PropertyValuePair(Record):
    """The service's ``PropertyValuePair``."""

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path."""
    value: Any = field(default=None, metadata=wire("Value", "object"))
    """Value to match."""


@define(kw_only=True, eq=False, repr=False)
class QueryByProperty(Record):
    """The service's ``QueryByProperty``."""

    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """``EntityType`` on the wire."""
    property_set: PropertySet | None = field(
        default=None, metadata=wire("PropertySet", "object", "PropertySet")
    )
    """Properties to return. Sent as {Properties: [names]}."""
    orders: list[OrderExpression] | None = field(
        default=None, metadata=wire("Orders", "object", "OrderExpression", many=True)
    )
    """Sort order."""
    count: int | None = field(default=None, metadata=wire("Count", "integer"))
    """Maximum number of records. A third-party client sends 0 for no limit; public clients request at most
    4000.
    """
    first_result_index: int | None = field(default=None, metadata=wire("FirstResultIndex", "integer"))
    """Number of records to skip."""
    conditions: list[PropertyValuePair] | None = field(
        default=None, metadata=wire("Conditions", "object", "PropertyValuePair", many=True)
    )
    """Values that must all match."""


@define(kw_only=True, eq=False, repr=False)
class QueryExpression(Record):
    """The service's ``QueryExpression``."""

    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """Requested entity type."""
    property_set: PropertySet | None = field(
        default=None, metadata=wire("PropertySet", "object", "PropertySet")
    )
    """Properties to return. Sent as {Properties: [names]}."""
    orders: list[OrderExpression] | None = field(
        default=None, metadata=wire("Orders", "object", "OrderExpression", many=True)
    )
    """Sort order. The schemas define Orders {PropertyName, OrderType}; one public client sends Order
    {PropertyName, Direction}.
    """
    count: int | None = field(default=None, metadata=wire("Count", "integer"))
    """Maximum number of records. A third-party client sends 0 for no limit; public clients request at most
    4000.
    """
    first_result_index: int | None = field(default=None, metadata=wire("FirstResultIndex", "integer"))
    """Number of records to skip."""
    criteria: FilterExpression | None = field(
        default=None, metadata=wire("Criteria", "object", "FilterExpression")
    )
    """Filter."""
    distinct: bool | None = field(default=None, metadata=wire("Distinct", "boolean"))
    """Drop duplicate rows."""
