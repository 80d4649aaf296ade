"""Decoding of a WorkOrder: ``codec.decode`` compared with pydantic's ``model_validate_json``."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.payload import object_reader, work_order
from wosdk_async import WorkOrder, codec


def cases() -> dict[str, Callable[[], object]]:
    """Return the cases by name. Each decodes the order once."""
    from benchmarks.other_models import pydantic_model  # not needed for --help

    plain, unknown = work_order(unknown=False), work_order(unknown=True)
    read_all = object_reader()
    validate = pydantic_model(WorkOrder).model_validate_json
    for body in (plain, unknown):
        assert codec.decode(body, WorkOrder) == codec.structure(codec.loads(body), WorkOrder)
    return {
        "decode": lambda: read_all(codec.decode(unknown, WorkOrder)),
        "decode, not looked at": lambda: codec.decode(unknown, WorkOrder),
        "pydantic": lambda: read_all(validate(unknown)),
        "decode, nothing unknown": lambda: read_all(codec.decode(plain, WorkOrder)),
        "pydantic, nothing unknown": lambda: read_all(validate(plain)),
        "structure(loads)": lambda: codec.structure(codec.loads(unknown), WorkOrder),
        f"loads, {len(unknown)} bytes": lambda: codec.loads(unknown),
    }


def ratios(took: dict[str, float]) -> dict[str, float]:
    """Return the ratios for the JSON file.

    Only the first ratio has a goal. Its order has unknown fields, which are kept. Every object is read,
    because our codec decodes an object only when it is read.
    """
    return {
        "codec_vs_pydantic": took["decode"] / took["pydantic"],
        "codec_vs_pydantic_not_looked_at": took["decode, not looked at"] / took["pydantic"],
        "codec_vs_pydantic_nothing_unknown": took["decode, nothing unknown"]
        / took["pydantic, nothing unknown"],
    }
