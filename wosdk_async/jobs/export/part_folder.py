"""The folder of an incremental export: its parts, and the watermark of the last one."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
from attrs import evolve

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.export.errors import ExportError
from wosdk_async.jobs.export.plan import ExportPlan
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.regular_files import read_regular
from wosdk_async.resources.watermark import Watermark

__all__ = [
    "WATERMARK",
    "last_part",
    "next_part",
    "readable_text",
    "remove_left",
    "require_parts",
    "watermark_of",
]

WATERMARK = "watermark.json"
"""Name of the file beside the rows of a part."""

_PART = re.compile(r"part-([0-9]{6,18})")
_OPEN = re.compile(r"\.part-[0-9]{6,18}")  # a part that is not complete
_HELD = re.compile(r"rows\.[a-z]+|watermark\.json|sheets-.*")  # what a part holds
_MAX_WATERMARK = 1 << 24  # bytes, with the plan
_FUTURE = timedelta(days=1)  # the clocks of service and machine are less apart


def require_parts(folder: Path) -> None:
    """Raise ExportError for a folder of something else, and for what would be removed and is not ours."""
    found = list(folder.iterdir())
    if found and not (folder / LOCK).is_file() and not any(map(_is_part, found)):
        raise ExportError(
            f"{folder}: holds other files ({found[0].name}), and no parts of an export; name another folder"
        )
    for path in found:
        if _OPEN.fullmatch(path.name) and not _is_left(path):
            raise ExportError(f"{path}: is where a part is written, and no run of an export left it; move it")


def remove_left(folder: Path) -> None:
    """Remove what a kill left; :func:`require_parts` has looked at it."""
    for path in folder.iterdir():
        if _OPEN.fullmatch(path.name):
            shutil.rmtree(path)


def last_part(folder: Path) -> Path | None:
    """Return the latest part; None when there is none."""
    return max((path for path in folder.iterdir() if _is_part(path)), default=None, key=_number)


def next_part(folder: Path, last: Path | None) -> Path:
    """Return where the part after ``last`` is to be."""
    return folder / f"part-{1 if last is None else _number(last) + 1:06d}"


def _is_part(path: Path) -> bool:
    return _PART.fullmatch(path.name) is not None


def _is_left(path: Path) -> bool:
    """Return whether a folder holds nothing but what a run writes."""
    if path.is_symlink() or not path.is_dir():
        return False
    return all(_HELD.fullmatch(each.name) for each in path.iterdir())


def _number(part: Path) -> int:
    return int(part.name.removeprefix("part-"))


def readable_text(watermark: Watermark) -> str:
    """Return the text of a watermark. Raises WosdkError for one that the next run could not read."""
    text = str(watermark)
    if not _is_readable(text):
        records = [each for each in watermark.seen if not _is_readable(str(evolve(watermark, seen=(each,))))]
        cause = f"the record {records[0]!r:.200}" if records else f"the text {text!r:.200}"
        raise WosdkError(
            f"the watermark of this part could not be read again because of {cause}, so the part was not "
            "added; ask the maintainers of the service why it sends such values"
        )
    return text


def _is_readable(text: str) -> bool:
    try:
        Watermark.parse(text)
    except InvalidCallError:
        return False
    return True


def watermark_of(part: Path | None, plan: ExportPlan) -> Watermark | None:
    """Return the watermark of a part. Raises ExportError when the export cannot continue from it."""
    if part is None:
        return None
    try:
        about = orjson.loads(read_regular(part / WATERMARK, _MAX_WATERMARK)[0])
        watermark, stored = Watermark.parse(about["watermark"]), about["plan"]
        differing = plan.differences(stored)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, InvalidCallError) as error:
        raise ExportError(
            f"{part / WATERMARK}: cannot be read ({error}); restore it from a backup, or export into "
            "another folder, from the beginning"
        ) from None
    if watermark.time is not None and watermark.time > datetime.now(UTC) + _FUTURE:
        raise ExportError(
            f"{part / WATERMARK}: its watermark is {watermark.time:%Y-%m-%d %H:%M} UTC, in the future, so "
            "changes until then would be missed; correct the clock of this machine, restore the file from a "
            "backup, or export into another folder, from the beginning"
        )
    if differing:
        raise ExportError(
            f"{part.parent}: its parts have other {'; other '.join(differing)}. All parts of a folder are "
            "alike, so give the command that made them, or name another folder"
        )
    return watermark
