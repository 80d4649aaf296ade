"""The command line, in this process and in one of its own."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import resource
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.login import IDENTITY
from tests.cli.login import SECRET as SECRET_VARIABLE
from tests.support.preloaded import Preloaded
from tests.support.service import COMPANY, SECRET, Service
from wosdk_async.cli.app import app
from wosdk_async.sandbox import LocalCompany

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
COMMAND = [sys.executable, "-c", "from wosdk_async.cli import main; main()"]

Wosdk = Callable[..., Result]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Company but those of the tests."""
    for name in (
        "TOKEN_URL",
        "LOCATOR_URL",
        "COMPANY",
        "CLIENT_ID",
        "CLIENT_SECRET",
        "REGION",
        "TRUSTED_HOSTS",
        "PROFILE",
        "CONFIG",
    ):
        monkeypatch.delenv(f"WOSDK_{name}", raising=False)
    for name in ("COLUMNS", "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def wosdk() -> Wosdk:
    """Run a command in this process; any exception but an exit fails the test."""

    def run(*arguments: str | Path, **options: str) -> Result:
        result = CliRunner().invoke(app, [str(each) for each in arguments], prog_name="wosdk", **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def served(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seeded_store: Path, dialect: str
) -> Iterator[dict[str, str]]:
    """A local Company that the environment variables lead to."""
    with LocalCompany(shutil.copy(seeded_store, tmp_path / "served.db"), dialect=dialect) as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        yield local.variables


@pytest.fixture
def store(tmp_path: Path, seeded_store: Path) -> Path:
    """The store of a new local Company."""
    return Path(shutil.copy(seeded_store, tmp_path / "s.db"))


@pytest.fixture(scope="module")
def kept_company(dialect: str) -> Iterator[LocalCompany]:
    """A local Company of one module, whose tests may add to it and change nothing else."""
    with LocalCompany(dialect=dialect) as local:
        yield local


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, kept_company: LocalCompany) -> None:
    """The environment variables lead to the Company of the module."""
    for name, value in kept_company.variables.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def local_company(dialect: str) -> Iterator[LocalCompany]:
    """A local Company that no test changes."""
    with LocalCompany(dialect=dialect) as local:
        yield local


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch, local_company: LocalCompany) -> dict[str, str]:
    """The environment variables lead to a local Company as it is when it is new; nothing is to be changed."""
    for name, value in local_company.variables.items():
        monkeypatch.setenv(name, value)
    return dict(local_company.variables)


@pytest.fixture
def company(seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A local Company of which the environment names the addresses alone, and a settings file."""
    for name in IDENTITY:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WOSDK_CONFIG", str(tmp_path / "wosdk" / "config.toml"))
    (tmp_path / "secret").write_text(f"{seeded[SECRET_VARIABLE]}\n", encoding="utf-8")
    return seeded


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A scripted service in a thread of its own, that the environment variables lead to."""
    service = Service()
    ready, done = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with service:
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[serve()])
    thread.start()
    ready.wait()
    monkeypatch.setenv("WOSDK_TOKEN_URL", f"{service.url}/OAuth/token")
    monkeypatch.setenv("WOSDK_LOCATOR_URL", service.url)
    monkeypatch.setenv("WOSDK_COMPANY", COMPANY)
    monkeypatch.setenv("WOSDK_CLIENT_ID", "id-1")
    monkeypatch.setenv("WOSDK_CLIENT_SECRET", SECRET)
    yield service
    loop.call_soon_threadsafe(done.set)
    thread.join()
    loop.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The example file, in a folder where jobs may leave theirs."""
    return Path(shutil.copy(EXAMPLES / "requests.csv", tmp_path))


def table() -> list[list[str]]:
    """The records of the example, its header first."""
    with (EXAMPLES / "requests.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


_SLOW_MODULES: dict[str | Path, tuple[str, ...]] = {
    "--processes": ("distributed",),
    "--engine": ("distributed",),
    "export": ("pandas", "pyarrow"),
}


def settling(seconds: float) -> str:
    """Return code for :func:`spawn`: rows begun and absent are looked up twice, so long apart."""
    return (
        "from wosdk_async.options import CallOptions\n"
        f"CallOptions.__init__.__kwdefaults__['settle'] = {seconds}"
    )


def spawn(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own; the options are those of ``Preloaded``."""
    modules = [module for each in arguments for module in _SLOW_MODULES.get(each, ())]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return Preloaded(arguments, modules=modules, **{"cwd": ROOT, "text": True, **streams, **options})


@contextlib.contextmanager
def serving(*options: str | Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Run ``wosdk sandbox serve`` in a process during a block, which gets the variables it prints."""
    process = spawn("sandbox", "serve", "--port", "0", *options)
    assert process.stdout is not None
    lines = shlex.split("".join(process.stdout.readline() for _ in range(5)))
    yield process, dict(line.split("=", 1) for line in lines)
    process.terminate()
    process.communicate(timeout=20)


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process takes a byte more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
