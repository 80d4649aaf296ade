"""The picture of an import in the README: what a terminal showed, in one file that loads nothing."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.docs import terminal
from tests.docs.pages import blocks


def words(svg: str) -> str:
    """What a picture shows."""
    return re.sub(r"<[^>]+>", " ", svg.partition("</defs>")[2]).replace("&#160;", " ")


@pytest.mark.parametrize("name", terminal.THEMES)
def test_a_screen_is_drawn_with_its_colours_and_without_fonts_from_elsewhere(name: str) -> None:
    svg = terminal.picture(name, "\x1b[32m14/14\x1b[0m done")
    assert "14/14" in words(svg)
    assert "done" in words(svg)
    assert len(set(re.findall(r"fill: (#\w+)", svg))) >= 2
    assert "url(" not in re.sub(r"url\(#", "", svg)


@pytest.mark.parametrize("name", terminal.THEMES)
def test_the_picture_shows_the_command_of_the_readme(name: str) -> None:
    """All of its rows were created."""
    text = (terminal.IMAGES / f"import-{name}.svg").read_text(encoding="utf-8")
    (readme,) = blocks("sh", "main-job")
    assert shlex.split(terminal.COMMAND)[1:] == shlex.split(readme.text)[-5:]
    assert terminal.COMMAND in words(text)
    assert "14 created, 0 failed, 0 in doubt" in words(text)
    assert "@font-face" not in text


def test_only_the_last_state_of_a_line_is_shown() -> None:
    """A bar erases its line and writes it again."""
    assert terminal.last_screen(b"\x1b[2Krows 0/2\r\x1b[2Krows 2/2\r\ndone\r\n") == "rows 2/2\ndone\n"
