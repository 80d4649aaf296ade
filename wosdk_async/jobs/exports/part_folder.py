"""Folder of an incremental export. Each part has a watermark that references the previous part."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import attrs
import orjson

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.exports.errors import ExportError
from wosdk_async.jobs.exports.plan import ExportPlan, differences
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.regular_files import read_regular
from wosdk_async.resources.watermark import Watermark

WATERMARK = "watermark.json"  # in each part
_PART = re.compile(r"part-([0-9]{6,18})")
_INCOMPLETE = re.compile(r"\.part-[0-9]{6,18}")
_CONTENT = re.compile(r"rows\.[a-z]+|watermark\.json|sheets-.*")  # names of the files in a part
_MAX_WATERMARK = 1 << 24  # bytes of a watermark file, which includes the plan
_REMEDY = "restore it from a backup, or start over in another folder"


def require_parts(folder: Path) -> None:
    """Raise ExportError if the folder has other files but no parts, or files that a run would overwrite."""
    found = list(folder.iterdir())
    if found and not (folder / LOCK).is_file() and not any(map(_is_part, found)):
        raise ExportError(
            f"{folder} contains other files ({found[0].name}) but no export parts; name another folder"
        )
    for path in found:
        if _INCOMPLETE.fullmatch(path.name) and not _is_from_run(path):
            raise ExportError(f"{path} is not from an export and would be overwritten by a part; move it")


def remove_incomplete(folder: Path) -> None:
    """Remove incomplete parts of killed runs; call :func:`require_parts` first."""
    for path in folder.iterdir():
        if _INCOMPLETE.fullmatch(path.name):
            shutil.rmtree(path)


def _is_part(path: Path) -> bool:
    return _PART.fullmatch(path.name) is not None


def _is_from_run(path: Path) -> bool:
    if path.is_symlink() or not path.is_dir():
        return False
    return all(_CONTENT.fullmatch(each.name) for each in path.iterdir())


def _number(part: Path) -> int:
    return int(part.name.removeprefix("part-"))


def readable_text(watermark: Watermark) -> str:
    """Return a watermark as text. Raises WosdkError if the next run could not read it."""
    text = str(watermark)
    if not _is_readable(text):
        records = [
            each for each in watermark.seen if not _is_readable(str(attrs.evolve(watermark, seen=(each,))))
        ]
        cause = f"the record {records[0]!r:.200}" if records else f"the value {text!r:.200}"
        raise WosdkError(
            f"the next run could not read the watermark of this part because of {cause}, so the part was not "
            "added; ask the maintainers of the service why it sends such values"
        )
    return text


def _is_readable(text: str) -> bool:
    try:
        Watermark.parse(text)
    except InvalidCallError:
        return False
    return True


@attrs.frozen
class PartChain:
    """Chain of parts, each referencing the rows and watermark file of the previous part."""

    folder: Path
    last: Path | None = None
    about: Mapping[str, Any] = attrs.field(factory=dict)
    """Content of the last part's watermark file."""
    before: Mapping[str, Any] = attrs.field(factory=lambda: {"rows": 0, "sha256": None})
    """Total rows of all parts, and the digest of the last watermark file, to store in the next part."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the parts of a folder. Raises ExportError if a part is missing, replaced or incomplete."""
        chain = cls(folder)
        for part in sorted(filter(_is_part, folder.iterdir()), key=_number):
            chain = chain._with(part)
        return chain

    @property
    def next_number(self) -> int:
        """Number of the next part."""
        return 1 if self.last is None else _number(self.last) + 1

    def _with(self, part: Path) -> Self:
        try:
            content = read_regular(part / WATERMARK, _MAX_WATERMARK)[0]
            about = orjson.loads(content)
            rows, before = about["rows"], about.get("before")  # version 0.2 stored no "before" and no "bytes"
            rows_before = self.before["rows"]
            is_next = _number(part) == self.next_number if before is None else before == self.before
            missing = None if before is None else before["rows"] - rows_before
            file, size = part / f"rows.{about['plan']['format']}", about.get("bytes")
            now = {"rows": rows_before + rows, "sha256": hashlib.sha256(content).hexdigest()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise _unreadable(part, error) from None
        if not is_next:
            raise self._broken(part, missing)
        actual_size = file.stat().st_size if file.is_file() else None
        if actual_size is None:
            raise ExportError(f"{file} is missing (rows: {rows:,}); {_REMEDY}")
        if size not in (None, actual_size):
            raise ExportError(f"{file} has {actual_size:,} bytes instead of {size:,}; {_REMEDY}")
        return attrs.evolve(self, last=part, about=about, before=now)

    def _broken(self, part: Path, rows: int | None) -> ExportError:
        """Return the error for a part that does not follow the last one."""
        first, last = self.next_number, _number(part) - 1
        if first > last:
            return ExportError(
                f"{part} does not follow the previous part: one of them was edited or renamed, or comes from "
                f"another export; {_REMEDY}"
            )
        names = f"part-{first:06d}" + (f" to part-{last:06d} are" if last > first else " is")
        counted = "" if rows is None else f" (rows: {rows:,})"
        return ExportError(f"{self.folder}: {names} missing{counted}; {_REMEDY}")

    def watermark(self, plan: ExportPlan) -> Watermark | None:
        """Return the last part's watermark. Raises ExportError if the part is from a different export."""
        if self.last is None:
            return None
        try:
            watermark = Watermark.parse(self.about["watermark"])
            differing = differences(plan, self.about["plan"])
        except (ValueError, TypeError, KeyError, AttributeError, InvalidCallError) as error:
            raise _unreadable(self.last, error) from None
        if differing:
            raise ExportError(
                f"{self.folder}: this export differs from the existing parts ({'; '.join(differing)}); run "
                "the command that made them, or name another folder"
            )
        return watermark


def _unreadable(part: Path, error: Exception) -> ExportError:
    return ExportError(f"{part / WATERMARK} cannot be read ({error}); {_REMEDY}")
