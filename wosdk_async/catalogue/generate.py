"""Write ``wosdk_async/model`` and the stub ``wosdk_async/query/fields.pyi`` from the catalogue.

With ``--check``, write nothing and exit with 1 if a file differs. Ruff formats the files. The same catalogue
always produces the same files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from wosdk_async.catalogue import Catalogue, load
from wosdk_async.catalogue.generator.classes import command_files, entity_files, enum_files
from wosdk_async.catalogue.generator.index import field_stub, index_files
from wosdk_async.catalogue.generator.text import MARK, RuffMissingError, lay_out
from wosdk_async.regular_files import replace_file

PACKAGE = Path(__file__).parents[1]


def files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each generated file, by its path below ``wosdk_async``."""
    modules = (
        entity_files(catalogue) | command_files(catalogue) | enum_files(catalogue) | index_files(catalogue)
    )
    texts = {f"model/{name.replace('.', '/')}.py": text for name, text in modules.items()}
    return lay_out({**texts, "query/fields.pyi": field_stub(catalogue)})


def _changes(root: Path, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the files below ``root`` that must be written or deleted, each with the reason."""
    model = (path.relative_to(root).as_posix() for path in (root / "model").rglob("*.py"))
    names = sorted({*model, *wanted})
    found = {name: (root / name).read_text(encoding="utf-8") for name in names if (root / name).exists()}
    old = {name: "not wanted" for name, text in found.items() if name not in wanted and MARK in text}
    return old | {
        name: "differs" if name in found else "missing"
        for name in names
        if name in wanted and wanted[name] != found.get(name)
    }


def _write(root: Path, wanted: Mapping[str, str]) -> None:
    """Make the generated files below ``root`` match ``wanted``; keep handwritten files."""
    for name in _changes(root, wanted):
        path = root / name
        if name not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            file.write(wanted[name].encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Write wosdk_async/model from the catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    check = parser.parse_args(arguments).check
    try:
        wanted = files(load())
    except RuffMissingError as error:
        print(error, file=sys.stderr)
        return 2
    if not check:
        _write(PACKAGE, wanted)
        return 0
    changes = _changes(PACKAGE, wanted)
    lines = [f"{what}: {name}" for name, what in changes.items()]
    print("\n".join(lines) or "the model agrees with the catalogue")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
