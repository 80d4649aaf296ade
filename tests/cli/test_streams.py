"""Output that cannot be written: a full disk, and streams that were closed before the command began."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, EXAMPLES, ROOT, spawn
from tests.support.laws import some
from tests.support.service import Answer, Service


def on_a_full_disk(*arguments: str, code: str = "") -> tuple[int, list[str]]:
    """Run a command whose stdout takes nothing: its exit status, and the lines on stderr."""
    with Path("/dev/full").open("w") as full, spawn(*arguments, code=code, stdout=full) as process:
        _, stderr = process.communicate()
    return process.returncode, stderr.splitlines()


@pytest.mark.parametrize("arguments", some(["--help", "--version", "completion bash", "describe WOType"], 2))
def test_a_full_disk_is_one_line(arguments: str) -> None:
    """Also for what fits into a buffer, and for the texts of the command line itself."""
    assert on_a_full_disk(*arguments.split()) == (2, ["wosdk: No space left on device"])


@pytest.mark.parametrize(
    ("arguments", "read"),
    [("get Customer 512", "the record was"), ("query Customer --json", "the rows were")],
)
@pytest.mark.usefixtures("seeded")
def test_a_full_disk_after_a_read(arguments: str, read: str) -> None:
    """The status says that it was read."""
    why = "but the result could not be written: stdout: No space left on device"
    assert on_a_full_disk(*arguments.split()) == (8, [f"wosdk: {read} read, {why}"])


def test_a_full_disk_after_a_command(scripted: Service) -> None:
    """The status says that it was carried out."""
    scripted.handler = lambda _: Answer(body={"CommandResult": {"Wo": {"Id": 7}}})
    status, (_, line) = on_a_full_disk("run", "WoStartCommand", "WorkOrderId=7")
    assert status == 8
    assert line.startswith("wosdk: WoStartCommand was carried out (RequestId ")
    assert line.endswith("), but the result could not be written: stdout: No space left on device")


def test_a_full_disk_that_is_met_at_the_very_end() -> None:
    """A command that leaves its output in the buffer does not end well either."""
    code = (
        "import click, sys\n"
        "from wosdk_async.cli.app import Wosdk\n"
        "@click.group(cls=Wosdk, invoke_without_command=True)\n"
        "def app(): sys.stdout.write('kept in the buffer')\n"
        "app()"
    )
    assert on_a_full_disk(code=code) == (2, ["wosdk: stdout: No space left on device"])


def closed(stream: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process whose ``stream`` is closed, as ``>&-`` does it."""
    shell = ["sh", "-c", f'exec "$@" {stream}', "sh", *COMMAND, *arguments]
    return subprocess.run(
        shell, cwd=ROOT, text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


MAP = ("--map", str(EXAMPLES / "sf311.toml"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "WoPickUpCommand", "WorkOrderId=7"),
        ("query", "WorkOrder"),
        ("import", str(EXAMPLES / "requests.csv"), *MAP, "--yes"),
    ],
    ids=["run", "query", "import"],
)
def test_nothing_is_sent_when_stdout_is_closed(scripted: Service, arguments: tuple[str, ...]) -> None:
    """The result would be lost."""
    process = spawn(
        *arguments, code="import os, sys; os.close(1); sys.stdout = None"
    )  # as Python starts then
    _, stderr = process.communicate()
    remedy = "" if arguments[0] == "import" else ", or name a file with --output"
    message = f"wosdk: stdout is closed, so the result would be lost; open it{remedy}\n"
    assert (process.returncode, stderr) == (2, message)
    assert (scripted.calls, scripted.tokens) == ([], [])


def test_what_needs_no_stdout_works_without_it(scripted: Service, tmp_path: Path) -> None:
    """A result that goes to a file is written; what only shows something says that it cannot."""
    scripted.handler = lambda _: Answer(body={"CommandResult": {"Wo": {"Id": 7}}})
    arguments = ("run", "WoPickUpCommand", "WorkOrderId=7", "--json", "-o", str(tmp_path / "made"))
    assert closed(">&-", *arguments).returncode == 0
    assert (tmp_path / "made").read_text() == '{"Wo":{"Id":7}}\n'
    done = closed(">&-", "describe", "WOType")
    assert (done.returncode, done.stderr) == (2, "wosdk: not writable\n")


def test_closed_stdin_and_stderr(scripted: Service) -> None:
    """There is nothing on the one, and what goes to the other is lost."""
    done = closed("<&-", "run", "WoPickUpCommand", "--json-body", "-")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("wosdk: --json-body -: ")
    scripted.handler = lambda _: Answer(body={"Entities": []})
    assert closed("2>&-", "query", "WorkOrder", "--all").returncode == 0
