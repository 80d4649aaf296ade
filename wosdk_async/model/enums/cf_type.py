"""The enum CfType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CfType(OpenEnum):
    """Values of ``CfType``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    String = "String"
    Integer = "Integer"
    Decimal = "Decimal"
    Money = "Money"
    Phone = "Phone"
    Date = "Date"
    Time = "Time"
    Boolean = "Boolean"
    Url = "Url"
    Text = "Text"
    StringAutocomplete = "StringAutocomplete"
