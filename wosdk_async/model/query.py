"""The query language.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model._base import Record
from wosdk_async.model._wire import wire

if TYPE_CHECKING:
    from wosdk_async.model.enums import ConditionOperator, EntityType, LogicalOperator, OrderType
    from wosdk_async.model.values import PropertySet


@define(kw_only=True, eq=False, repr=False)
class ConditionExpression(Record):
    """``ConditionExpression`` of the service.

    Sources: wsdl, peer.
    """

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path. Sources: wsdl, peer."""
    operator: ConditionOperator | None = field(
        default=None, metadata=wire("Operator", "enum", "ConditionOperator")
    )
    """Comparison. Sources: wsdl, peer."""
    values: list[Any] | None = field(default=None, metadata=wire("Values", "object", many=True))
    """Values to compare with. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class FilterExpression(Record):
    """``FilterExpression`` of the service.

    Sources: wsdl, peer.
    """

    conditions: list[ConditionExpression] | None = field(
        default=None, metadata=wire("Conditions", "object", "ConditionExpression", many=True)
    )
    """Conditions of this group. Sources: wsdl, peer."""
    filter_operator: LogicalOperator | None = field(
        default=None, metadata=wire("FilterOperator", "enum", "LogicalOperator")
    )
    """How the group is joined. Sources: wsdl, peer."""
    filters: list[FilterExpression] | None = field(
        default=None, metadata=wire("Filters", "object", "FilterExpression", many=True)
    )
    """Nested groups. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class OrderExpression(Record):
    """``OrderExpression`` of the service.

    Sources: wsdl, peer.
    """

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path. Sources: wsdl, peer."""
    order_type: OrderType | None = field(default=None, metadata=wire("OrderType", "enum", "OrderType"))
    """Direction. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PropertyValuePair(Record):
    """``PropertyValuePair`` of the service.

    Sources: wsdl, peer.
    """

    property_name: str | None = field(default=None, metadata=wire("PropertyName", "string"))
    """Property path. Sources: wsdl, peer."""
    value: Any = field(default=None, metadata=wire("Value", "object"))
    """Value to match. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class QueryByProperty(Record):
    """``QueryByProperty`` of the service.

    Sources: wsdl, peer.
    """

    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """``EntityType`` on the wire. Sources: wsdl, peer."""
    property_set: PropertySet | None = field(
        default=None, metadata=wire("PropertySet", "object", "PropertySet")
    )
    """Properties to return. {Properties: [names]}. Sources: wsdl, peer."""
    orders: list[OrderExpression] | None = field(
        default=None, metadata=wire("Orders", "object", "OrderExpression", many=True)
    )
    """Sort order. Sources: wsdl, peer."""
    count: int | None = field(default=None, metadata=wire("Count", "integer"))
    """Most records to return. 0 for no limit in a client in use; 4000 is the most per a peer client. Sources:
    wsdl, peer.
    """
    first_result_index: int | None = field(default=None, metadata=wire("FirstResultIndex", "integer"))
    """Records to skip. Sources: wsdl, peer."""
    conditions: list[PropertyValuePair] | None = field(
        default=None, metadata=wire("Conditions", "object", "PropertyValuePair", many=True)
    )
    """Values to match, all of them. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class QueryExpression(Record):
    """``QueryExpression`` of the service.

    Sources: wsdl, peer.
    """

    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """Entity type asked for. Sources: wsdl, peer."""
    property_set: PropertySet | None = field(
        default=None, metadata=wire("PropertySet", "object", "PropertySet")
    )
    """Properties to return. {Properties: [names]}. Sources: wsdl, peer."""
    orders: list[OrderExpression] | None = field(
        default=None, metadata=wire("Orders", "object", "OrderExpression", many=True)
    )
    """Sort order. A peer client sends Order {PropertyName, Direction} instead; schemas say Orders
    {PropertyName, OrderType}. Sources: wsdl, peer.
    """
    count: int | None = field(default=None, metadata=wire("Count", "integer"))
    """Most records to return. 0 for no limit in a client in use; 4000 is the most per a peer client. Sources:
    wsdl, peer.
    """
    first_result_index: int | None = field(default=None, metadata=wire("FirstResultIndex", "integer"))
    """Records to skip. Sources: wsdl, peer."""
    criteria: FilterExpression | None = field(
        default=None, metadata=wire("Criteria", "object", "FilterExpression")
    )
    """Filter. Sources: wsdl, peer."""
    distinct: bool | None = field(default=None, metadata=wire("Distinct", "boolean"))
    """Drop equal rows. Sources: wsdl, peer."""
