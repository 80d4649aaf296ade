"""Classes that a program would write itself with pydantic v2 and msgspec, for comparison with the codec."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
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


def pydantic_page(cls: type[Any]) -> type[BaseModel]:
    """Return the pydantic model of a page of records of ``cls``."""
    row = create_model("Row", Data=(pydantic_model(cls), ...))  # type: ignore[arg-type]
    return create_model("Page", Entities=(list[row], ...))  # type: ignore[valid-type]


def msgspec_page(cls: type[Any], data: Mapping[str, Any]) -> type[Any]:
    """Return the Struct of a page of records of ``cls`` with the fields of ``data`` and no others."""
    row = msgspec.defstruct("Row", [("Data", _struct(cls, data))], gc=False)
    return msgspec.defstruct("Page", [("Entities", list[row])], gc=False)  # type: ignore[valid-type]


def _struct(cls: type[Any], data: Mapping[str, Any]) -> type[Any]:
    metas = [meta for meta in cls.__wire__.values() if meta["name"] in data]
    fields = [(meta["name"], _struct_type(meta, data[meta["name"]]) | None, None) for meta in metas]
    return msgspec.defstruct(cls.__name__, fields, gc=False)


def _struct_type(meta: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return _struct(getattr(model, meta["of"]), value)
    return TYPES.get(meta["type"], str)
