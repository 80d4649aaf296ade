"""The Python blocks of the pages as modules, to type-check and run.

``python -m tests.docs.modules FOLDER`` writes the tests that the pages show, for an environment of their own.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path

from tests.docs.pages import Block, blocks
from tests.docs.prelude import IMPORTS, Given


def _is_test(block: Block) -> bool:
    return "def test_" in block.text


def _is_program(block: Block) -> bool:
    return "asyncio.run(main())" in block.text


def tests() -> list[Block]:
    """Blocks that contain tests, which pytest runs unchanged."""
    return [block for block in blocks("python") if _is_test(block)]


def programs() -> list[Block]:
    """Blocks that are whole programs, run and strictly checked unchanged."""
    return [block for block in blocks("python") if _is_program(block)]


def fragments() -> list[Block]:
    """The other blocks, which use names of the prelude."""
    return [block for block in blocks("python") if not _is_test(block) and not _is_program(block)]


def taken(block: Block) -> list[str]:
    """The names of the prelude that a fragment reads."""
    tree = ast.parse(_function(block, ""))
    read = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return [name for name in Given.__annotations__ if name in read]


def module(block: Block) -> str:
    """A fragment as the body of a coroutine function, ``example``."""
    parameters = ", ".join(f"{name}: {Given.__annotations__[name]}" for name in taken(block))
    return f"from __future__ import annotations\n{IMPORTS}\n{_function(block, parameters)}"


def _function(block: Block, parameters: str) -> str:
    body = textwrap.indent(block.text, "    ")
    return f"async def example({parameters}) -> object:\n{body}\n    return None\n"


def modules() -> dict[str, str]:
    """File name -> text of all modules to type-check; the name has page and line."""
    found = {block: module(block) for block in [*fragments(), *blocks("python", "types only")]}
    found |= {block: block.text for block in [*programs(), *tests()]}
    return {f"{block.name.replace('/', '_').replace('.md:', '_')}.py": text for block, text in found.items()}


def write_tests(folder: Path) -> int:
    """Write the tests of the pages, with the settings of docs/testing.md; return their number."""
    (settings,) = blocks("ini")
    (folder / "pytest.ini").write_text(settings.text, encoding="utf-8")
    for number, block in enumerate(tests()):
        (folder / f"test_{number}.py").write_text(block.text, encoding="utf-8")
    return sum(block.text.count("def test_") for block in tests())


if __name__ == "__main__":
    write_tests(Path(sys.argv[1]))
