"""The enum ProcedureStepType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ProcedureStepType(OpenEnum):
    """Values of ``ProcedureStepType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Text = "Text"
    Field = "Field"
    Attribute = "Attribute"
    Document = "Document"
