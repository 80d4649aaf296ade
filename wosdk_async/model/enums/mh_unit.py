"""The enum MhUnit.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class MhUnit(OpenEnum):
    """Values of ``MhUnit``. Sources: wsdl, peer."""

    Unit = "Unit"
    Kg = "Kg"
    Lb = "Lb"
    Liter = "Liter"
    Gal = "Gal"
    Ml = "Ml"
    Oz = "Oz"
    Meter = "Meter"
    Ft = "Ft"
    Box = "Box"
    Set = "Set"
    Package = "Package"
