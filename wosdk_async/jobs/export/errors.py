"""Errors of an export, and of packages that it needs."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.errors import OutputError

__all__ = ["ExportError", "export_package", "writing_output"]


class ExportError(ConfigurationError):
    """An export that cannot be made as it was asked for; the message says what to do."""


def export_package(name: str) -> Any:
    """Return an installed package. Raise ExportError that names the extra when it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ExportError(
            f"an export needs the package {package}; run pip install 'wosdk_async[export]'"
        ) from None


@contextlib.contextmanager
def writing_output(path: Path) -> Iterator[None]:
    """Turn errors of the system into OutputError with the remedy."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error).partition("\n")[0]
        raise OutputError(
            f"{error.filename or path}: {why}; free space on the disk or change the permissions, then give "
            "the same command again: what was read goes on from there"
        ) from error
