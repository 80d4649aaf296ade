"""The enum CfSharingMode.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CfSharingMode(OpenEnum):
    """Values of ``CfSharingMode``. Sources: wsdl, peer."""

    NONE = "None"
    ReadOnly = "ReadOnly"
    ReadWrite = "ReadWrite"
