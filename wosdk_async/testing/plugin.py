"""Pytest fixtures.

pytest imports this file in every run, so it imports other modules only when a test uses a fixture.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from wosdk_async import Client, Company
    from wosdk_async.sandbox.faults.state import Faults
    from wosdk_async.testing.clock import SkippingClock
    from wosdk_async.testing.recording import Recording
    from wosdk_async.testing.sandbox import Sandbox

_MARKER = (
    "wosdk(company=NAME, dialect=NAME, empty=BOOL, seed=ROWS, now=MOMENT):"
    " the Company of this test (wosdk_async)"
)
_SETTINGS = ("company", "dialect", "empty", "seed", "now")
_INI = ("company", "dialect")
_PASSED = pytest.StashKey[bool]()
_MAX_SHOWN = 5  # unexpected requests in a failure message
_LONGEST_NAME = 150  # characters of a recording's name; the usual limit is 255, and temporary files add some
_REMEDY = "The fixtures of wosdk_async need its sandbox: pip install 'wosdk_async[sandbox]'"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ini settings and the ``--wosdk-record`` option."""
    parser.getgroup("wosdk_async").addoption(
        "--wosdk-record",
        action="store_true",
        help="record the tests that use wosdk_recording; the WOSDK_* variables name the Company",
    )
    parser.addini("wosdk_company", "Default Company name for tests", default="")
    parser.addini("wosdk_dialect", "Dialect of the test Company: spec or recorded", default="spec")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Store whether the test passed, for its teardown."""
    report = yield
    item.stash[_PASSED] = call.when == "call" and report.passed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a passed test if its program caught the error of an unexpected request."""
    unexpected: list[str] = []
    try:
        yield
    finally:
        if mocks := sys.modules.get("wosdk_async.testing.respx_routes"):
            unexpected = mocks.take_unexpected()
    if item.stash.get(_PASSED, False) and unexpected:
        count, shown = len(unexpected), "\n".join(unexpected[:_MAX_SHOWN])
        pytest.fail(
            f"The program caught the errors of {count} unexpected requests (to allow these, clear"
            f" routes(...).unexpected):\n{shown}",
            pytrace=False,
        )


@pytest.fixture
def wosdk_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Provide this test's Company, in-process and without a socket; see ``docs/testing.md``."""
    settings = _settings(request)
    try:
        from wosdk_async.sandbox import StoreError
        from wosdk_async.testing.sandbox import Sandbox, unmatched_warnings
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("wosdk_async"):
            raise
        pytest.fail(f"{_REMEDY} ({missing})", pytrace=False)
    try:
        sandbox = Sandbox(**settings)
    except (StoreError, ValueError) as error:
        name = getattr(error, "setting", None)
        from_ini = name in _INI and settings[name] == request.config.getini(f"wosdk_{name}")
        source = f"{request.config.inipath}: wosdk_{name}" if from_ini else "@pytest.mark.wosdk"
        raise pytest.fail.Exception(f"{source}: {error}", pytrace=False) from None
    with sandbox:
        yield sandbox
        for warning in unmatched_warnings(sandbox.faults, sandbox.requests):
            request.node.warn(warning)


@pytest.fixture
def wosdk_client(wosdk_sandbox: Sandbox) -> Client:
    """Return a client for this test's Company. It logs in on its first call and need not be closed."""
    return wosdk_sandbox.client()


@pytest.fixture
def wosdk_company(wosdk_client: Client) -> Company:
    """Return this test's Company, ready for calls."""
    return wosdk_client.company()


@pytest.fixture
def wosdk_faults(wosdk_sandbox: Sandbox) -> Faults:
    """Return the faults of this test's Company: ``wosdk_faults.add("status", status=503, first=2)``."""
    return wosdk_sandbox.faults


@pytest.fixture
def wosdk_clock(wosdk_sandbox: Sandbox) -> SkippingClock:
    """Return the clock of this test's Company and clients: ``wosdk_clock.advance(minutes=21)``."""
    return wosdk_sandbox.clock


@pytest.fixture
def wosdk_scrub() -> Any:
    """Override to return a function that removes personal data from recorded bodies (default: None)."""
    return None


@pytest.fixture
def wosdk_recording(request: pytest.FixtureRequest, wosdk_scrub: Any) -> Iterator[Recording]:
    """Provide this test's recording, ``recordings/MODULE.CLASS.TEST.json`` beside the test, for replay.

    A replay fails at the end of the test if an unrecorded request was sent, or if a recorded request was not
    sent and ``wosdk_recording.allow_unplayed`` is not set. With ``pytest --wosdk-record``, record the test
    instead, using the Company named by the WOSDK_* variables. The file is written only if the test passes.
    """
    from wosdk_async.testing.recording import Recording, UnplayedRequestError, UnrecordedRequestError

    path = request.path.parent / "recordings" / f"{_recording_name(request.node)}.json"
    recording = Recording(path, record=request.config.getoption("wosdk_record"), scrub=wosdk_scrub)
    yield recording
    passed = request.node.stash[_PASSED]
    if passed and recording.record:
        recording.save()
    elif passed:
        try:
            recording.require_played()
        except (UnplayedRequestError, UnrecordedRequestError) as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
    elif recording.record:
        kept = "the earlier recording was kept" if path.exists() else "nothing was recorded"
        request.node.add_report_section(
            "teardown", "wosdk_recording", f"The test did not pass, so {kept} ({path})"
        )


def _recording_name(test: pytest.Item) -> str:
    """Return a file name for a test, unique in its folder."""
    names = [node.name for node in test.listchain() if isinstance(node, pytest.Class | pytest.Item)]
    full = ".".join((test.path.stem, *names)).replace("[", "-", 1).removesuffix("]")
    short = re.sub(r"[^\w.-]+", "-", full[:_LONGEST_NAME], flags=re.ASCII)
    # The hash distinguishes names that the replacement or the cut made equal.
    import hashlib  # imported here, because most runs of pytest record nothing

    return short if short == full else f"{short}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def _settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return settings from the ini file and the test's markers; the nearest marker wins."""
    marked: dict[str, Any] = {}
    for marker in request.node.iter_markers("wosdk"):
        unknown = [name for name in marker.kwargs if name not in _SETTINGS]
        if marker.args or unknown:
            wrong = repr(unknown[0]) if unknown else f"{marker.args[0]!r} without a name"
            pytest.fail(f"@pytest.mark.wosdk has {wrong}; it takes {', '.join(_SETTINGS)}", pytrace=False)
        marked = {**marker.kwargs, **marked}
    usual = {name: request.config.getini(f"wosdk_{name}") for name in _INI}
    return {**usual, "company": usual["company"] or (), **marked}
