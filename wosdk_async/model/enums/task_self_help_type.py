"""The enum TaskSelfHelpType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TaskSelfHelpType(OpenEnum):
    """Values of ``TaskSelfHelpType``. Sources: wsdl, peer."""

    Html = "Html"
    Hyperlink = "Hyperlink"
    YouTube = "YouTube"
