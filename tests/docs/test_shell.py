"""The shell commands of README and docs: run in one shell for each page, against a local Company.

A block without a language shows what the block before it prints; ``...`` in it stands for anything. Where a
comment says ``parse only``, the syntax is checked, and the commands' options by the commands' own parsers.
``.ci/run`` runs the blocks that it marks.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import click
import pytest
from distributed.cli import dask_scheduler, dask_worker

from tests.docs.pages import ROOT, Block, Page, blocks, pages
from tests.support.preloaded import script
from wosdk_async.cli.app import app
from wosdk_async.sandbox import LocalCompany

MARK = "=== next ==="
RUN = [page for page in pages() if any((b.language, b.note) == ("sh", "") for b in page.blocks)]
CI = {"main-job": "README.md", "tests": "README.md", "cluster": "docs/cluster.md"}
"""Blocks that ``.ci/run`` runs, and their pages."""
PARSED = blocks("sh", "parse only")
DASK: dict[str, click.Command] = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}
WORDS = re.compile(r"\d*>\S*|&|\|.*", re.DOTALL)


def fits(printed: str, expected: str) -> bool:
    """Whether a line is as expected; ``...`` matches anything."""
    return re.fullmatch(".*?".join(map(re.escape, expected.split("..."))), printed) is not None


def run(page: Page, folder: Path) -> list[list[str]]:
    """Return the output of each block of a page, run in one shell in an empty directory beside ``docs``."""
    text = f"\necho '{MARK}'\n".join(b.text for b in page.blocks if (b.language, b.note) == ("sh", ""))
    (folder / "here").mkdir()
    (folder / "here" / "docs").symlink_to(ROOT / "docs")
    own = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with LocalCompany() as local, script(folder / "bin") as path:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            env={**os.environ, **local.variables, "PATH": f"{path}{os.pathsep}{own}"},
            cwd=folder / "here",
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return [part.strip().splitlines() for part in done.stdout.split(MARK)]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.path.name)
def test_every_command_works_and_prints_what_the_page_shows(page: Page, tmp_path: Path) -> None:
    """All blocks of a page, in order."""
    printed = iter(run(page, tmp_path))
    for block, after in pairwise([*page.blocks, None]):
        if block is None or (block.language, block.note) != ("sh", ""):
            continue
        lines = next(printed)
        if after is not None and after.language == "":
            wanted = after.text.strip().splitlines()
            assert len(lines) == len(wanted)
            for line, want in zip(lines, wanted, strict=True):
                assert fits(line, want), f"{after.name}: {line}\n{want}"


def commands(block: Block) -> list[list[str]]:
    """The commands of a block as lists of words, without redirections."""
    found: list[list[str]] = []
    for line in block.text.replace("\\\n", " ").splitlines():
        for part in [*re.split(r"&&|;", line), *re.findall(r"\$\((.*?)\)", line)]:
            words = shlex.split(part, comments=True)
            end = next((i for i, word in enumerate(words) if WORDS.fullmatch(word)), len(words))
            found.append(words[:end])
    return [words for words in found if words]


def parse(words: list[str]) -> None:
    """Parse the options of a ``wosdk`` command without running it.

    Raises:
        click.ClickException: they cannot.
    """
    command: click.Command = app
    context = command.make_context("wosdk", words)
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)


def check(words: list[str]) -> None:
    """Check one command that is not run: its options, and the modules that it names."""
    program = Path(words[0]).name
    if program == "wosdk":
        parse(words[1:])
    if "dask" in words[:-1]:  # behind ssh and srun, too
        name, *options = words[words.index("dask") + 1 :]
        DASK[name].make_parser(click.Context(DASK[name])).parse_args(options)
    if program.startswith("python") and "-m" in words:
        assert importlib.util.find_spec(words[words.index("-m") + 1]), words


@pytest.mark.parametrize("block", PARSED, ids=lambda block: block.name)
def test_what_is_not_run_is_parsed(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bash parses the block, and our commands parse their options."""
    monkeypatch.chdir(ROOT)
    read = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
    assert (read.returncode, read.stderr) == (0, "")
    for words in commands(block):
        check(words)


@pytest.mark.parametrize(
    "line",
    [
        "wosdk query WorkOrder --were 'Id = 1'",
        "wosdk sandbox sreve > x &",
        "ssh node0 env A=1 dask scheduler --protokol tls &",
    ],
)
def test_a_wrong_option_is_found(line: str) -> None:
    """In a command that is only parsed."""
    with pytest.raises(click.UsageError):
        check(commands(Block("x.md", 1, "sh", "parse only", line, closed=True))[0])


def test_the_integration_run_takes_the_marked_blocks() -> None:
    """By their markers."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for note, page in CI.items():
        assert [each.page for each in blocks("sh", note)] == [page]
        assert f"$(shown {note} {page})" in script
