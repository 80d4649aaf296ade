"""``wosdk run``: results of any shape, and files that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.test_run import DONE, HOLD
from tests.support.service import Answer, Service


def nested(levels: int, inner: str = "1") -> str:
    """A list in a list, and so on."""
    return "[" * levels + inner + "]" * levels


@pytest.mark.parametrize("levels", [900, 300])
@pytest.mark.parametrize("inner", ["1", '{"A":12345678901234567890123,"B":0.10}'])
def test_a_result_of_any_depth_is_written(wosdk: Wosdk, scripted: Service, levels: int, inner: str) -> None:
    """The command was carried out, so its result is shown and the status says so, in every form."""
    deep = nested(levels, inner)
    objects = '{"A":' * levels + inner + "}" * levels
    body = f'{{"Deep":{deep},"Objects":{objects},"Id":7}}'
    scripted.handler = lambda _: Answer(body=f'{{"CommandResult": {body}}}'.encode())
    result = wosdk(*HOLD, "--yes", "--json")
    assert (result.exit_code, result.stdout) == (0, f"{body}\n")
    for form in ((), ("--csv",)):
        result = wosdk(*HOLD, "--yes", *form)
        assert (result.exit_code, "7" in result.stdout, "[[[[[[" in result.stdout) == (0, True, True)
    rows = f'{{"Entities": [{{"Data": {body}}}, {{"Data": {{"Id": 8}}}}]}}'.encode()
    scripted.handler = lambda _: Answer(body=rows)
    for form in ((), ("--csv",), ("--json",)):
        result = wosdk("query", "WorkOrder", "--limit", "1", *form)
        assert (result.exit_code, "[[[[[[" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [("none/result.txt", "No such file or directory"), ("file/result.txt", "Not a directory")],
)
@pytest.mark.parametrize("command", [HOLD, ("get", "WorkOrder", "7"), ("query", "WorkOrder")])
def test_a_file_that_cannot_be_written_is_reported_before_anything_is_sent(
    wosdk: Wosdk, scripted: Service, tmp_path: Path, command: tuple[str, ...], name: str, message: str
) -> None:
    """Afterwards would be too late: the work order is changed."""
    (tmp_path / "file").write_bytes(b"")
    result = wosdk(*command, "--output", tmp_path / name)
    assert (result.exit_code, result.output) == (2, f"wosdk: {tmp_path / name}: {message}\n")
    assert (scripted.calls, scripted.tokens) == ([], [])


def test_no_fault_of_a_form_looks_like_a_command_that_was_not_sent(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong after the response is one line that says what was done."""

    def broken(_: object) -> str:
        raise RuntimeError("a fault\nof the form")

    monkeypatch.setattr("wosdk_async.cli.output.formats.json_text", broken)
    scripted.handler = lambda _: DONE
    result = wosdk(*HOLD, "--yes", "--json")
    message = "was carried out (RequestId "
    assert (result.exit_code, message in result.stderr, len(result.stderr.splitlines())) == (8, True, 2)
    assert result.stderr.endswith("could not be written: RuntimeError: a fault of the form\n")
    scripted.handler = lambda _: Answer(body=b'{"Entities": [{"Data": {"Id": 7}}]}')
    result = wosdk("query", "WorkOrder", "--limit", "1", "--json")
    assert (result.exit_code, len(result.stderr.splitlines())) == (8, 1)
