"""mypy as users run it: strictly, without the project's settings.

Numpy and Dask are not read: no test program uses them, and they take a quarter of the time after a checkout.
All tests pass the same options and share one cache: other options would recheck the whole package.
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
    """Return the output lines of ``mypy --strict`` for these modules.

    mypy runs in a separate process, because the 3.6 million objects that it leaves in memory would slow down
    every later garbage collection.
    """
    done = subprocess.run([*_COMMAND, *map(str, files)], capture_output=True, text=True, cwd=ROOT)
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]
