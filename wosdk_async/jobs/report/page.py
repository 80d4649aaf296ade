"""``report.html``: one page that needs no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from wosdk_async.jobs.job_commands import rejects_command
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.overview import UNDER_WAY
from wosdk_async.jobs.report.facts import OUTCOMES, JobFacts, outcome_of
from wosdk_async.jobs.report.markup import Markup, counted, element, joined, when
from wosdk_async.jobs.report.sections import about, audit, doubts, failures, references, runs

__all__ = ["report_page", "share_bar"]

_BAR = 1000  # width of the bar, in units of its own
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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
        failures(facts),
        doubts(facts),
        audit(facts),
        references(facts),
        runs(facts),
        about(facts),
    )
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


@cache
def _style() -> Markup:
    return Markup(Path(__file__).with_name("style.css").read_text(encoding="utf-8"))


# --- the job as a whole ---------------------------------------------------------------------------


def _heading(facts: JobFacts, name: str) -> Markup:
    plan, counts = facts.plan, facts.counts
    doubted, under_way = counts[State.IN_DOUBT], counts[State.SENDING]
    if facts.undone is not None:
        state, kind = str(facts.undone).capitalize(), "look"
    elif counts[State.PLANNED]:
        state, kind = f"Not finished: {counted(counts[State.PLANNED], 'row')} not started", "look"
    elif under_way:
        state, kind = f"Not finished: {counted(under_way, 'row')} {UNDER_WAY}", "look"
    elif doubted:
        state, kind = f"Finished, with {counted(doubted, 'row')} in doubt", "bad"
    elif facts.audit_state in ("due", "not clean"):
        state, kind = f"Finished, and the audit is {facts.audit_state}", "bad"
    elif counts[State.REFUSED]:
        state, kind = f"Finished, with {counted(counts[State.REFUSED], 'failed row')}", "look"
    elif not plan.rows:
        state, kind = "Finished: the file has no rows", "look"
    else:
        state, kind = "Finished: every row was carried out", ""
    return element(
        "header",
        element("h1", f"Import of {name}"),
        element("p", f"{plan.operation} for {plan.company}, begun {when(plan.created_at)}", class_="quiet"),
        element("p", state, class_=f"state {kind}".strip()),
        _to_do(facts),
    )


def _to_do(facts: JobFacts) -> Markup | None:
    """Return what a person should do now; None when there is nothing."""
    counts = facts.counts
    steps: list[str | Markup] = []
    if counts[State.PLANNED]:
        steps.append("Run the same import again: it sends the rows that were not started.")
    if facts.changed.count:
        steps.append(
            f"{counted(facts.changed.count, 'row')} changed after being sent, and not sent again: see the "
            "column changed of results.csv."
        )
    if counts[State.REFUSED]:
        steps.append(_failed(facts))
    kinds = [(counts[State.IN_DOUBT], "in doubt"), (counts[State.SENDING], UNDER_WAY)]
    if which := " and ".join(words for count, words in kinds if count):
        how = (
            "the same command, given again, looks them up by their keys"
            if facts.plan.marker
            else "look for each in the Company before you send it again"
        )
        where = element("code", "in_doubt.csv")
        steps.append(joined(f"Rows {which}, in ", where, f", may have been carried out: {how}."))
    if facts.audit_state == "not clean":
        steps.append(
            "Look at the rows of the audit in the Company; the same command, given again, looks them up."
        )
    return element("ul", (element("li", step) for step in steps), class_="todo") if steps else None


def _failed(facts: JobFacts) -> Markup:
    """Return what to do with the rows that failed."""
    command = rejects_command(facts.given, facts.folder / facts.rejects)
    return joined(
        "Failed rows had no effect. Correct them in ",
        element("code", facts.rejects),
        ", and import that file as it stands" + (": " if command else "."),
        element("code", command) if command else "",
    )


def _totals(facts: JobFacts) -> Markup:
    counts, undone = facts.counts, facts.undone.done if facts.undone is not None else 0
    shown = [
        (outcome_of(state, facts.plan).replace("_", " "), OUTCOMES[state], counts[state])
        for state in (State.DONE, State.FOUND, State.REFUSED, State.IN_DOUBT, State.PLANNED)
    ]
    shown += [("undone since", "undone", undone), (UNDER_WAY, "in_doubt", counts[State.SENDING])]
    kept = [each for each in shown if each[2] or each[0] == "in doubt" or each[1] in ("created", "failed")]
    tiles = [_tile("rows", facts.plan.rows)]
    tiles += [_tile(name, count, style) for name, style, count in kept]
    more = [f"{counted(facts.plan.empty_rows, 'empty row')} skipped"] if facts.plan.empty_rows else []
    more += [f"{counted(facts.warned, 'row')} with warnings"] if facts.warned else []
    shares = [(style, count - undone if style == "created" else count) for _, style, count in shown]
    return element(
        "section",
        element("div", tiles, class_="totals"),
        share_bar(shares),
        element("p", ", ".join(more), class_="figures") if more else None,
    )


def _tile(name: str, count: int, style: str | None = None) -> Markup:
    return element("div", element("b", f"{count:,}"), element("span", name), class_=style)


def share_bar(parts: Sequence[tuple[str, int]]) -> Markup:
    """Return one bar that is divided by counts; each part is a class of the style sheet and its count."""
    total = sum(count for _, count in parts) or 1
    drawn, x = [], 0.0
    for style, count in parts:
        width = count / total * _BAR
        if count:
            width = max(width, 4)  # a single row of a million can still be seen
            drawn.append(element("rect", class_=style, x=_number(x), y=0, width=_number(width), height=10))
        x += width
    view = f"0 0 {_number(max(x, 1))} 10"
    return element("svg", drawn, class_="share", viewBox=view, preserveAspectRatio="none", aria_hidden="true")


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
