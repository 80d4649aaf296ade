"""The enum LogicalOperator.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class LogicalOperator(OpenEnum):
    """Values of ``LogicalOperator``. Sources: wsdl, peer."""

    And = "And"
    """All must hold."""
    Or = "Or"
    """One must hold."""
