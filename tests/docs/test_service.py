"""Every citation resolves to a rule, and every rule has a source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.docs.citations import PAGES, Citation, Section, citations, sections
from tests.docs.pages import ROOT
from tests.spec.rules import NOT_SHOWN, RULES
from tests.support.laws import each_of

FOLDERS = ("wosdk_async", "tests", "benchmarks", "docs", ".ci")
KINDS = {".py", ".pyi", ".md", ".json", ".toml"}
TAG = re.compile(r"\[(?:spec|doc|doc:pm|doc:soap|peer|peer:gen|unsure)\]")


@cache
def service() -> dict[tuple[str, str], Section]:
    """Return the sections of the pages of rules."""
    return sections()


def files() -> Iterator[Path]:
    """Yield the files that may cite; this one has citations to nowhere for its own tests."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml"))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS and path != Path(__file__) and path.is_file():
                yield path


@cache
def cited_everywhere() -> list[tuple[str, Citation]]:
    """Return the citations of all files."""
    return [*cited(files())]


def cited(paths: Iterable[Path]) -> Iterator[tuple[str, Citation]]:
    """Yield the citations of some files, each with its place as ``file:line``."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        for citation in citations(text):
            yield f"{name}:{text.count(chr(10), 0, citation.position) + 1}", citation


def broken(found: Iterable[tuple[str, Citation]]) -> list[str]:
    """Return the citations whose section, rule, row or name is on no page."""
    return [
        f"{place}: {citation}" + (f", {citation.name}" if citation.name else "")
        for place, citation in found
        if (section := service().get((citation.document, citation.section))) is None
        or not section.has(citation)
    ]


def test_every_citation_leads_to_a_rule() -> None:
    assert len(cited_everywhere()) > 800
    assert broken(cited_everywhere()) == []


def test_every_section_is_cited() -> None:
    """The pages have only rules that are cited."""
    used = {
        (citation.document, citation.section)
        for place, citation in cited_everywhere()
        if ROOT / place.partition(":")[0] not in PAGES
    }
    used |= {(citation.document, citation.section) for _, citation in indexed()}
    assert service().keys() - used == set()


def indexed() -> Iterator[tuple[str, Citation]]:
    """Yield the sections and rules that tests/spec/rules.py names, as citations."""
    listed = [(section, rule) for section, rules in RULES.items() for rule in rules]
    for section, rule in [*listed, *NOT_SHOWN]:
        kind = "row" if section == "3" else "rule"
        text = f"spec {section} {kind} {rule}" if isinstance(rule, int) else f"spec {section}"
        yield from ((f"rules {section} {rule}", citation) for citation in citations(text))


def differing() -> Iterator[tuple[str, Citation]]:
    """Yield the sections that each entry of the list of differences has in brackets."""
    path = ROOT / "wosdk_async" / "catalogue" / "differences.json"
    for entry in json.loads(path.read_text(encoding="utf-8"))["sources_differ"]:
        for document in ("spec", "facts"):
            brackets = re.search(r"\(([^()]+)\)$", entry[document])
            assert brackets, f"{entry['id']} does not say where {document} has it"
            yield from ((entry["id"], each) for each in citations(f"{document} {brackets[1]}"))


def test_the_tables_of_sections_lead_to_rules() -> None:
    assert broken(indexed()) == []
    assert broken(differing()) == []
    assert {each.number for _, each in differing() if each.section == "12"} == set(range(1, 16))


def test_numbers_are_unique() -> None:
    for key, section in service().items():
        for numbers in (section.rules, section.rows):
            assert len(set(numbers)) == len(numbers), key


def test_every_fact_names_its_source() -> None:
    """Each list item and each row has a tag, and each tag is explained."""
    table, _, rules = "".join(page.read_text(encoding="utf-8") for page in PAGES).partition(
        "## The specification"
    )
    assert set(TAG.findall(rules)) == set(TAG.findall(table))
    facts = [
        item for (document, _), section in service().items() if document == "facts" for item in section.items
    ]
    assert len(facts) > 150
    assert [item for item in facts if not TAG.search(item)] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# spec 4.9 rule 2\n", None),
        ("# spec 4.9 rule 6\n", "1: spec 4.9 rule 6"),
        ("# spec 4.9 row 2\n", "1: spec 4.9 row 2"),
        ("# spec 4.19\n", "1: spec 4.19"),
        ("x = 1  # facts 12 rows 2 and 16\n", "1: facts 12 row 16"),
        ("\n# This was seen in a recording (facts\n# 3.11).\n", "2: facts 3.11"),
        ('"""What was seen (facts 3.3, 3.4 and\n    12 row 99)."""\n', "1: facts 12 row 99"),
        ("# facts 5, Creation traps: the priority\n", None),
        ("# facts 5, Creation\n# traps\n", None),
        ("# facts 5, Nothing of that name\n", "1: facts 5, Nothing of that name"),
        ("# facts appendix Z\n", "1: facts appendix Z"),
    ],
)
def test_a_citation_to_nowhere_is_found(tmp_path: Path, text: str, wrong: str | None) -> None:
    path = tmp_path / "code.py"
    path.write_text(text, encoding="utf-8")
    assert broken(cited([path])) == ([f"code.py:{wrong}"] if wrong else [])


@each_of(
    ("text", "meant"),
    [
        ("facts 5 and 12 row 9", "facts 5|facts 12 row 9"),
        ("facts 12, 3 and 5", "facts 12|facts 3|facts 5"),
        ("Spec 4.9 rules 1 and 2, facts 3.9", "spec 4.9 rule 1|spec 4.9 rule 2|facts 3.9"),
        ("spec 4.9 rule 2, 2.11", "spec 4.9 rule 2|spec 2.11"),
        ("facts 12 rows 6, 7, 8 and 12", "facts 12 row 6|facts 12 row 7|facts 12 row 8|facts 12 row 12"),
        ("facts 3.4, 10 row 19", "facts 3.4|facts 10 row 19"),
        ("Spec 3 rows 3 to 5 against", "spec 3 row 3|spec 3 row 4|spec 3 row 5"),
        ("facts 3.8 to 3.10", "facts 3.8|facts 3.9|facts 3.10"),
        ("spec 4.6, 7; facts 5.1", "spec 4.6|spec 7|facts 5.1"),
        ("Facts 9: 139 entity types", "facts 9"),
        ("the number of facts 7, 4,000 rows", "facts 7"),
        ("spec 2.1, and nothing else", "spec 2.1"),
        ("facts appendix A to 3", "facts appendix A|facts 3"),
        ("It ends here, spec 4.9.", "spec 4.9"),
        ("a spec of 4.9, factsheet 5", ""),
    ],
)
def test_a_list_is_read(text: str, meant: str) -> None:
    assert "|".join(map(str, citations(text))) == meant


GAPS = st.sampled_from([" ", "\n# ", "\n        # ", "\n    "])
NUMBERS = st.lists(st.integers(1, 99), min_size=2, max_size=4)
SECTIONS = st.lists(st.integers(1, 12), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))


@st.composite
def written(draw: st.DrawFn) -> tuple[str, list[Citation]]:
    """A comment with citations, and their meaning."""
    text, meant = "# Because", list[Citation]()
    document, plural = "", False
    for section in draw(st.lists(SECTIONS, min_size=1, max_size=5)):
        gap = draw(GAPS)
        # Behind "rows 2 and 3" a number without a dot is one more row, so that the document is named again.
        again = not document or (plural and "." not in section) or draw(st.booleans())
        if again:
            document = draw(st.sampled_from(["spec", "facts"]))
            text += draw(st.sampled_from([";", ", as in", ":"])) + gap + document + draw(GAPS) + section
        else:
            text += draw(st.sampled_from([",", ", and", " and"])) + gap + section
        kind = draw(st.sampled_from(["", "rule", "row", "rules", "rows"]))
        plural = kind.endswith("s")
        numbers = draw(NUMBERS)[: None if plural else 1]
        if kind:
            *most, last = map(str, numbers)
            text += f"{draw(GAPS)}{kind} " + (f"{', '.join(most)} and " if most else "") + last
            meant += [Citation(document, section, kind.removesuffix("s"), number) for number in numbers]
        else:
            meant.append(Citation(document, section))
    return text + draw(st.sampled_from([".", ")", "\n", ": so it is", ", 4,000 of them"])), meant


@given(written())
def test_what_is_written_is_read(case: tuple[str, list[Citation]]) -> None:
    """Any list of sections, rules and rows, over any line breaks, is parsed correctly."""
    text, meant = case
    assert list(citations(text)) == meant
