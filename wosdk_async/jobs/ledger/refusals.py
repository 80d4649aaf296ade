"""Error and messages for refused imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, takewhile

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.ledger.terms import Refusal, RejectsProblem, RowSample
from wosdk_async.text.remedies import Remedy

_SHOWN = 10  # columns listed in a message
_RANGES = 30  # ranges of lines listed in a message
_CELLS = 40  # characters of a row shown in a message


class ImportRefusedError(ConfigurationError):
    """Refused import. Nothing was sent, to avoid sending rows twice or to the wrong place.

    ``refusal`` has the facts, and ``kind`` is a code such as ``edited-or-new``.
    """

    kind = "import-refused"
    conflict = True

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(
            _message(refusal),
            kind=refusal.why.replace("_", "-"),
            remedies=refusal.remedies,
            folder=None if refusal.folder is None else str(refusal.folder),
        )


def _message(refusal: Refusal) -> str:
    folder, gone = refusal.folder, _rows(refusal.gone)
    match refusal.why:
        case "rejects":
            return _PROBLEMS[refusal.problem or "no_ledger"].format(line=refusal.line, folder=folder)
        case "other_company":
            return f"the job in {folder} belongs to the Company {refusal.was!r}, not to {refusal.now!r}"
        case "other_operation":
            return f"the job in {folder} runs {refusal.was!r}, not {refusal.now!r}"
        case "superseded":
            return f"a newer job in {folder} now sends these rows"
        case "unfinished":
            return (
                f"{_rows(refusal.rows)} of the job in {folder} {_are(refusal.rows)} unsent or in doubt, "
                "and a new job could send rows a second time"
            )
        case "sent_elsewhere" if Remedy.WAIT in refusal.remedies:
            rows = f"{_rows(refusal.rows)} of the file{_lines(refusal)}"
            return f"the job in {folder} is running, and has sent or is sending {rows}"
        case "sent_elsewhere" if refusal.in_doubt:
            rows = f"{_rows(refusal.rows)} of the file{_lines(refusal)}"
            return f"the job in {folder}{_renamed(refusal)} may have sent {rows}"
        case "sent_elsewhere" if refusal.changed:
            rows = f"{_rows(refusal.rows)} of the file{_lines(refusal)}"
            part = "" if refusal.changed == refusal.rows else f", {refusal.changed:,} of them"
            keys = "a key" if refusal.rows == 1 else "keys"
            job = f"the job in {folder}{_renamed(refusal)}{_and_others(refusal)}"
            sent = f"that {job} sent{part} with different cells"
            return f"{rows} {_have(refusal.rows)} {keys} {sent}"
        case "sent_elsewhere":
            return (
                f"{_rows(refusal.rows)} of the file{_lines(refusal)} {_were(refusal.rows)} sent by the job "
                f"in {folder}{_renamed(refusal)}{_and_others(refusal)}{_without_keys(refusal.now)}"
                f"{_perhaps_edited(refusal)}"
            )
        case "key_changed" if refusal.rows:
            return (
                f"the job in {folder} sends {_keys(refusal.was)}, but this import sends "
                f"{_keys(refusal.now)}, so {_rows(refusal.rows)} in doubt cannot be looked up"
            )
        case "key_changed":
            return (
                f"the job in {folder} identifies rows by {_key(refusal.was)}, but this import by "
                f"{_key(refusal.now)}, so {gone} sent before cannot be "
                f"recognized{_sample(refusal.first_gone)}"
            )
        case "columns_changed":
            names = ", ".join(map(repr, refusal.columns[:_SHOWN]))
            return (
                f"the columns {names} were added or removed since the last run, so {gone} sent without "
                "a key cannot be recognized"
            )
        case "edited_or_new":
            was, now = _differing(refusal.first_gone, refusal.first_new)
            return (
                f"{gone} sent before {_are(refusal.gone)} no longer in the file{was}, and "
                f"{_rows(refusal.rows)} {_are(refusal.rows)} new or restored{now}. {_LOOKS_NEW}"
            )
        case "key_disguised":
            pairs = [f"{gone.name!r} to {new.name!r} (line {new.line})" for new, gone in refusal.resembling]
            more = f" and {refusal.rows - len(pairs):,} more" if refusal.rows > len(pairs) else ""
            keys = "1 key" if refusal.rows == 1 else f"{refusal.rows:,} keys"
            return f"a spreadsheet may have changed {keys} of the job in {folder}: {', '.join(pairs)}{more}"


_PROBLEMS: Mapping[RejectsProblem, str] = {
    "missing_job": "line {line} has no job in the column _job",
    "mixed_jobs": "line {line} belongs to a different job than earlier lines; import these jobs separately",
    "missing_row": "line {line} has no row number in the column _row",
    "row_twice": "line {line} has the same row number in the column _row as an earlier line",
    "unknown_row": "line {line} has an unknown row number in the column _row: the job has no such row",
    "other_row": "line {line} has the row number of a row that was sent, but the key or cells of another row",
    "job_file": "this file is a job's output; import rejects.csv, or settle the rows in doubt",
    "other_job": "these rows belong to the job in {folder}, not to the job that you named",
    "no_ledger": "the job that rejected these rows was not found near the file or the working directory",
    "replaced": "the row on line {line} is no longer in the original file, and new rows of that file have "
    "been sent since; without a key, the import cannot tell whether one of them is its corrected version",
    "again": "rejects belong to the job that rejected them, and cannot start a new job",
}


def _sample(row: RowSample | None) -> str:
    return "" if row is None else f" (line {row.line}: {row.name!r})"


def _differing(*rows: RowSample | None) -> Iterator[str]:
    """Yield the lines and cells of two rows; leave out first cells if a differing cell would be cut off."""
    cells = [[] if row is None else row.name.split(", ") for row in rows]
    equal = len([*takewhile(lambda pair: pair[0] == pair[1], zip(*cells, strict=False))])
    longest = (max(len(", ".join(names[first : equal + 1])) for names in cells) for first in range(equal))
    start = next((first for first, length in enumerate(longest) if length <= _CELLS), equal)
    for row, names in zip(rows, cells, strict=True):
        text = ", ".join(names[start:])
        shown = f"{'...' * (start > 0)}{text[:_CELLS]}{'...' * (len(text) > _CELLS)}"
        name = f": {shown!r}" if text else ""
        yield "" if row is None else f" (line {row.line}{name})"


def _lines(refusal: Refusal) -> str:
    """Return the lines of the rows as ranges, such as ``" (lines 2-40, 57)"``."""
    groups = groupby(enumerate(refusal.lines), key=lambda pair: pair[1] - pair[0])
    ends = [(lines[0][1], lines[-1][1]) for lines in ([*group] for _, group in groups)]
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in ends]
    shown = texts[:_RANGES] + (["..."] if len(texts) > _RANGES or refusal.rows > len(refusal.lines) else [])
    noun = "line" if refusal.rows == 1 else "lines"
    return f" ({noun} {', '.join(shown)})" if texts else ""


_LOOKS_NEW = "Without a key, an edited row looks like a new row"


def _renamed(refusal: Refusal) -> str:
    return " (whose file no longer exists)" if refusal.renamed else ""


def _perhaps_edited(refusal: Refusal) -> str:
    if not refusal.gone:
        return ""
    return f"; {_rows(refusal.gone)} that it sent {_are(refusal.gone)} not in this file. {_LOOKS_NEW}"


def _and_others(refusal: Refusal) -> str:
    if not refusal.others:
        return ""
    return " and 1 other job" if refusal.others == 1 else f" and {refusal.others} other jobs"


def _key(text: str | None) -> str:
    return "their cells" if text is None else text


def _without_keys(marker: str | None) -> str:
    return "" if marker is None else f", but without these keys in {marker}, so look-ups cannot find them"


def _keys(marker: str | None) -> str:
    return "no keys" if marker is None else f"keys in {marker}"


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
