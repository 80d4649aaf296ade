"""The enum SchedInterval.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class SchedInterval(OpenEnum):
    """Values of ``SchedInterval``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Day = "Day"
    Week = "Week"
    Month = "Month"
    Quarter = "Quarter"
    Year = "Year"
    Custom = "Custom"
    Weather = "Weather"
