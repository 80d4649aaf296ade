"""A record goes from the coordinator to a worker as JSON and comes back equal, for every operation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, records
from tests.support.laws import examples
from wosdk_async.codec import converter
from wosdk_async.jobs.cluster.row_bodies import body_of, record_of
from wosdk_async.model import Command, Record


@examples(300)
@given(record=st.sampled_from(CLASSES).flatmap(records))
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    """All fields, unknown ones too; so a create and a command send the same bytes as without workers."""
    found = record_of(body_of(record), type(record))
    assert found == record
    assert converter.unstructure(found) == converter.unstructure(record)


@pytest.mark.parametrize(
    "kind", [kind for kind in CLASSES if "id" in kind.__wire__ and not issubclass(kind, Command)]
)
def test_the_id_of_a_record_that_is_changed_or_deleted_goes_with_it(kind: Any) -> None:
    """The coordinator has looked the id up, and the worker needs no other field."""
    assert record_of(body_of(kind(id=512)), kind).id == 512
