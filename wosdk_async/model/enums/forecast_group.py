"""The enum ForecastGroup.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ForecastGroup(OpenEnum):
    """Values of ``ForecastGroup``. Sources: wsdl, peer."""

    NONE = "None"
    Waiting = "Waiting"
    Submitted = "Submitted"
    AuthOrPaid = "AuthOrPaid"
