"""The enum CompletionNoteOptions.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CompletionNoteOptions(OpenEnum):
    """Values of ``CompletionNoteOptions``. Sources: wsdl, peer."""

    Ignore = "Ignore"
    """Leave the completion note alone."""
    Replace = "Replace"
    """Comment replaces the completion note."""
    FillEmpty = "FillEmpty"
    """Comment fills an empty completion note."""
