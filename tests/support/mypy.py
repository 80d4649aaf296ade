"""mypy as users run it: strictly, without settings of the project.

All tests give it the same options and one cache: with other options it checks the whole package anew.
"""

from __future__ import annotations

from pathlib import Path

from mypy import api

ROOT = Path(__file__).parents[2]
_OPTIONS = (
    "--strict",
    "--config-file=",
    "--no-error-summary",
    "--disable-error-code=import-untyped",  # pandas has no types
    f"--cache-dir={ROOT / '.mypy_cache' / 'tests'}",
)


def strict(*files: Path) -> list[str]:
    """Return the lines that ``mypy --strict`` prints of these modules."""
    printed, trouble, _ = api.run([*_OPTIONS, *map(str, files)])
    return [*printed.splitlines(), *trouble.splitlines()]
