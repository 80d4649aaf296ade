"""A misspelt command or option of ``wosdk``: the error suggests the one that is meant."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from wosdk_async.cli.app import app


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("imprt requests.csv", "No such command 'imprt'; did you mean 'import'?"),
        ("jobs shw", "No such command 'shw'; did you mean 'show'?"),
        ("zzz", "No such command 'zzz'."),
    ],
)
def test_a_misspelt_name(line: str, message: str) -> None:
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == f"Error: {message}"


@pytest.mark.parametrize(
    ("line", "meant"), [("query WorkOrder --were x", "--where"), ("--vresion", "--version")]
)
def test_a_misspelt_option(line: str, meant: str) -> None:
    """In the words of click."""
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert re.search(f"No such option.*Did you mean.*{meant}", done.stderr)
