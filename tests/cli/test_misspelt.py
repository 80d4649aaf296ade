"""A misspelt command or option of ``wosdk``: the error suggests the one that is meant, and no other."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from wosdk_async.cli.app import app


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("imprt requests.csv", "No such command 'imprt'; did you mean 'import'?"),
        ("jobs shw", "No such command 'shw'; did you mean 'show'?"),
        ("zzz", "No such command 'zzz'."),
        ("query WorkOrder --were x", "No such option '--were'; did you mean '--where'?"),
        ("query WorkOrder --filtr x", "No such option '--filtr'."),
        ("--vresion", "No such option '--vresion'; did you mean '--version'?"),
    ],
)
def test_a_misspelt_name(line: str, message: str) -> None:
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == f"Error: {message}"
