"""Write ``wosdk_async/model`` and the stub ``wosdk_async/query/fields.pyi`` from the catalogue.

``python -m wosdk_async.catalogue.generate`` writes; with ``--check`` it writes nothing and exits with 1 when
a file differs. The same catalogue gives the same bytes, already in the form of ``ruff format``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from wosdk_async.catalogue import Catalogue, load
from wosdk_async.catalogue.generator.classes import command_files, entity_files
from wosdk_async.catalogue.generator.enums import enum_files
from wosdk_async.catalogue.generator.fields import field_stub
from wosdk_async.catalogue.generator.index import index_files

__all__ = ["differences", "files", "main", "write"]

MODEL = Path(__file__).parent.parent / "model"
STUB = MODEL.parent / "query" / "fields.pyi"
HAND_WRITTEN = {
    "base.py",
    "metadata.py",
    "open_enum.py",
    "checked_init.py",
    "compiled.py",
    "lazy.py",
    "registry.py",
}


def files(catalogue: Catalogue) -> dict[str, str]:
    """Path below the model's directory -> text."""
    modules = (
        entity_files(catalogue) | command_files(catalogue) | enum_files(catalogue) | index_files(catalogue)
    )
    return {f"{name.replace('.', '/')}.py": text for name, text in modules.items()}


def differences(root: Path, wanted: dict[str, str]) -> list[str]:
    """What is missing, changed or too much below ``root``, a line each."""
    present = {path.relative_to(root).as_posix() for path in root.rglob("*.py")} - HAND_WRITTEN
    found = [f"not wanted: {name}" for name in sorted(present - wanted.keys())]
    for name, text in sorted(wanted.items()):
        if name not in present:
            found.append(f"missing: {name}")
        elif (root / name).read_text(encoding="utf-8") != text:
            found.append(f"differs: {name}")
    return found


def write(root: Path, wanted: dict[str, str]) -> None:
    """Make the generated files below ``root`` exactly ``wanted``."""
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if name not in wanted and name not in HAND_WRITTEN:
            path.unlink()
    for name, text in wanted.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write wosdk_async/model from the catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a file differs")
    check = parser.parse_args(arguments).check
    catalogue = load()
    wanted, stub = files(catalogue), field_stub(catalogue)
    if not check:
        write(MODEL, wanted)
        STUB.write_text(stub, encoding="utf-8")
        return 0
    found = differences(MODEL, wanted)
    if not STUB.exists() or STUB.read_text(encoding="utf-8") != stub:
        found.append(f"differs: {STUB.name}")
    print("\n".join(found) or "the model agrees with the catalogue")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
