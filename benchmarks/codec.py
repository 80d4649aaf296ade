"""Bytes of a WorkOrder to objects: ``codec.decode`` beside pydantic's ``model_validate_json``."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.payload import look, work_order
from benchmarks.pydantic_models import pydantic_model
from wosdk_async import WorkOrder, codec

__all__ = ["cases", "ratios"]


def cases() -> dict[str, Callable[[], object]]:
    """What is measured, by name. Each does the whole way once."""
    plain, unknown = work_order(unknown=False), work_order(unknown=True)
    looked = look()
    validate = pydantic_model(WorkOrder).model_validate_json
    for body in (plain, unknown):
        assert codec.decode(body, WorkOrder) == codec.structure(codec.loads(body), WorkOrder)
    return {
        "decode": lambda: looked(codec.decode(unknown, WorkOrder)),
        "decode, not looked at": lambda: codec.decode(unknown, WorkOrder),
        "pydantic": lambda: looked(validate(unknown)),
        "decode, nothing unknown": lambda: looked(codec.decode(plain, WorkOrder)),
        "pydantic, nothing unknown": lambda: looked(validate(plain)),
        "structure(loads)": lambda: codec.structure(codec.loads(unknown), WorkOrder),
        f"loads, {len(unknown)} bytes": lambda: codec.loads(unknown),
    }


def ratios(took: dict[str, float]) -> dict[str, float]:
    """What is written to the JSON file. The claim is the first: unknown fields are there, and kept, and every
    object is looked at, because ours are made then.
    """
    return {
        "codec_vs_pydantic": took["decode"] / took["pydantic"],
        "codec_vs_pydantic_not_looked_at": took["decode, not looked at"] / took["pydantic"],
        "codec_vs_pydantic_nothing_unknown": took["decode, nothing unknown"]
        / took["pydantic, nothing unknown"],
    }
