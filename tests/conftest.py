"""Settings of the whole suite: Hypothesis, the loop, signals, the dialect of the sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support.laws import register_profiles
from tests.support.tls import trust_certificate, use_tls
from wosdk_async.sandbox import open_store

register_profiles()


@pytest.fixture(scope="session")
def dialect() -> str:
    """Return ``WOSDK_TEST_DIALECT``, or the specification's; the suite passes on both."""
    return os.environ.get("WOSDK_TEST_DIALECT", "spec")


@pytest.fixture(scope="session")
def seeded_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a new local Company: copying it is quicker than making it."""
    path = tmp_path_factory.mktemp("seeded") / "store.db"
    open_store(path).close()
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return a real browser: one for the whole run, as Playwright cannot be started twice."""
    from tests.console.browser import chromium

    with chromium() as launched:
        yield launched


def pytest_configure() -> None:
    """Run on the event loop that ``WOSDK_TEST_LOOP`` names, ``uvloop`` or asyncio's own."""
    _keep_compiled_code()
    _let_signals_reach_children()
    _keep_files_in_memory()
    trust_certificate()
    if os.environ.get("WOSDK_TEST_LOOP") == "uvloop":
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the servers of this test speak TLS with ``WOSDK_TEST_TLS=1``, unless it is marked ``plain``."""
    use_tls(plain=item.get_closest_marker("plain") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Take what is there once all tests are collected out of garbage collection.

    It is 600,000 objects, and none of them ends before the run. A full collection with them takes half a
    second and more, and there are some hundred: those of the collector, and ``gc.collect()`` in tests.

    What remains is small, so Python's thresholds collect too often: it would take 9 s of CPU in all.
    """
    gc.disable()
    try:
        _share_compiling(session.config)
        return (yield)
    finally:
        gc.freeze()  # garbage, too: a worker would need half a second to collect it
        gc.set_threshold(10_000, 50, 50)
        gc.enable()


def _share_compiling(config: pytest.Config) -> None:
    """Let each worker import the test modules from another one on: what it compiles, the others read.

    In one order each of them compiles each file, as the others do at the same time: 10 s of CPU for each
    worker after a checkout.
    """
    if not (worker := getattr(config, "workerinput", None)):
        return
    root, asked = config.rootpath, [Path(each.partition("::")[0]).absolute() for each in config.args]
    files = [file for file in sorted((root / "tests").rglob("test_*.py")) if {file, *file.parents} & {*asked}]
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in (*files[first:], *files[:first]):
        # Collection meets what fails again, and reports it.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(root).with_suffix("").parts))


def _keep_compiled_code() -> None:
    """Let this process and those that tests start write bytecode, though ``PYTHONDONTWRITEBYTECODE`` is set.

    Without it each of some hundred commands compiles the package anew, and each worker rewrites the
    assertions of all test files: 13 s of CPU before its first test.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


_MEMORY, _ROOM = Path("/dev/shm"), 2 << 30  # noqa: S108 - pytest makes a folder of its own there


def _keep_files_in_memory() -> None:
    """Make temporary files in memory where there is room, unless ``TMPDIR`` says where.

    A journal waits for the disk at each commit: that is half the time of a test that imports.
    """
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK):
        free = os.statvfs(_MEMORY)
        if free.f_bavail * free.f_frsize >= _ROOM:
            os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


def _let_signals_reach_children() -> None:
    """Ignore by a handler what the parent process ignores, as ``nohup`` and ``&`` in a script make it do.

    A child inherits that a signal is ignored, and no handler: tests send signals to the commands they start.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that a dialect can change: ``-m dialects`` runs them alone."""
    for item in items:
        if "dialect" in getattr(item, "fixturenames", ()):
            item.add_marker("dialects")
