"""Model of the package in pydantic v2, for comparison with the codec."""

from __future__ import annotations

import functools
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from wosdk_async import model

TYPES = {
    "string": str,
    "integer": int,
    "number": Decimal,
    "boolean": bool,
    "datetime-local": datetime,
    "datetime-utc": datetime,
}


class Base(BaseModel):
    """Base class that keeps unknown fields, as the package does."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)


@functools.cache
def pydantic_model(cls: type[Any], depth: int = 3) -> type[Base]:
    """Return the pydantic model of a class and of the objects in it, ``depth`` objects deep."""
    fields: dict[str, Any] = {
        name: (_type(meta, depth), Field(alias=meta["name"], default=None))
        for name, meta in cls.__wire__.items()
    }
    return create_model(cls.__name__, __base__=Base, **fields)


def _type(meta: Any, depth: int) -> Any:
    kind: Any = TYPES.get(meta["type"], Any)
    if meta["type"] == "enum":
        kind = getattr(model, meta["of"])
    elif meta["of"]:
        kind = pydantic_model(getattr(model, meta["of"]), depth - 1) if depth else dict[str, Any]
    return list[kind] | None if meta.get("many") else kind | None
