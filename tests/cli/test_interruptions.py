"""How a command ends on Ctrl-C or a closed pipe, and what a terminal gets: a process with real signals."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import threading
import time

import pytest

from tests.cli.conftest import COMMAND, ROOT, spawn
from tests.support.preloaded import python
from tests.support.service import Answer, Request, Service


def stopped(process: subprocess.Popen[str]) -> tuple[float, str, str]:
    """Ctrl-C: seconds until the process has ended, and what it printed."""
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    return time.monotonic() - started, stdout, stderr


def running(code: str) -> subprocess.Popen[str]:
    """Start Python with this code in a process of its own."""
    return python(code, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("query", "WorkOrder"), ["wosdk: interrupted"]),
        (
            ("run", "WoOnHoldCommand", "WorkOrderId=7", "ActionReasonId=1"),
            ["took effect before you run it again: wosdk get", "wosdk: interrupted"],
        ),
    ],
)  # fmt: skip
def test_ctrl_c_ends_within_a_second(
    scripted: Service, arguments: tuple[str, ...], message: list[str]
) -> None:
    """130, no traceback, and what was sent is reported."""
    asked = threading.Event()

    async def silent(_: Request) -> Answer:
        asked.set()
        await asyncio.Event().wait()
        return Answer()

    scripted.handler = silent
    process = spawn(*arguments)
    try:
        assert asked.wait(20)
        seconds, stdout, stderr = stopped(process)
    finally:
        process.kill()
    assert (process.returncode, stdout) == (130, "")
    assert seconds < 1.5  # one, and room for a busy machine
    assert "Traceback" not in stderr
    lines = stderr.splitlines()[-len(message) :]
    assert all(text in line for text, line in zip(message, lines, strict=True))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_more_signal_after_the_command_has_ended(number: signal.Signals) -> None:
    """Python waits for a thread then. The process ends with the status of the command, and quietly."""
    code = (
        "import threading, wosdk_async.cli.app as app\n"
        "from wosdk_async.cli import main\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "threading._register_atexit(print, 'ending', flush=True)\n"
        "app.app = lambda **_: (_ for _ in ()).throw(SystemExit(6))\n"
        "main()\n"
    )
    process = running(code)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ending\n"
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", "")
    finally:
        process.kill()
    assert process.returncode == 6


def test_ctrl_c_does_not_wait_for_what_cannot_be_interrupted() -> None:
    """A thread that hangs, as one that asks a dead name server does, is left behind."""
    code = (
        "import asyncio, threading\n"
        "from wosdk_async.cli.runner import Runner\n"
        "from wosdk_async.cli.options import Target\n"
        "async def hang():\n"
        "    task = asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)\n"
        "    print('hanging', flush=True)\n"
        "    await task\n"
        "names = {'COMPANY': 'A', 'CLIENT_ID': 'b', 'CLIENT_SECRET': 'c'}\n"
        "variables = {f'WOSDK_{name}': value for name, value in names.items()}\n"
        "with Runner(Target(), variables) as runner:\n"
        "    runner.run(hang())\n"
    )
    process = running(code)
    assert process.stdout is not None
    assert process.stdout.readline() == "hanging\n"
    seconds, _, _ = stopped(process)
    assert process.returncode == 130
    assert seconds < 1.5


@pytest.mark.parametrize("form", ["--json", "--unchecked"])
def test_a_reader_that_goes_away_ends_it_quietly(scripted: Service, form: str) -> None:
    """As with ``| head -1``: no message, and the status that shells show for it."""
    pages = iter(range(1, 10_000))

    def endless(_: Request) -> Answer:
        page = next(pages)
        return Answer(
            body={"Entities": [{"Data": {"Id": page * 1000 + i, "Name": "x" * 50}} for i in range(1000)]}
        )

    scripted.handler = endless
    process = spawn("query", "Customer", "--all", form)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 141
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.stderr.close()


@pytest.mark.parametrize("arguments", [("describe",), ("--help",)])
def test_a_reader_that_was_never_there(arguments: tuple[str, ...]) -> None:
    """What is still in a buffer when the program ends makes no noise either."""
    reader, writer = os.pipe()
    os.close(reader)
    process = spawn(*arguments, stdout=writer)
    os.close(writer)
    _, message = process.communicate()
    assert (process.returncode, message) == (141, "")


def on_a_terminal(*arguments: str) -> tuple[int, str, str]:
    """Run a command on a terminal of 40 columns: its exit status, what is shown, and its stderr."""
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", "40"], stdin=theirs, check=True)
    environ = {**os.environ, "TERM": "xterm-256color"}
    environ.pop("NO_COLOR", None)
    process = spawn(*arguments, env=environ, stdin=theirs, stdout=theirs)
    os.close(theirs)
    _, message = process.communicate()
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    return process.returncode, shown, message


@pytest.mark.usefixtures("seeded")
def test_a_terminal_gets_color_and_its_width() -> None:
    """On a terminal rows are cut to it; in a pipe there is no control code and nothing is cut to 80."""
    plain, _ = spawn("query", "Location", "--limit", "3").communicate()
    assert "\x1b" not in plain
    _, shown, message = on_a_terminal("query", "Location", "--limit", "3")
    assert "\x1b[1m" in shown
    assert "Riverside Campus" in shown
    assert "more columns do not fit; select columns with -p" in message


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_no_text_steers_the_terminal_it_is_shown_on(scripted: Service, form: str) -> None:
    """Escape sequences, C1 controls and marks of direction in values and names are shown, not obeyed."""
    evil = "a\x1b]0;owned\x07\x9b31m\u202e\nb"
    rows = [{"Data": {evil: evil, "Id": number}} for number in (1, 2)]
    scripted.handler = lambda _: Answer(body={"Entities": rows})
    status, shown, message = on_a_terminal("query", "Customer", "--limit", "1", form)
    assert (status, message.count("\n")) == (0, 1)
    assert message.startswith("wosdk: 1 row shown; there are more")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    if form == "--csv":
        safe = r"a\x1b]0;owned\x07\x9b31m\u202e\nb"
        assert sorted(shown.split()) == sorted([f"Id,{safe}", f"1,{safe}"])


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (("--help",), {"rich"}),
        (("mcp", "--help"), {"mcp", "mcp_types", "pydantic", "wosdk_async.mcp"}),
        (("describe", "WorkOrder"), set[str]()),
    ],
)
def test_what_needs_no_network_loads_no_http(arguments: tuple[str, ...], more: set[str]) -> None:
    """httpx takes longer to import than all the rest."""
    command = [COMMAND[0], "-X", "importtime", *COMMAND[1:], *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "wosdk_async.cli.app" in loaded
    unwanted = {"httpx", "httpx2", "starlette", "wosdk_async.sandbox", "wosdk_async.jobs"}
    assert not (unwanted | more) & loaded
