"""A job for people: its plan, counts and runs, the rows that need care, and what a resume would do."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import click

from wosdk_async.cli.output.cells import counted, readable, visible
from wosdk_async.cli.output.table import print_table

__all__ = ["job_facts", "print_job"]

_FIRST = 5  # rows of each kind


async def job_facts(folder: Path) -> dict[str, Any]:
    """Return everything that ``wosdk jobs show`` shows of a job, as plain data."""
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.overview import COUNTED, overview

    async with Journal.open(folder, read_only=True) as journal:
        seen = await overview(journal)
        first = {
            name: [_row(row) for row in await journal.rows_in(*states, limit=_FIRST)]
            for name, states in COUNTED.items()
            if name not in ("done", "not_started")
        }
        references: dict[str, int] = {}
        for each in await journal.references():
            label = f"{each.reference} {each.state.name.lower()}"
            references[label] = references.get(label, 0) + 1
        return {
            **seen.as_dict(),
            "running": seen.running,
            "plan": seen.plan.as_dict(),
            "runs": [attrs.asdict(run) for run in await journal.runs()],
            "references": references,
            "first_rows": {name: rows for name, rows in first.items() if rows},
            "resume": seen.resume_would(),
        }


def _row(row: Any) -> dict[str, Any]:
    names = ("row", "line", "key", "id", "number", "reason", "code", "request_id")
    return {name: value for name in names if (value := getattr(row, name)) is not None}


def print_job(facts: dict[str, Any]) -> None:
    """Print the facts of a job on stdout."""
    plan = facts["plan"]
    counts = ("done", "found", "failed", "in_doubt", "not_started", "undone")
    figures = ", ".join(f"{facts[name]} {name.replace('_', ' ')}" for name in counts if facts[name])
    empty = f", {counted(plan['empty_rows'], 'empty row')} skipped" if plan["empty_rows"] else ""
    state = facts["state"] + (f" ({facts['running']})" if facts["running"] else "")
    lines = [
        ("job", f"{plan['job']} in {facts['folder']}"),
        ("state", state),
        ("rows", f"{plan['rows']}: {figures or 'none'}{empty}"),
        ("file", f"{plan['file']} ({plan['size']} bytes, sha256 {plan['sha256'][:12]})"),
        ("company", plan["company"]),
        (
            "operation",
            plan["operation"] + (f", marker {plan['marker']}" if plan["marker"] else ", no marker"),
        ),
        ("begun", plan["created_at"]),
        ("command", f"wosdk import ... {' '.join(map(str, plan['options'].get('command') or ()))}".rstrip()),
        *((f"run {run['number']}", _run(run)) for run in facts["runs"]),
        *(("records", f"{count} {label}") for label, count in facts["references"].items()),
    ]
    print_table(sys.stdout, [(name, readable(str(text))) for name, text in lines])
    for name, rows in facts["first_rows"].items():
        click.echo(
            f"\n{name.replace('_', ' ')}, {'the first ' if facts[name] > len(rows) else ''}{len(rows)}:"
        )
        for row in rows:
            known = " ".join(str(row[each]) for each in ("key", "id", "number") if each in row)
            text = f"row {row['row']} (line {row['line']}) {known}: {row.get('reason', '')}"
            click.echo(f"  {visible(text).rstrip(': ')}")
    click.echo("\nthe same command given again would")
    for text in facts["resume"]:
        click.echo(f"  {visible(text)}")


def _run(run: dict[str, Any]) -> str:
    details = run["details"]
    began = _time(run["started_at"])
    ended = f"to {_time(run['ended_at'])}" if run["ended_at"] is not None else "without an end"
    stopped = f", stopped: {details['stopped']}" if details.get("stopped") else ""
    who = f"{details.get('user')}@{details.get('host')} (process {details.get('pid')})"
    return f"{began} {ended} by {who}, version {details.get('version')}{stopped}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
