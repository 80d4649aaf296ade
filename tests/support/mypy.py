"""mypy as users run it: strictly, without settings of the project.

It does not read numpy and Dask, which no program of the tests names: a quarter of its time after a checkout.

All tests give it the same options and one cache: with other options it checks the whole package anew.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_COMMAND = (
    *(sys.executable, "-m", "mypy"),
    "--strict",
    f"--config-file={Path(__file__).with_name('mypy.ini')}",
    "--no-warn-unused-configs",
    "--no-error-summary",
    "--disable-error-code=import-untyped",  # pandas has no types
    f"--cache-dir={ROOT / '.mypy_cache' / 'tests'}",
)


def strict(*files: Path) -> list[str]:
    """Return the lines that ``mypy --strict`` prints of these modules.

    In a process of its own: what mypy leaves in memory, 3.6 million objects, slowed down every garbage
    collection of the tests after it.
    """
    done = subprocess.run([*_COMMAND, *map(str, files)], capture_output=True, text=True, cwd=ROOT)
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]
