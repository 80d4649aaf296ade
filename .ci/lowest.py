"""Print the lowest versions that pyproject.toml allows for the tests, as constraints of pip.

``python .ci/lowest.py > lowest.txt && pip install -e '.[tests]' -c lowest.txt`` installs exactly these.
The extra ``mcp`` is not among them: its library needs newer versions of packages that others take older.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

NAME = "wosdk_async"
LOWEST = re.compile(r"([\w-]+)(?:\[([\w,]+)\])?(?:>=([\d.]+))?")


def lowest(project: dict[str, Any], extra: str | None, found: dict[str, str]) -> None:
    """Add the lower bounds of an extra and of the extras it names to ``found``; of the package if None."""
    extras = project["optional-dependencies"]
    for requirement in extras[extra] if extra else project["dependencies"]:
        name, parts, version = LOWEST.match(requirement).groups()  # type: ignore[union-attr]
        if name == NAME:
            for part in parts.split(","):
                lowest(project, part, found)
        elif version and found.setdefault(name, version) != version:
            raise SystemExit(f"{name} has two lower bounds: {found[name]} and {version}")


if __name__ == "__main__":
    text = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
    bounds: dict[str, str] = {}
    for each in (None, "tests"):
        lowest(tomllib.loads(text)["project"], each, bounds)
    print("\n".join(f"{name}=={version}" for name, version in sorted(bounds.items())))
