"""What users import, and what that loads. Which package may import which is in pyproject.toml."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import wosdk_async
from wosdk_async import errors

PACKAGE = Path(wosdk_async.__file__).parent


def test_every_class_of_errors_is_public() -> None:
    """A program catches them by name."""
    named = {name for name, value in vars(errors).items() if _is_error(value)}
    assert named - set(wosdk_async.__all__) == set()
    assert len(named) > 20


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, wosdk_async.WosdkError)


STAR = """
import sys, wosdk_async
before = sorted(name for name in sys.modules if name.startswith("wosdk_async."))
from wosdk_async import *
print(before, WorkOrder.__name__, Client.__name__, __version__)
print(*sys.modules)
"""
HEAVY = {
    *("httpx", "httpx2", "click", "rich", "starlette", "uvicorn"),
    *("sqlite3", "csv", "tomllib", "email.utils"),
}


def test_a_star_import_brings_what_type_checkers_see_and_loads_nothing_heavy() -> None:
    """The classes of the model, too, of which ``import wosdk_async`` alone loads none.

    The client imports no HTTP library, sandbox, jobs or CLI, nor their libraries.
    """
    done = subprocess.run([sys.executable, "-c", STAR], capture_output=True, text=True, check=True)
    first, modules = done.stdout.splitlines()
    own = ["wosdk_async.pydantic_hook", "wosdk_async.version"]
    assert first == f"{own} WorkOrder Client {wosdk_async.__version__}"
    loaded = set(modules.split())
    assert "wosdk_async.client" in loaded
    assert HEAVY & loaded == set()
    packages = {name.split(".")[1] for name in loaded if name.startswith("wosdk_async.")}
    assert packages & {"sandbox", "testing", "jobs", "cli", "catalogue"} == set()


def test_httpx_is_named_in_one_package() -> None:
    """Another HTTP library is one package away. That one names types only: which library sends is a value."""
    naming, importing = set(), set()
    for path in PACKAGE.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            if line.lstrip().startswith(("import httpx", "from httpx")):
                naming.add(path.relative_to(PACKAGE).parent.as_posix())
                importing |= {path} if line == line.lstrip() else set()
    assert (naming, importing) == ({"transport/http/httpx"}, set())


def test_no_module_has_the_name_of_an_export() -> None:
    """Whoever imported the module would find it in place of the function."""
    modules = {each.name for each in pkgutil.iter_modules(wosdk_async.__path__)}
    assert modules & set(wosdk_async.__all__) == set()
