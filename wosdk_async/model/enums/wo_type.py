"""The enum WOType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WOType(OpenEnum):
    """Values of ``WOType``. 4 for Request comes from the specification create sample; other numbers not
    documented (list order suggests 0 to 4). Sources: spec, wsdl, peer.
    """

    Unknown = "Unknown"
    Basic = "Basic"
    """Plain work order, customer optional."""
    PMRM = "PMRM"
    """Planned maintenance."""
    Turn = "Turn"
    """Unit turnover."""
    Request = "Request", 4
    """Customer request."""
