"""What is wrong with the files of a release is found before anything is installed, and each extra is used."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TOOL: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "wheel.py"))
CODE = {"wosdk_async/__init__.py": b"1", "wosdk_async/py.typed": b""}
SDIST = CODE | dict.fromkeys(TOOL["PLACES"], b"text")
WHEEL = CODE | {"wosdk_async-1.dist-info/METADATA": b"Name"}


def test_each_extra_has_a_program_that_uses_it() -> None:
    uses = {path.stem for path in (ROOT / ".ci" / "uses").glob("*.py")}
    assert uses == {"base", *TOOL["extras"]()} - TOOL["OUR_OWN"]


def test_extras_of_our_own_are_installed_by_another_part_of_ci() -> None:
    extras = TOOL["extras"]()
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in (".ci/run", "CONTRIBUTING.md")]
    groups = [each for text in texts for each in re.findall(r"\.\[([\w,]+)\]", text)]
    groups += re.findall(
        r"wosdk_async\[([\w,]+)\]", " ".join(extra for name in ("dev", "tests") for extra in extras[name])
    )
    installed = {name for group in groups for name in group.split(",")}
    assert TOOL["OUR_OWN"] & extras.keys() <= installed


def test_a_release_of_the_right_files_is_sound() -> None:
    assert TOOL["mistakes"](WHEEL, dict(WHEEL), SDIST, set(CODE)) == []


@pytest.mark.parametrize(
    ("wheel", "sdist", "again", "said"),
    [
        (
            {"tests/test_a.py": b""},
            {},
            {"tests/test_a.py": b""},
            "in the wheel, and not in the repository: tests",
        ),
        ({}, {"wosdk_async/left.db": b""}, {}, "in the sdist: wosdk_async/left.db"),
        ({}, {"tests/test_a.py": b""}, {}, "in the sdist: tests/test_a.py"),
        ({}, {}, {"wosdk_async/__init__.py": b"2"}, "the wheels from the tree and from the sdist differ"),
        ({}, {"README.md": b"x" * 600_000}, {}, "README.md has 600,000 bytes"),
        ({}, {"README.md": b"-----BEGIN RSA PRIVATE " + b"KEY-----"}, {}, "README.md holds something"),
    ],
)
def test_what_should_not_be_there_is_found(
    wheel: dict[str, bytes], sdist: dict[str, bytes], again: dict[str, bytes], said: str
) -> None:
    (found,) = TOOL["mistakes"](WHEEL | wheel, WHEEL | again, SDIST | sdist, set(CODE))
    assert found.startswith(said)


def test_what_is_missing_is_found() -> None:
    wheel = {name: content for name, content in WHEEL.items() if not name.endswith("py.typed")}
    sdist = {name: content for name, content in SDIST.items() if not name.endswith("py.typed")}
    found = TOOL["mistakes"](wheel, wheel, sdist, set(CODE))
    assert found == ["not in the wheel: wosdk_async/py.typed", "not in the sdist: wosdk_async/py.typed"]
