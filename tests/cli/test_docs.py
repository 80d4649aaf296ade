"""Every example of ``docs/cli.md`` gives what stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.cli.conftest import ROOT, Wosdk
from tests.docs.pages import read
from wosdk_async.cli.app import app

PAGE = ROOT / "docs" / "cli.md"
STEADY = (  # what differs from run to run, and what is written for it
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:8900"),
    (re.compile(r"\b\d+\.\d{3} s"), "0.002 s"),
    (re.compile(r" in \d+\.\d s"), " in 0.1 s"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "5f3c..."),
)


def examples() -> list[tuple[str, str]]:
    """Command lines of the page, each with what it is said to print."""
    found = []
    for block in read(PAGE).blocks:
        if block.language != "console":
            continue
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, expected = part.partition("\n")
            found.append((line, expected))
    return found


def printed(wosdk: Wosdk, line: str) -> str:
    """What a command line of the page prints, stdout and stderr, as steady as the page."""
    program, *arguments = shlex.split(line)
    if program == "head":
        count, name = arguments
        text = "".join(Path(name).read_text(encoding="utf-8").splitlines(keepends=True)[: -int(count)])
    else:
        assert program == "wosdk"
        text = wosdk(*arguments).output
    for pattern, steady in STEADY:
        text = pattern.sub(steady, text)
    return "".join(f"{each.rstrip()}\n" for each in text.splitlines())


def fits(expected: str, output: str) -> bool:
    """Return whether ``output`` is as expected.

    A line of three dots stands for any lines. The size of a response is that of the sandbox's dialect.
    """
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*")
    pattern = re.sub(r"\d+\\ bytes\\ received", r"\\d+\\ bytes\\ received", pattern)
    return re.fullmatch(pattern, output) is not None


def test_the_page_shows_every_command() -> None:
    """No command is without its example, or its own page."""
    text = PAGE.read_text(encoding="utf-8")
    assert len(examples()) > 12
    shown = [line for line, _ in examples()]
    for command in app.list_commands(click.Context(app)):
        assert any(f"wosdk {command}" in line for line in shown) or f"`wosdk {command}" in text, command


@pytest.mark.usefixtures("served")
def test_every_example_prints_what_the_page_says(
    wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The examples, one after the other, against a new local Company."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WOSDK_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("COLUMNS", "118")
    for line, expected in examples():
        assert expected
        output = printed(wosdk, line)
        assert fits(expected, output), f"{line}\n{output}"
