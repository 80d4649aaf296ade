"""Docs, messages, docstrings and comments use the words of the trade, not those of ``english.toml``.

``python -m tests.docs.test_english`` lists all places, and counts them for each part.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.pages import ROOT
from tests.support.laws import each_of

_GAP = r'(?:[\s#"]|\bf(?="))+'  # comments and messages continue on the next line
_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1|<!--.*?-->", re.MULTILINE | re.DOTALL)


@cache
def patterns() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], str], ...]]:
    """Return the pattern of any word, in lower case, and pattern and replacement of each one."""
    words = tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))
    each = {word.replace(" ", _GAP): use for word, use in words.items()}
    return re.compile(rf"(?<!\w)(?:{'|'.join(each).lower()})(?!\w)"), tuple(
        (re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE), use) for pattern, use in each.items()
    )


def mistakes(name: str, text: str) -> Iterator[str]:
    """Yield file, line, word, and the word to use instead."""
    if name.endswith(".md"):
        text = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    any_word, each_word = patterns()
    if not any_word.search(text.lower()):  # an eighth of the time of one after the other
        return
    for pattern, use in each_word:
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line}: {' '.join(found[0].split())!r}: {use}"


@cache
def parts() -> dict[str, list[Path]]:
    """Return the files of each package, module and page."""
    found = {
        folder: list((ROOT / folder).rglob("*.py"))
        for folder in ("benchmarks", "docs/builder", "docs/examples", "tests/docs")
    }
    for path in (ROOT / "wosdk_async").rglob("*.*"):
        if path.suffix in (".html", ".jinja", ".js", ".md", ".py"):
            package = path.relative_to(ROOT / "wosdk_async").parts[0]
            found.setdefault(package, []).append(path)
    pages = (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/api/*.md"))
    return found | {path.relative_to(ROOT).as_posix(): [path] for path in pages}


def read(path: Path) -> str:
    """Return the text of a file; of the changelog the part that is not released."""
    text = path.read_text(encoding="utf-8")
    return text.partition("\n## 0.")[0] if path.name == "CHANGELOG.md" else text


def found(part: str) -> list[str]:
    """Return the mistakes of one part."""
    return [
        each
        for path in sorted(parts()[part])
        for each in mistakes(path.relative_to(ROOT).as_posix(), read(path))
    ]


@each_of("part", sorted(parts()))
def test_no_private_words(part: str) -> None:
    assert found(part) == []


@each_of(
    ("name", "text", "lines"),
    [
        ("a.py", '"""It goes\n\n    on."""\n', [1]),
        ("a.py", "x = 1\n# What became\n# of it\n", [2]),
        ("a.py", 'raise ValueError("it goes "\n    f"on")', [1]),
        ("a.py", "class Amended: ...  # from now on; going on to the next", []),
        ("a.md", "```sh\ngoes\non\n```\n<!-- goes\non -->\nGoes\non\n", [7]),
    ],
)
def test_a_private_word_is_found(name: str, text: str, lines: list[int]) -> None:
    assert [int(each.split(":")[1]) for each in mistakes(name, text)] == lines


if __name__ == "__main__":
    everything = {part: found(part) for part in sorted(parts())}
    print(*(each for all_of_it in everything.values() for each in all_of_it), sep="\n")
    print(*(f"{part} {len(each)}" for part, each in everything.items() if each), sep="\n")
