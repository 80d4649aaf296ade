"""``report.html``: one page that needs no network and no script."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from wosdk_async.jobs.journal import JobRun, State, StoredRow
from wosdk_async.jobs.overview import command_of
from wosdk_async.jobs.report.charts import Series, chart, share_bar, time_bins
from wosdk_async.jobs.report.facts import OUTCOMES, JobFacts, outcome_of
from wosdk_async.jobs.report.markup import Content, Markup, element, joined

__all__ = ["report_page"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_MAX_CAUSES = 20
_MAX_REASON = 400  # characters
_MAX_REFERENCES = 50
_MAX_UNFOLDED = 10  # rows of a list that is shown without being asked for
_LONG = {"Reason of the first", "Reason", "Why", "Name", "Key", "Ended"}  # may break anywhere


def report_page(facts: JobFacts) -> str:
    """Return the report of a job as HTML."""
    name = Path(facts.plan.file).name
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("link", rel="icon", href="data:,"),
        element("title", f"Import of {name}"),
        element("style", _style()),
    )
    main = element(
        "main",
        _heading(facts, name),
        _totals(facts),
        _charts(facts),
        _failures(facts),
        _doubts(facts),
        _references(facts),
        _runs(facts),
        _about(facts),
    )
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


@cache
def _style() -> Markup:
    return Markup(Path(__file__).with_name("style.css").read_text(encoding="utf-8"))


# --- the job as a whole ---------------------------------------------------------------------------


def _heading(facts: JobFacts, name: str) -> Markup:
    plan, counts = facts.plan, facts.counts
    doubted = counts[State.IN_DOUBT] + counts[State.SENDING]
    if counts[State.PLANNED]:
        state, kind = f"Not finished: {_counted(counts[State.PLANNED], 'row')} not started", "look"
    elif doubted:
        state, kind = f"Finished, with {_counted(doubted, 'row')} in doubt", "bad"
    elif counts[State.REFUSED]:
        state, kind = f"Finished, with {_counted(counts[State.REFUSED], 'failed row')}", "look"
    else:
        state, kind = "Finished: every row was carried out", ""
    return element(
        "header",
        element("h1", f"Import of {name}"),
        element("p", f"{plan.operation} for {plan.company}, begun {_when(plan.created_at)}", class_="quiet"),
        element("p", state, class_=f"state {kind}".strip()),
        _to_do(facts, doubted),
    )


def _to_do(facts: JobFacts, doubted: int) -> Markup | None:
    """Return what a person should do now; None when there is nothing."""
    counts, steps = facts.counts, []
    if counts[State.PLANNED]:
        steps.append("Give the same command again: it goes on with the rows that were not started.")
    if counts[State.REFUSED]:
        steps.append(
            joined(
                "Failed rows had no effect. Correct them in ",
                element("code", facts.rejects),
                ", and import that file as it stands.",
            )
        )
    if doubted:
        how = (
            "the same command, given again, looks them up by their keys"
            if facts.plan.marker
            else "look for each in the Company before you send it again"
        )
        where = element("code", "in_doubt.csv")
        steps.append(joined("Rows in doubt, in ", where, f", may have been carried out: {how}."))
    return element("ul", (element("li", step) for step in steps), class_="todo") if steps else None


def _totals(facts: JobFacts) -> Markup:
    shown = [
        (outcome_of(state, facts.plan).replace("_", " "), OUTCOMES[state], facts.counts[state])
        for state in (State.DONE, State.FOUND, State.REFUSED, State.PLANNED)
    ]
    doubted = facts.counts[State.IN_DOUBT] + facts.counts[State.SENDING]
    shown.insert(3, ("in doubt", "in_doubt", doubted))
    kept = [each for each in shown if each[2] or each[1] in ("created", "failed", "in_doubt")]
    tiles = [_tile("rows", facts.plan.rows)]
    tiles += [_tile(name, count, style) for name, style, count in kept]
    more = [f"{_counted(facts.plan.empty_rows, 'empty row')} skipped"] if facts.plan.empty_rows else []
    more += [f"{_counted(facts.warned, 'row')} with warnings"] if facts.warned else []
    return element(
        "section",
        element("div", tiles, class_="totals"),
        share_bar([(style, count) for _, style, count in shown]),
        element("p", ", ".join(more), class_="figures") if more else None,
    )


def _tile(name: str, count: int, style: str | None = None) -> Markup:
    return element("div", element("b", f"{count:,}"), element("span", name), class_=style)


# --- time -----------------------------------------------------------------------------------------


def _charts(facts: JobFacts) -> Markup | None:
    bins, pauses = time_bins(facts.samples)
    if not bins:
        return None
    rate = Series("calls", "first", lambda each: each.rate, filled=True)
    median = Series("median", "first", lambda each: each.p50)
    slowest = Series("95th percentile", "second", lambda each: each.p95)
    retries = Series("retries", "first", lambda each: each.retries, filled=True)
    waits = Series("calls that waited", "second", lambda each: each.waits)
    charts = [
        chart("Calls a second", bins, pauses, [rate]),
        chart("Time of a call", bins, pauses, [median, slowest], "ms"),
    ]
    total = sum(each.retries for each in bins), sum(each.waits for each in bins)
    if any(total):
        charts.append(chart(f"Retries and waits in {bins[0].width} s", bins, pauses, [retries, waits]))
    said = (
        f"{_counted(total[0], 'retry', 'retries')}, {_counted(total[1], 'call')} that waited to be sent again"
    )
    if pauses:
        said += "; a dashed line is a pause between two runs, which is left out"
    return element(
        "section",
        element("h2", "Over time"),
        element("div", charts, class_="charts"),
        element("p", f"{said}.", class_="figures"),
    )


# --- rows -----------------------------------------------------------------------------------------


def _failures(facts: JobFacts) -> Markup | None:
    causes = facts.causes
    if not causes:
        return None
    rows = [
        (cause.count, _cut(cause.reason), cause.code, _row_numbers(cause.rows, cause.count))
        for cause in causes[:_MAX_CAUSES]
    ]
    rest = len(causes) - _MAX_CAUSES
    more = f"{_counted(rest, 'more cause')}: see report.json and {facts.rejects}." if rest > 0 else None
    return element(
        "section",
        element("h2", "Failures by cause"),
        _table(("Rows", "Reason of the first", "Code", "Row numbers"), rows),
        element("p", more, class_="figures") if more else None,
    )


def _row_numbers(rows: Sequence[int], count: int) -> str:
    shown = ", ".join(map(str, rows))
    return f"{shown} and {count - len(rows):,} more" if count > len(rows) else shown


def _doubts(facts: JobFacts) -> Markup | None:
    doubted, settled = facts.doubted, facts.settled
    if not doubted.count and not settled.count:
        return None
    parts = [element("h2", "Rows in doubt, and how they were settled")]
    if doubted.count:
        parts.append(_table(("Row", "Line", "Key", "Why", "RequestId"), map(_doubt, doubted.rows)))
        parts += _more(doubted.count - len(doubted.rows), "in_doubt.csv")
    if settled.count:
        text = f"{_counted(settled.count, 'row')} in doubt had been carried out: found by the key."
        rows = [(row.row, row.line, row.key, row.number or str(row.id)) for row in settled.rows]
        listed = _table(("Row", "Line", "Key", "Record that was found"), rows)
        unfolded = "" if len(rows) <= _MAX_UNFOLDED else None
        parts.append(element("details", element("summary", text), listed, open=unfolded))
        parts += _more(settled.count - len(settled.rows), "results.csv")
    return element("section", parts)


def _doubt(row: StoredRow) -> Sequence[Content]:
    reason = row.reason or "it was being sent when the job was killed"
    return (row.row, row.line, row.key, _cut(reason), row.request_id)


def _more(rest: int, name: str, thing: str = "row") -> Iterator[Markup]:
    if rest > 0:
        yield element("p", f"{_counted(rest, f'more {thing}')}: see {name}.", class_="figures")


def _references(facts: JobFacts) -> Markup | None:
    if not facts.references:
        return None
    bad = [each for each in facts.references if each.state != State.DONE]
    said = f"{_counted(len(facts.references) - len(bad), 'record')} that rows refer to created by this job."
    rows = [
        (each.reference, each.name, each.state.name.lower().replace("_", " "), _cut(each.reason or ""))
        for each in bad[:_MAX_REFERENCES]
    ]
    return element(
        "section",
        element("h2", "Records that rows refer to"),
        element("p", said),
        _table(("Reference", "Name", "State", "Reason"), rows) if rows else None,
        *_more(len(bad) - len(rows), "references.csv", "record"),
    )


# --- who, when, where -----------------------------------------------------------------------------


def _runs(facts: JobFacts) -> Markup | None:
    if not facts.runs:
        return None
    rows = [
        (
            run.number,
            _when(run.started_at),
            f"{run.ended_at - run.started_at:,.1f} s" if run.ended_at else "",
            _ending(run),
            f"{run.details.get('user') or 'somebody'} on {run.details.get('host', '')}",
            f"{run.details.get('version', '')}",
        )
        for run in facts.runs
    ]
    names = ("Run", "Began", "Took", "Ended", "By", "Version")
    return element("section", element("h2", "Runs"), _table(names, rows))


def _ending(run: JobRun) -> str:
    if run.ended_at is None:
        return "killed, or not ended yet"
    if stopped := run.details.get("stopped"):
        return _cut(f"stopped: {stopped}")
    return "to its end" if not run.exit_status else f"exit status {run.exit_status}"


def _about(facts: JobFacts) -> Markup:
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
    entries.append(("Command", command_of(plan) or "none: a program began it"))
    more = {name: value for name, value in plan.options.items() if name not in ("command", "global")}
    entries += [(name.capitalize(), str(value)) for name, value in more.items()]
    entries += [
        (f"SHA-256 of {file.name}", joined(element("code", file.sha256), f" ({file.size:,} bytes)"))
        for file in facts.files
    ]
    pairs = (element("div", element("dt", name), element("dd", value)) for name, value in entries)
    return element("section", element("h2", "The job"), element("dl", pairs))


# --- parts ----------------------------------------------------------------------------------------


def _table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Markup:
    listed = list(rows)
    numeric = {name for name, value in zip(names, listed[0], strict=True) if isinstance(value, int)}

    def style(name: str) -> str | None:
        return "number" if name in numeric else "long" if name in _LONG else None

    def line(row: Sequence[Any]) -> Iterator[Markup]:
        for name, value in zip(names, row, strict=True):
            yield element("td", _cell(value), class_=style(name), data_name=name)

    head = element("tr", (element("th", name, scope="col", class_=style(name)) for name in names))
    body = element("tbody", (element("tr", line(row)) for row in listed))
    return element("div", element("table", element("thead", head), body, class_="cards"), class_="wide")


def _cell(value: Any) -> Content:
    return f"{value:,}" if isinstance(value, int) else value


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_REASON else f"{text[:_MAX_REASON]} ..."


def _counted(number: int, thing: str, things: str = "") -> str:
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def _when(value: str | float) -> str:
    """Return a time in UTC, from ISO format or Unix time."""
    if isinstance(value, str):
        try:
            found = datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    else:
        found = datetime.datetime.fromtimestamp(value, datetime.UTC)
    return f"{found.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"
