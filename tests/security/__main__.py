"""Switch each protection off once, in a copy of the package, and check that its tests fail.

A test that passes without its protection, hangs, or fails because the edit broke an import proves nothing:
the command then exits with 1.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

from tests.security.switches import ROOT, Switch, load

COPIED = (
    *("wosdk_async", "tests", "docs", "benchmarks", ".ci"),
    *("pyproject.toml", "README.md", "CHANGELOG.md", "SECURITY.md"),
)
PLUGINS = ("no:cacheprovider", "asyncio", "wosdk")
"""Plugins that the tests need: loading all that are installed takes longer than most of the tests."""
MAX_SECONDS = 300  # for each test
MAX_MEMORY = 6 << 30  # bytes of a process: what protects the memory is switched off, too
FAILURE = re.compile(r"^(?:FAILED|ERROR) (?P<test>[^\s\[]+)(?:\[.*?\])?(?: - (?P<why>.*))?$", re.MULTILINE)
BROKEN_EDIT = re.compile(r"(?:ImportError|ModuleNotFoundError|NameError|SyntaxError|UnboundLocalError)\b")


def main() -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.security", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="protections to switch off (default: all)")
    parser.add_argument("--list", action="store_true", help="list the protections and exit")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many at a time (default: 1)")
    options = parser.parse_args()
    switches = {each.id: each for each in load()}
    if unknown := set(options.ids) - switches.keys():
        parser.error(f"no such protection: {', '.join(sorted(unknown))}; see --list")
    chosen = [switches[id] for id in options.ids or switches]
    if options.list:
        for each in chosen:
            print(f"{each.id:24} {each.file}", *each.tests, sep="\n    ")
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    with tempfile.TemporaryDirectory(prefix="wosdk-security-") as folder:
        copies = [copy_into(Path(folder, str(number))) for number in range(options.jobs)]
        return check(chosen, copies)


def copy_into(root: Path) -> Path:
    """Copy what the tests need to ``root``, with the compiled files."""
    root.mkdir()
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, root / name)
    return root


def check(switches: list[Switch], copies: list[Path]) -> int:
    """Check the switches, one at a time in each copy; print a line for each and return the exit status."""
    free: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def checked(switch: Switch) -> bool:
        copy, begun = free.get(), time.monotonic()
        try:
            problem, reason = without(switch, copy)
        finally:
            free.put(copy)
        verdict, seconds = "BAD" if problem else "ok ", time.monotonic() - begun
        print(f"{verdict} {switch.id:24} {seconds:5.1f} s  {problem or reason}", flush=True)
        return not problem

    tests = sorted({test for each in switches for test in each.tests})
    shares = [share for number in range(len(copies)) if (share := tests[number :: len(copies)])]
    with ThreadPoolExecutor(len(copies)) as threads:
        for status, output in threads.map(run_tests, copies, shares):
            if status != 0:
                print(output, "These tests have to pass before a protection is switched off.", sep="\n")
                return 1
        results = list(threads.map(checked, switches))
    print(f"{sum(results)} of {len(results)} protections have a test that fails without them")
    return 0 if all(results) else 1


def without(switch: Switch, copy: Path) -> tuple[str, str]:
    """Run the tests of a switch without the protection; return the problem, and why the first test failed."""
    with edited(copy / switch.file, switch):
        status, output = run_tests(copy, switch.tests)
    if status is None:
        return f"the tests did not end within {MAX_SECONDS} s each", ""
    if status > 1:
        return f"the tests cannot be collected (pytest ended with {status})", ""
    failures = {found["test"]: found["why"] or "" for found in FAILURE.finditer(output)}
    if passed := [test for test in switch.tests if test not in failures]:
        return f"passes without the protection: {' '.join(passed)}", ""
    if broken := [why for why in failures.values() if BROKEN_EDIT.match(why)]:
        return f"the edit breaks the code: {broken[0]}", ""
    return "", next(iter(failures.values()))[:100]


@contextmanager
def edited(path: Path, switch: Switch) -> Iterator[None]:
    """Switch a protection off in a file for the time of a block."""
    original = path.read_text(encoding="utf-8")
    cached = Path(cache_from_source(str(path)))
    try:
        path.write_text(switch.switched_off(original), encoding="utf-8")
        cached.unlink(missing_ok=True)  # it is compared by whole seconds and size only
        yield
    finally:
        path.write_text(original, encoding="utf-8")
        cached.unlink(missing_ok=True)


def run_tests(copy: Path, tests: Sequence[str]) -> tuple[int | None, str]:
    """Run tests in ``copy``; return the exit status (None if they do not end) and output of pytest."""
    plugins = [word for name in PLUGINS for word in ("-p", name)]
    first = ["--exitfirst"] if len(tests) == 1 else []  # a further example may hang without the protection
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "--tb=line", *first, *plugins, *tests],
        cwd=copy,
        env=environment(copy),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=MAX_SECONDS * len(tests))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the processes that the tests started
        return None, process.communicate()[0]
    return process.returncode, output


def environment(copy: Path) -> dict[str, str]:
    """Return the variables under which Python imports the package of ``copy``."""
    return os.environ | {
        "PYTHONPATH": str(copy),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "400",
        "WOSDK_TEST_WHOLE": "1",  # any example of a law may be the one that fails
    }


if __name__ == "__main__":
    sys.exit(main())
