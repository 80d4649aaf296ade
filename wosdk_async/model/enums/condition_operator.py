"""The enum ConditionOperator.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ConditionOperator(OpenEnum):
    """Values of ``ConditionOperator``. A peer client sends IsNull, IsNotNull and Contains; the schemas have
    Null and NotNull and no Contains. Sources: wsdl, peer.
    """

    Between = "Between"
    Equal = "Equal"
    GreaterOrEqual = "GreaterOrEqual"
    GreaterThan = "GreaterThan"
    In = "In"
    LessOrEqual = "LessOrEqual"
    LessThan = "LessThan"
    Like = "Like"
    """Pattern match with % wildcard."""
    NotBetween = "NotBetween"
    NotEqual = "NotEqual"
    NotIn = "NotIn"
    NotLike = "NotLike"
    NotNull = "NotNull"
    """Value is present."""
    Null = "Null"
    """Value is absent."""
