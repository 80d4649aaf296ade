"""The enum Protocols.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class Protocols(OpenEnum):
    """Values of ``Protocols``. Sources: spec, wsdl, peer."""

    HTTP = "HTTP"
    HTTPS = "HTTPS"
