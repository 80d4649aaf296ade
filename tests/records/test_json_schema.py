"""json_schema: what to_dict gives fits it."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import wosdk_async as wosdk
from tests.codec.model_strategies import CLASSES, filled, records
from tests.samples.sample import load
from tests.support.laws import case, each_of, examples
from wosdk_async import InvalidCallError, Money, WorkOrder, codec, json_schema
from wosdk_async.codec.record_dicts import Names

NAMES: tuple[Names, ...] = ("wire", "python")


@functools.cache
def every_class(names: Names) -> dict[str, Any]:
    """Return the schemas of all classes, by name: those that json_schema puts together for one."""
    found: dict[str, Any] = {}
    for cls in CLASSES:
        if cls.__name__ not in found:
            found |= json_schema(cls, names=names)["$defs"]
    return found


@functools.cache
def validator(name: str, names: Names = "wire") -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": every_class(names)})


def test_every_class_has_a_schema() -> None:
    for names in NAMES:
        assert set(every_class(names)) >= {cls.__name__ for cls in CLASSES}
    for name in ("Employee", "FilterExpression", "Money", "WorkOrder"):
        Draft202012Validator.check_schema(every_class("wire")[name])


def fits(made: Any) -> None:
    for names in NAMES:
        shown = wosdk.to_json(made, names=names, secrets=True)
        assert list(validator(type(made).__name__, names).iter_errors(json.loads(shown))) == []


@examples(250)
@given(st.sampled_from(CLASSES).flatmap(records))
def test_what_is_shown_fits_the_schema(made: Any) -> None:
    """Records of any class; below, one of each."""
    fits(made)


def test_a_record_with_every_field_fits() -> None:
    for cls in CLASSES:
        with case(cls.__name__):
            fits(filled(cls, 0))


def test_what_a_service_sends_fits() -> None:
    sent = load("retrieve_work_order", "response")
    fits(codec.structure(sent["body"]["Data"], WorkOrder))


@each_of(
    "data",
    [{"Id": "x"}, {"StatusId": []}, {"Items": {}}, {"VendorNte": {"Value": "much"}}, [], {"Number": 5}],
)
def test_what_does_not_fit_is_found(data: Any) -> None:
    assert not validator("WorkOrder").is_valid(data)


def test_the_schema_of_a_class() -> None:
    schema = json_schema(Money)
    assert list(schema["$defs"]) == ["Money"]
    currency = schema["$defs"]["Money"]["properties"]["CurrencyTypeId"]
    assert "USD" in currency["anyOf"][0]["examples"]
    assert currency["description"] == "Currency code."
    limited = every_class("wire")["NewUnitSpecifier"]["properties"]["UnitName"]
    assert limited["anyOf"][0] == {"type": "string", "maxLength": 64}


def test_circular_classes_are_described_once() -> None:
    schema = json_schema(wosdk.FilterExpression)
    filters = schema["$defs"]["FilterExpression"]["properties"]["Filters"]
    assert filters["anyOf"][0]["items"] == {"$ref": "#/$defs/FilterExpression"}


def test_only_classes_of_the_model_have_one() -> None:
    with pytest.raises(InvalidCallError, match="not a model class"):
        json_schema(int)  # type: ignore[arg-type]
    with pytest.raises(InvalidCallError, match="'wire' or 'python'"):
        json_schema(Money, names="both")  # type: ignore[arg-type]
