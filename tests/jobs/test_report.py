"""The report of a job: one page without network and scripts, whose values are shown and never run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.test_outputs import planned
from tests.support.laws import each_of, examples
from wosdk_async.cli.output.reporting import COMMAND_WORDS
from wosdk_async.jobs import open_source
from wosdk_async.jobs.journal import (
    JobPlan,
    JobRun,
    ReferenceRecord,
    RowRecord,
    State,
    StoredRow,
    new_job_id,
)
from wosdk_async.jobs.ledger.undone import UndoState
from wosdk_async.jobs.report import outputs
from wosdk_async.jobs.report.facts import JobFacts
from wosdk_async.jobs.report.outputs import outputs_are_current, report_page, write_outputs

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """The elements of a page, which must all be closed, with their attributes and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def drawn(found: JobFacts) -> str:
    page = report_page(found, COMMAND_WORDS)
    assert page is not None
    return page


def facts(rows: Sequence[StoredRow] = (), **more: Any) -> JobFacts:
    plan = JobPlan(
        job=new_job_id(), file="/data/in.csv", size=9, sha256="1f", company="Acme", map_sha256="2f",
        operation="WoCreateCommand", created_at="2026-11-22T10:00:00+01:00", rows=len(rows),
    )  # fmt: skip
    found = JobFacts(attrs.evolve(plan, **more.pop("plan", {})), Path("/data/in.csv.job"), **more)
    found.add(rows)
    return found


EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&\x00\x1b\u202e"


def everything(text: str) -> JobFacts:
    """A job in which every text is ``text``."""
    rows = [
        StoredRow(1, State.REFUSED, reason=text, code=text, key=text),
        StoredRow(2, State.IN_DOUBT, reason=text, request_id=text, key=text),
        StoredRow(3, State.DONE, number=text, key=text, proof="looked up"),
        StoredRow(4, State.PLANNED, reason=text),
    ]
    details = {"user": text, "host": text, "version": text, "stopped": text}
    return facts(
        rows,
        plan={"file": text, "company": text, "operation": text, "marker": text, "options": {text: text}},
        runs=[JobRun(1, 0.0, 5.0, 1, details), JobRun(2, 9.0, None, None, details)],
        references=[ReferenceRecord(text, text, text, State.REFUSED, reason=text)],
    )


@examples(40)
@given(st.one_of(st.just(EVIL), st.text(max_size=60)))
def test_no_value_becomes_markup(text: str) -> None:
    """Whatever texts a job has, its page has the elements that it has with a plain text."""
    plain, page = Page(drawn(everything("plain"))), Page(drawn(everything(text)))
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert [set(attributes) for _, attributes in page.elements] == [
        set(attributes) for _, attributes in plain.elements
    ]


def test_the_page_needs_no_network_and_no_script() -> None:
    text = drawn(everything(EVIL))
    page = Page(text)
    names = {tag for tag, _ in page.elements}
    assert not names & {"script", "iframe", "img", "object", "embed", "form", "base", "a"}
    assert not {name for _, attributes in page.elements for name in attributes if name.startswith("on")}
    (policy,) = (each["content"] for _, each in page.elements if "http-equiv" in each)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not re.search(r"url\(|@import|https?:", text)
    assert not {"\x00", "\x1b", "\u202e"} & set(text)


def test_failures_are_counted_by_cause() -> None:
    rows = [StoredRow(i, State.REFUSED, reason=f"no Customer is called 'c{i}'") for i in range(1, 31)]
    rows += [StoredRow(i, State.REFUSED, reason="text too long: 70 characters", code="E") for i in (40, 41)]
    found = facts(rows)
    assert [(cause.count, cause.reason, cause.code) for cause in found.causes] == [
        (30, "no Customer is called 'c1'", None),
        (2, "text too long: 70 characters", "E"),
    ]
    text = Page(drawn(found)).text
    assert "15, 16, 17, 18, 19, 20 and 10 more" in text
    assert "40, 41" in text


