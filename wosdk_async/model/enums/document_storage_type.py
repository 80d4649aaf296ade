"""The enum DocumentStorageType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class DocumentStorageType(OpenEnum):
    """Values of ``DocumentStorageType``. Sources: spec, wsdl, peer."""

    Local = "Local"
    """Stored by the Company instance."""
    URL = "URL"
    """Link only; address in DocUrl."""
    Cloud = "Cloud"
    """Stored in the cloud."""
    WonDocument = "WonDocument"
    WonNote = "WonNote"
    CloudShared = "CloudShared"
