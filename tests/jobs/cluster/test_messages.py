"""Messages between coordinator and workers: what is read is what was written, and secrets are not shown."""

from types import NoneType, UnionType
from typing import Literal, get_args, get_origin, get_type_hints

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async.jobs.cluster.messages import (
    MessageError,
    Order,
    PushedSession,
    Report,
    Setup,
    Share,
    from_bytes,
    to_bytes,
)

_KINDS = (Setup, Order, Report)
_VALUES = {
    bool: st.booleans(),
    float: st.floats(0, 1e9),
    int: st.integers(0, 2**53),
    str: st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    NoneType: st.none(),
}


def values_of(kind):
    """Return the strategy of the values that a message can have where its class says ``kind``."""
    if attrs.has(kind):
        fields = {name: values_of(each) for name, each in get_type_hints(kind).items()}
        return st.builds(kind, **fields)
    if get_origin(kind) is tuple:
        return st.lists(values_of(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    return st.one_of(*map(values_of, get_args(kind))) if isinstance(kind, UnionType) else _VALUES[kind]


@pytest.mark.parametrize("kind", _KINDS)
@given(data=st.data())
def test_a_message_is_read_as_it_was_written(kind, data):
    message = data.draw(values_of(kind))

    assert from_bytes(to_bytes(message), kind) == message


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"worker": 1}', b"\xff" * 8])
@pytest.mark.parametrize("kind", _KINDS)
def test_what_is_not_a_message_is_refused(kind, data):
    with pytest.raises(MessageError, match=kind.__name__):
        from_bytes(data, kind)


def test_the_token_is_in_no_repr():
    session = PushedSession(number=1, token="t0ken", base_url="https://a.example", expires_in=60.0)
    order = Order(worker="w", received=0, share=Share(number=1, rate=None, in_flight=1), session=session)

    assert "t0ken" not in repr(order)
    assert from_bytes(to_bytes(order), Order).session == session


def test_a_message_with_a_member_of_a_later_version_is_read():
    report = Report(worker="w", clock=1.0)
    data = to_bytes(report).replace(b"{", b'{"later": [1], ', 1)

    assert from_bytes(data, Report) == report
