"""Records in routes of FastAPI that say nothing of what they return.

A route with a return type needs nothing of this module: FastAPI asks Pydantic, and Pydantic our classes.
Without one FastAPI looks into the table of ``fastapi.encoders``, which knows only what is entered there.
"""

from __future__ import annotations

from typing import Any

from fastapi.encoders import encoders_by_class_tuples
from pydantic_core import to_jsonable_python

from wosdk_async.codec.records import to_dict
from wosdk_async.model.base import Record

__all__ = ["encode_records"]


def encode_records() -> None:
    """Let routes without a return type return records, as those with one do. Call it once at the start."""
    encoders_by_class_tuples[_encode] = (Record,)


def _encode(record: Record) -> Any:
    return to_jsonable_python(to_dict(record))  # exact numbers become texts
