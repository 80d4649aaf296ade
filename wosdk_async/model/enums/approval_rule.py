"""The enum ApprovalRule.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ApprovalRule(OpenEnum):
    """Values of ``ApprovalRule``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Always = "Always"
    AsNeeded = "AsNeeded"
    WhenMore = "WhenMore"
