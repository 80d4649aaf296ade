"""What users import, what that loads, and which room may know which."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import wosdk_async

PACKAGE = Path(wosdk_async.__file__).parent

ROOMS = [  # each imports only from those before it
    {"errors", "safe_text", "spelling"},
    {"catalogue"},
    {"model"},
    {"codec"},
    {"check", "agreement", "envelope"},
    {"wire"},
    {"webhooks", "dry_run"},
    {"calls"},
    {"query"},
    {"transport"},
    {"outcome"},
    {"fanout"},
    {"credential_sources"},
    {"settings"},
    {"marker", "resolving"},
    {"connected"},
    {"verbs"},
    {"helpers"},
    {"company", "client", "client_options"},
    {"testing"},
    {"jobs"},
    {"cli"},
]


@pytest.mark.parametrize("name", wosdk_async.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name of the package can be imported from it, and dir() shows it."""
    assert hasattr(wosdk_async, name)
    assert name in dir(wosdk_async)


def test_classes_of_the_model_are_public() -> None:
    """The classes of the service can be imported from the package; a wrong name is an AttributeError."""
    from wosdk_async import Asset, Location, Priority, SubType, WoCreateCommand, WoPriority, WorkOrder

    assert (Asset, Priority) == (Location, WoPriority)
    assert (SubType.__name__, WorkOrder.__name__) == ("WorkOrderType", "WorkOrder")
    assert WoCreateCommand.wire_name == "WoCreateCommand"
    with pytest.raises(AttributeError, match="NoSuchThing"):
        wosdk_async.NoSuchThing  # noqa: B018


LOADED = "import sys; from wosdk_async import *; from wosdk_async import Client; print(*sys.modules)"


def test_the_client_loads_no_other_room_and_no_heavy_library() -> None:
    """Importing the client imports neither httpx nor the sandbox, the jobs, the CLI or their libraries."""
    out = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    loaded = set(out.split())
    assert "wosdk_async.client" in loaded
    heavy = {"httpx", "click", "rich", "starlette", "uvicorn", "sqlite3", "csv", "tomllib", "email.utils"}
    assert heavy & loaded == set()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("wosdk_async.")}
    assert rooms & {"sandbox", "testing", "jobs", "cli", "catalogue"} == set()


def imported(path: Path) -> set[str]:
    """The rooms of the package that a file imports, wherever in the file."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "wosdk_async":
            parts = (node.module or "").split(".")
            names = {alias.name for alias in node.names} - set(wosdk_async.__all__)
            rooms |= {parts[1]} if len(parts) > 1 else names
        elif isinstance(node, ast.Import):
            rooms |= {
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith("wosdk_async.")
            }
    return rooms


def files(room: str) -> list[Path]:
    return (
        [PACKAGE / f"{room}.py"]
        if (PACKAGE / f"{room}.py").exists()
        else list((PACKAGE / room).rglob("*.py"))
    )


@pytest.mark.parametrize(
    ("floor", "room"), [(n, room) for n, rooms in enumerate(ROOMS) for room in sorted(rooms)]
)
def test_rooms_import_only_from_rooms_before_them(floor: int, room: str) -> None:
    """Data flows one way: a room knows those before it; the CLI and the test kit start the sandbox."""
    known = {other for rooms in ROOMS[:floor] for other in rooms} | ROOMS[floor]
    allowed = known | ({"sandbox"} if room in ("cli", "testing") else set())
    assert files(room)
    for path in files(room):
        assert imported(path) <= allowed, path


def test_the_sandbox_never_imports_the_client() -> None:
    """It answers from plain JSON and the catalogue, so that a mistake of the client shows."""
    assert files("sandbox")
    for path in files("sandbox"):
        assert imported(path) <= {"sandbox", "catalogue"}, path


def test_httpx_is_imported_in_one_module() -> None:
    """Another HTTP library is one file away."""
    naming = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(
            line.strip().startswith(("import httpx", "from httpx"))
            for line in path.read_text("utf-8").splitlines()
        )
    ]
    assert naming == ["transport/engine/library.py"]
