"""Rules of docs/service.md without a test: ``python -m tests.spec.report``.

A rule has a test when a test is marked with it. One that no mark names may still be cited in a test; then the
report says where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.docs.citations import citations, sections
from tests.docs.pages import ROOT
from tests.spec.rules import NOT_SHOWN, marked
from wosdk_async.catalogue import load

Key = tuple[str, str, str, int]
"""Document, section, ``rule``, ``row`` or empty, and its number."""

OWN_EXAMPLES = ROOT / "tests" / "docs" / "test_service.py"


def rules_of_the_page() -> Iterator[Key]:
    """Yield every section of the page that holds something, and its numbered rules and rows."""
    for (document, section), found in sections(ROOT / "docs" / "service.md").items():
        if found.items:
            yield document, section, "", 0
        yield from ((document, section, "rule", number) for number in found.rules)
        yield from ((document, section, "row", number) for number in found.rows)


def places_in_tests() -> dict[Key, list[str]]:
    """Return where the tests cite each rule."""
    places = defaultdict(list)
    for entry in load().sources_differ:  # test_differences.py has a case of each
        cited = entry["facts"].rpartition("(")[2].rstrip(")")
        for citation in citations(f"facts {cited}"):
            key = (citation.document, citation.section, citation.kind, citation.number)
            places[key].append(f"tests/spec/test_differences.py ({entry['id']})")
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path == OWN_EXAMPLES:
            continue
        text = path.read_text(encoding="utf-8")
        for citation in citations(text):
            line = text.count("\n", 0, citation.position) + 1
            key = (citation.document, citation.section, citation.kind, citation.number)
            places[key].append(f"{path.relative_to(ROOT).as_posix()}:{line}")
    return places


def without_a_test() -> Iterator[tuple[Key, list[str]]]:
    """Yield each rule that no test is marked with, and the tests that cite it."""
    numbered = {(section, rule) for section, rule, _ in marked()} | set(NOT_SHOWN)
    known = {section for section, _ in numbered}
    places = places_in_tests()
    for key in rules_of_the_page():
        document, section, kind, number = key
        has_mark = (section, number) in numbered if kind else section in known
        if document != "spec" or not has_mark:
            yield key, places.get(key, [])


def main() -> None:
    """Print the rules without a mark: first those that no test cites either."""
    found = sorted(without_a_test(), key=lambda each: bool(each[1]))
    for (document, section, kind, number), places in found:
        name = f"{document} {section}" + (f" {kind} {number}" if kind else "")
        print(f"{name}: {'cited in ' + ', '.join(places[:3]) if places else 'no test'}")
    print(f"{sum(not places for _, places in found)} rules without a test, {len(found)} without a mark")


if __name__ == "__main__":
    main()
