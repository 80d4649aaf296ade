"""What users import, and what that loads. Which package may import which is in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import wosdk_async
from wosdk_async import errors

PACKAGE = Path(wosdk_async.__file__).parent


def test_every_public_name_is_there() -> None:
    """Each name of the package can be imported from it, and dir() shows it."""
    assert [name for name in wosdk_async.__all__ if not hasattr(wosdk_async, name)] == []
    assert set(wosdk_async.__all__) - set(dir(wosdk_async)) == set()


def test_every_class_of_errors_is_public() -> None:
    """A program catches them by name."""
    named = {name for name, value in vars(errors).items() if _is_error(value)}
    assert named - set(wosdk_async.__all__) == set()
    assert len(named) > 20


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, wosdk_async.WosdkError)


def test_classes_of_the_model_are_public() -> None:
    """The classes of the service can be imported from the package; a wrong name is an AttributeError."""
    from wosdk_async import Asset, Location, Priority, SubType, WoCreateCommand, WoPriority, WorkOrder

    assert (Asset, Priority) == (Location, WoPriority)
    assert (SubType.__name__, WorkOrder.__name__) == ("WorkOrderType", "WorkOrder")
    assert WoCreateCommand.wire_name == "WoCreateCommand"
    with pytest.raises(AttributeError, match="NoSuchThing"):
        wosdk_async.NoSuchThing  # noqa: B018


STAR = """
import sys, wosdk_async
before = sorted(name for name in sys.modules if name.startswith("wosdk_async."))
from wosdk_async import *
print(before, WorkOrder.__name__, Client.__name__, __version__)
"""


def test_a_star_import_brings_what_type_checkers_see() -> None:
    """The classes of the model, too; ``import wosdk_async`` alone does not load them."""
    done = subprocess.run([sys.executable, "-c", STAR], capture_output=True, text=True, check=True)
    loaded = ["wosdk_async.pydantic_hook", "wosdk_async.version"]
    assert done.stdout == f"{loaded} WorkOrder Client {wosdk_async.__version__}\n"


LOADED = "import sys; from wosdk_async import *; from wosdk_async import Client; print(*sys.modules)"


def test_the_client_loads_no_other_package_and_no_heavy_library() -> None:
    """Importing the client imports no HTTP library, sandbox, jobs or CLI, nor their libraries."""
    out = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    loaded = set(out.split())
    assert "wosdk_async.client" in loaded
    heavy = {
        "httpx",
        "httpx2",
        "click",
        "rich",
        "starlette",
        "uvicorn",
        "sqlite3",
        "csv",
        "tomllib",
        "email.utils",
    }
    assert heavy & loaded == set()
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


SHADOWED = """
import pkgutil, wosdk_async
wrong = {name for _, name, _ in pkgutil.iter_modules(wosdk_async.__path__)} & set(wosdk_async.__all__)
print(sorted(wrong))
"""


def test_no_module_has_the_name_of_an_export() -> None:
    """Whoever imported the module would find it in place of the function."""
    out = subprocess.run([sys.executable, "-c", SHADOWED], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"
