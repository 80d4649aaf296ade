"""The samples, and when JSON that went through the client still says the same."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from wosdk_async.codec import dumps

DATA = Path(__file__).parent / "data"
COMPANY = "Harbor Point Sandbox"
Json = dict[str, Any]


def names(kind: str) -> list[str]:
    """The samples there are: ``request`` or ``response``."""
    return sorted(path.name.removesuffix(f".{kind}.json") for path in DATA.glob(f"*.{kind}.json"))


def load(name: str, kind: str) -> Json:
    """A sample, its numbers exact."""
    found: Json = json.loads((DATA / f"{name}.{kind}.json").read_text(), parse_float=Decimal)
    return found


def body_bytes(name: str) -> bytes:
    """The body of an answer as it would come, digit by digit."""
    return dumps(load(name, "response")["body"])


MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\d*Z?")


def comparable(value: Any) -> Any:
    """``value`` with its numbers as exact texts, and its times as moments, to the microsecond Python has."""
    if isinstance(value, dict):
        return {name: comparable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    if isinstance(value, Decimal):
        return ("number", str(value))
    if isinstance(value, str) and (found := MOMENT.fullmatch(value)):
        moment = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)  # facts 3.5: Utc with or without its Z
        return ("moment", moment.replace(microsecond=int((found[2] or "0").ljust(6, "0"))))
    return value
