"""What docs/transport.md shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOC = Path(__file__).parents[2] / "docs" / "transport.md"


async def test_the_example_with_respx() -> None:
    """The test of the document passes."""
    found = re.search(r"<!-- respx -->\n```python\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)  # noqa: S102
    await names["test_a_customer_is_read"]()
