"""Texts of a CSV that a spreadsheet would take for formulas, and how many there were."""

from __future__ import annotations

from wosdk_async.safe_text import without_formulas

__all__ = ["FormulaGuard"]


class FormulaGuard:
    """Function that returns a text as a CSV may hold it: an apostrophe stands before each formula.

    Args:
        raw: return each text as it is, for programs.
    """

    def __init__(self, *, raw: bool = False) -> None:
        self.texts = 0
        """Texts that got an apostrophe."""
        self._raw = raw

    def __call__(self, text: str) -> str:
        """Return ``text``, with an apostrophe before each formula unless texts are raw."""
        if self._raw:
            return text
        safe = without_formulas(text)
        if safe is not text and safe != text:
            self.texts += 1
        return safe
