"""The enum WoScheduleOptions.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WoScheduleOptions(OpenEnum):
    """Values of ``WoScheduleOptions``. Flags; may be combined in the SOAP schema. Sources: wsdl, peer."""

    NONE = "None"
    SkipWarranty = "SkipWarranty"
    SkipScheduling = "SkipScheduling"
    SkipFinancial = "SkipFinancial"
    SkipPTE = "SkipPTE"
    SkipDueDate = "SkipDueDate"
    SkipOnSiteBy = "SkipOnSiteBy"
    SkipAcknowledgeBy = "SkipAcknowledgeBy"