def test_a_million_causes_take_no_memory() -> None:
    words = ("".join(chr(97 + i // 26**k % 26) for k in range(3)) for i in range(1500))
    found = facts([StoredRow(i, State.REFUSED, reason=word) for i, word in enumerate(words)])
    assert (len(found.causes), found.causes[0].reason, found.causes[0].count) == (1001, "other causes", 500)


@each_of(
    ("states", "heading", "steps"),
    [
        ([State.DONE, State.FOUND], "Finished: all rows are done", 0),
        ([], "Finished: the file has no rows", 0),
        ([State.DONE, State.REFUSED], "Finished, with 1 failed row", 1),
        ([State.DONE, State.IN_DOUBT], "Finished, with 1 row in doubt", 1),
        ([State.IN_DOUBT, State.SENDING], "Not finished: 1 row in flight when the run ended", 1),
        ([State.PLANNED, State.REFUSED, State.IN_DOUBT], "Not finished: 1 row not started", 3),
    ],
)
def test_the_heading_says_what_is_left_to_do(states: list[State], heading: str, steps: int) -> None:
    page = Page(drawn(facts([StoredRow(i, state) for i, state in enumerate(states, 1)])))
    assert heading in page.text
    assert sum(tag == "li" for tag, _ in page.elements) == steps


def test_rows_in_doubt_are_listed_with_how_they_were_settled() -> None:
    rows = [
        StoredRow(7, State.IN_DOUBT, reason="no response", request_id="r7", line=8, key="K7"),
        StoredRow(8, State.SENDING, line=9, key="K8"),
        StoredRow(9, State.DONE, id=5, number="RSC5", proof="looked up", line=10, key="K9"),
        StoredRow(10, State.DONE, id=6, number="RSC6", proof="answered", line=11, key="K10"),
    ]
    text = Page(drawn(facts(rows))).text
    assert "7 8 K7 no response r7" in text
    assert "8 9 K8 in flight when the run ended" in text
    assert "1 in doubt 1 in flight when the run ended" in text
    assert "when the run ended, in in_doubt.csv , may have been carried out" in text
    assert "1 row in doubt had been carried out, as a look-up by key showed." in text
    assert "9 10 K9 RSC5" in text
    assert "RSC6" not in text
    assert "Row Line Key Why RequestId" in text
    unmarked = [StoredRow(7, State.IN_DOUBT, reason="no response", request_id="r7", line=8)]
    assert "Row Line Why RequestId 7 8 no response r7" in Page(drawn(facts(unmarked))).text


BAR = r'<i class="(\w+)" style="flex-grow: (\d+)"></i>'


def test_a_single_row_can_be_seen_in_the_bar() -> None:
    found = facts()
    found.counts.update({State.DONE: 999_999, State.REFUSED: 1})
    page = drawn(found)
    assert re.findall(BAR, page) == [("created", "999999"), ("failed", "1")]
    assert re.search(r"\.share i \{ min-width: [1-9]px;", page)


def test_what_an_undo_took_back_is_not_shown_as_created_any_more() -> None:
    rows = [StoredRow(number, State.DONE) for number in range(1, 11)]
    runs = [JobRun(1, 0.0, 5.0, 0, {"command": "import"}), JobRun(2, 9.0, 9.5, 1, {"command": "undo"})]
    page = drawn(facts(rows, runs=runs, undone=UndoState(8, 10, None)))
    assert re.findall(BAR, page) == [("created", "2"), ("undone", "8")]
    text = Page(page).text
    assert "10 created" in text
    assert "8 undone since" in text
    assert "2, undo" in text
    assert "1, undo" not in text


async def test_without_jinja2_there_is_no_page_and_all_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    outputs._template.cache_clear()
    (tmp_path / "in.csv").write_text("a\n1\n")
    source = open_source(tmp_path / "in.csv")
    async with planned(tmp_path / "job", source) as journal:
        written = await write_outputs(journal, source)
        assert await outputs_are_current(journal)
    assert [each.name for each in written] == ["results.csv", "report.json"]


async def test_the_json_has_plan_counts_runs_and_failures(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a\n1\n2\n3\n")
    source = open_source(tmp_path / "in.csv")
    async with planned(tmp_path / "job", source, marker="po_number") as journal:
        await journal.start_run(options="x")
        await journal.begin_reference(ReferenceRecord("task", "t", "T", State.SENDING))
        journal.record_reference(ReferenceRecord("task", "t", "T", State.DONE, 7))
        journal.record(RowRecord(1, State.DONE, 5, warnings=("cut",)))
        journal.record(RowRecord(2, State.REFUSED, reason="bad\ud800", code="E"))
        journal.record(RowRecord(3, State.IN_DOUBT, reason="no response", request_id="r3"))
        await journal.end_run(1, stopped="asked")
        await write_outputs(journal, source)
    report = json.loads((tmp_path / "job" / "report.json").read_text())
    assert report["plan"]["marker"] == "po_number"
    assert report["counts"] == {
        "created": 1,
        "found": 0,
        "failed": 1,
        "in_doubt": 1,
        "sending": 0,
        "not_started": 0,
    }
    assert report["rows_with_warnings"] == 1
    assert [(run["number"], run["exit_status"], run["details"]["stopped"]) for run in report["runs"]] == [
        (1, 1, "asked")
    ]
    assert report["runs"][0]["started_at"].endswith("+00:00")
    assert report["failures"] == [{"reason": "bad?", "code": "E", "count": 1, "rows": [2]}]
    doubt = {"row": 3, "line": 4, "key": "K3", "reason": "no response", "request_id": "r3"}
    assert report["in_doubt"] == [doubt]
    (reference,) = report["references"]
    assert (reference["name"], reference["state"], reference["id"]) == ("t", "done", 7)


def test_the_last_runs_are_shown() -> None:
    runs = [JobRun(number, 0.0, 5.0, 0, {"version": f"v{number}."}) for number in range(1, 62)]
    text = Page(drawn(facts(runs=runs))).text
    assert "11 more runs: see report.json." in text
    assert ("v11." in text, "v12." in text, "v61." in text) == (False, True, True)
