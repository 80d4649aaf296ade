"""Sections of a report that list things: failures, rows in doubt, references, runs and the job itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wosdk_async.jobs.audit import why_no_audit
from wosdk_async.jobs.job_commands import command_of
from wosdk_async.jobs.journal import AuditRow, JobRun, State, StoredRow
from wosdk_async.jobs.journal.worker_tables import AuditState
from wosdk_async.jobs.overview import stop_of
from wosdk_async.jobs.report.facts import JobFacts, shown_reason
from wosdk_async.jobs.report.markup import Content, Markup, counted, cut, element, joined, table, when
from wosdk_async.jobs.undo_fates import UNDO

__all__ = ["about", "audit", "doubts", "failures", "references", "runs"]

_MAX_CAUSES = 20
_MAX_REFERENCES = 50
_MAX_RUNS = 50
_MAX_UNFOLDED = 10  # rows of a list that is shown without being asked for


def failures(facts: JobFacts) -> Markup | None:
    """Return the most frequent causes of failures; None when no row failed."""
    causes = facts.causes
    if not causes:
        return None
    rows = [
        (cause.count, cut(cause.reason), cause.code, _row_numbers(cause.rows, cause.count))
        for cause in causes[:_MAX_CAUSES]
    ]
    rest = len(causes) - _MAX_CAUSES
    more = f"{counted(rest, 'more cause')}: see report.json and {facts.rejects}." if rest > 0 else None
    return element(
        "section",
        element("h2", "Failures by cause"),
        table(("Rows", "Reason of the first", "Code", "Row numbers"), rows),
        element("p", more, class_="figures") if more else None,
    )


def _row_numbers(rows: Sequence[int], count: int) -> str:
    shown = ", ".join(map(str, rows))
    return f"{shown} and {count - len(rows):,} more" if count > len(rows) else shown


def doubts(facts: JobFacts) -> Markup | None:
    """Return the rows in doubt, and those that were settled; None when there were none."""
    doubted, settled = facts.doubted, facts.settled
    if not doubted.count and not settled.count:
        return None
    parts = [element("h2", "Rows in doubt, and how they were settled")]
    if doubted.count:
        keyed = facts.plan.marker is not None or any(row.key for row in doubted.rows)
        names = ("Row", "Line", *(["Key"] if keyed else []), "Why", "RequestId")
        parts.append(table(names, (_doubt(row, keyed) for row in doubted.rows)))
        parts += _more(doubted.count - len(doubted.rows), "in_doubt.csv")
    if settled.count:
        text = f"{counted(settled.count, 'row')} in doubt had been carried out: found by the key."
        rows = [(row.row, row.line, row.key, row.number or str(row.id)) for row in settled.rows]
        listed = table(("Row", "Line", "Key", "Record that was found"), rows)
        unfolded = "" if len(rows) <= _MAX_UNFOLDED else None
        parts.append(element("details", element("summary", text), listed, open=unfolded))
        parts += _more(settled.count - len(settled.rows), "results.csv")
    return element("section", parts)


def _doubt(row: StoredRow, keyed: bool) -> Sequence[Content]:
    return (row.row, row.line, *([row.key] if keyed else []), cut(shown_reason(row) or ""), row.request_id)


def _more(rest: int, name: str, thing: str = "row") -> Iterator[Markup]:
    if rest > 0:
        yield element("p", f"{counted(rest, f'more {thing}')}: see {name}.", class_="figures")


_AUDITS: dict[AuditState, str] = {
    "due": "Not made yet: the same command, given again, looks up the keys of all rows.",
    "impossible": "Not possible",
    "clean": "The Company has one record for each row that was carried out, and none for the others.",
    "not clean": "The Company does not have what the journal says; audit.csv lists the rows.",
}


def audit(facts: JobFacts) -> Markup | None:
    """Return what the Company has for the rows; None for a job in one process."""
    if facts.audit_state == "none":
        return None
    grants = facts.grants
    lost = ""
    if grants.lost_leases:
        lost = f"; {counted(grants.lost_leases, 'grant')} lost with {counted(grants.lost_rows, 'row')}"
    why = f": {why_no_audit(facts.plan)}." if facts.audit_state == "impossible" else ""
    counts = f" Rows: {facts.audit}." if facts.audit is not None else ""
    rows = [
        (row.row, row.line, row.key, row.finding, row.state.name.lower().replace("_", " "), _ids(row))
        for row in facts.audit_rows
    ]
    return element(
        "section",
        element("h2", "Audit"),
        element("p", f"Workers got {counted(grants.leases, 'grant')} of rows{lost}.", class_="figures"),
        element("p", f"{_AUDITS[facts.audit_state]}{why}{counts}"),
        table(("Row", "Line", "Key", "Found", "State", "Ids"), rows) if rows else None,
    )


def _ids(row: AuditRow) -> str:
    return ", ".join(map(str, row.ids))


def references(facts: JobFacts) -> Markup | None:
    """Return the records that the job created for its rows; None when there were none."""
    if not facts.references:
        return None
    bad = [each for each in facts.references if each.state != State.DONE]
    made = counted(len(facts.references) - len(bad), "record")
    said = f"Created by this job: {made}{f'; not created: {len(bad):,}' if bad else ''}."
    rows = [
        (each.reference, each.name, each.state.name.lower().replace("_", " "), cut(each.reason or ""))
        for each in bad[:_MAX_REFERENCES]
    ]
    return element(
        "section",
        element("h2", "Records that rows refer to"),
        element("p", said),
        table(("Reference", "Name", "State", "Reason"), rows) if rows else None,
        *_more(len(bad) - len(rows), "references.csv", "record"),
    )


# --- who, when, where -----------------------------------------------------------------------------


def runs(facts: JobFacts) -> Markup | None:
    """Return the last processes that worked on the job; None when there was none."""
    if not facts.runs:
        return None
    rows = [
        (
            f"{run.number}, undo" if run.details.get("command") == UNDO else run.number,
            when(run.started_at),
            f"{run.ended_at - run.started_at:,.1f} s" if run.ended_at else "",
            _ending(run),
            f"{run.details.get('user') or 'somebody'} on {run.details.get('host', '')}",
            f"{run.details.get('version', '')}",
            f"{run.details.get('engine') or 'one process'}",
        )
        for run in facts.runs[-_MAX_RUNS:]
    ]
    more = _more(len(facts.runs) - len(rows), "report.json", "run")
    names = ("Run", "Began", "Took", "Ended", "By", "Version", "Sent from")
    return element("section", element("h2", "Runs"), table(names, rows), *more)


def _ending(run: JobRun) -> str:
    if run.ended_at is None:
        return "killed, or not ended yet"
    if stopped := stop_of(run):
        return cut(f"stopped: {stopped}")
    if error := run.details.get("error"):
        return cut(f"exit status {run.exit_status}: {error}")
    return "to its end" if not run.exit_status else f"exit status {run.exit_status}"


def about(facts: JobFacts) -> Markup:
    """Return what the job is about, with the hashes of its files."""
    plan = facts.plan
    entries: list[tuple[str, Content]] = [
        ("Job", f"{plan.job}, in {facts.folder}"),
        ("Company", plan.company),
        ("Operation", plan.operation),
        ("Marker", plan.marker or "none: a row in doubt cannot be looked up"),
        ("File", f"{plan.file} ({plan.size:,} bytes)"),
        ("SHA-256 of the file", element("code", plan.sha256)),
        ("SHA-256 of the map", element("code", plan.map_sha256)),
    ]
    entries.append(("Command", command_of(facts.given, facts.folder) or "none: a program began it"))
    more = {name: value for name, value in plan.options.items() if name not in ("command", "global")}
    entries += [(name.capitalize(), str(value)) for name, value in more.items()]
    entries += [
        (f"SHA-256 of {file.name}", joined(element("code", file.sha256), f" ({file.size:,} bytes)"))
        for file in facts.files
    ]
    pairs = (element("div", element("dt", name), element("dd", value)) for name, value in entries)
    return element("section", element("h2", "The job"), element("dl", pairs))
