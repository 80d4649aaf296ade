"""Rules of the service and their cases on each side: ``python -m tests.spec.report``.

A case is a test that is marked with the rule, or that cites it. It is one of the sandbox if it speaks to a
sandbox without the client, one of the client otherwise; a test of the client on the sandbox is one of both.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.citations import citations, sections
from tests.docs.pages import ROOT
from tests.spec.rules import NOT_SHOWN, ONE_SIDED, RULES, Rule, marked
from wosdk_async.catalogue import load

Key = tuple[str, str, str, int]
"""Document, section, ``rule``, ``row`` or empty, and its number."""

TESTS = ROOT / "tests"
OWN_EXAMPLES = TESTS / "docs" / "test_service.py"
SIDES = ("client", "sandbox")
_RAW = {"local", "either", "variables", "acme", "recorded", "both", "http", "store", "order", "pair"}
"""Fixtures of a sandbox that is spoken to without the client."""


def rules_of_the_page() -> Iterator[Key]:
    """Yield every section that holds something, and its numbered rules and rows."""
    for (document, section), found in sections().items():
        if found.items:
            yield document, section, "", 0
        yield from ((document, section, "rule", number) for number in found.rules)
        yield from ((document, section, "row", number) for number in found.rows)


@cache
def tests_of(path: Path) -> dict[str, tuple[range, set[str]]]:
    """Return the tests of a file: name -> its lines and its sides. The empty name is the whole file."""
    text = path.read_text(encoding="utf-8")
    found = {}
    for each in ast.walk(ast.parse(text)):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test_"):
            first = min([each.lineno, *(decorator.lineno for decorator in each.decorator_list)])
            lines = range(first, (each.end_lineno or 0) + 1)
            arguments = {argument.arg for argument in each.args.args}
            found[each.name] = lines, _sides(path, arguments, ast.get_source_segment(text, each) or "")
    return found | {"": (range(len(text)), set().union(*(sides for _, sides in found.values())))}


def _sides(path: Path, arguments: set[str], source: str) -> set[str]:
    of_sandbox = path.parent.name in ("sandbox", "console")
    of_spec = path.parent.name == "spec" and (arguments & _RAW or "LocalCompany" in source)
    if not (of_sandbox or of_spec):
        return {"client", "sandbox"} if path.parent.name == "spec" and "company" in arguments else {"client"}
    return {"sandbox", "client"} if arguments & {"company", "client"} or "Client" in source else {"sandbox"}


def cases() -> dict[Key, dict[str, list[str]]]:
    """Return where tests cite each rule, by side."""
    places: dict[Key, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for entry in load().sources_differ:  # test_differences.py has a case of each
        cited = entry["facts"].rpartition("(")[2].rstrip(")")
        for each in citations(f"facts {cited}"):
            key = each.document, each.section, each.kind, each.number
            places[key]["client"].append(f"tests/spec/test_differences.py ({entry['id']})")
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8") if path != OWN_EXAMPLES else ""
        for each in citations(text):
            line = text.count("\n", 0, each.position) + 1
            key = each.document, each.section, each.kind, each.number
            for side in next(sides for lines, sides in tests_of(path).values() if line in lines):
                places[key][side].append(f"{path.relative_to(ROOT).as_posix()}:{line}")
    return places


def marked_sides() -> dict[tuple[str, Rule], set[str]]:
    """Return the sides on which each rule of the specification has a marked test."""
    found: dict[tuple[str, Rule], set[str]] = defaultdict(set)
    for section, rule, name in marked():
        module, _, test = name.partition("::")
        found[section, rule] |= tests_of(TESTS / "spec" / f"{module}.py")[test][1]
    return found


def missing() -> Iterator[tuple[str, Rule, str]]:
    """Yield section, rule and side where a rule has no case, and ``rules.py`` no reason."""
    of_spec, cited = marked_sides(), cases()
    places: dict[tuple[str, Rule], set[str]] = {
        (f"spec {section}", rule): of_spec[section, rule]
        for section, rules in RULES.items()
        for rule in rules
    }
    for document, section, kind, number in rules_of_the_page():
        if document == "facts" or section not in {*RULES, *(section for section, _ in NOT_SHOWN)}:
            key = f"{document} {section}", number if kind else ""
            places.setdefault(key, set()).update(cited[document, section, kind, number])
    for (section, rule), sides in places.items():
        for side in SIDES:
            if side not in sides and not {(section, rule, side), (section, "", side)} & ONE_SIDED.keys():
                yield section, rule, side


def main() -> None:
    """Print the rules that lack a case on a side, and the reasons of those that need none."""
    for (section, rule, side), reason in sorted(ONE_SIDED.items(), key=str):
        print(f"{section} {rule}".rstrip() + f": none of the {side}: {reason}")
    found = [f"{section} {rule}".rstrip() + f": no case of the {side}" for section, rule, side in missing()]
    print("\n".join([*found, f"{len(found)} rules lack a case on a side"]))


if __name__ == "__main__":
    main()
