"""What the pages quote from the examples is there, word for word."""

from __future__ import annotations

import textwrap

from tests.docs.pages import ROOT, Block, blocks
from tests.support.laws import each_of

FILES = [path.read_text("utf-8") for path in sorted(ROOT.glob("docs/examples/*.py"))]


def is_quoted(text: str) -> bool:
    """Return whether a file has the text, at whatever depth."""
    deep = [textwrap.indent(text, " " * depth) for depth in (0, 4)]
    return any(each in file for each in deep for file in FILES)


@each_of("block", blocks("python", "quoted"), ids=lambda block: block.name)
def test_a_quotation_is_in_an_example(block: Block) -> None:
    assert is_quoted(block.text)


def test_a_wrong_quotation_is_found() -> None:
    assert not is_quoted("app = create_app(None)\n")
