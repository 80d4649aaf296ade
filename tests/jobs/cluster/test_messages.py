"""Messages between coordinator and workers: what is read is what was written, and secrets are not shown."""

import json
import math
import sqlite3
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from wosdk_async.jobs.cluster.messages import (
    LONGEST,
    MOST_RESULTS,
    MOST_WAITS,
    MessageError,
    Order,
    PushedSession,
    Report,
    RowReport,
    Setup,
    Share,
    from_bytes,
    to_bytes,
)
from wosdk_async.jobs.cluster.outcomes import outcome_of
from wosdk_async.jobs.cluster.strict_reading import Between
from wosdk_async.jobs.journal.grant_table import late_reports, save_late_report

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
    if get_origin(kind) is Annotated:
        kind, bound = get_args(kind)
        if isinstance(bound, Between):
            return (st.integers if kind is int else st.floats)(bound.least, bound.most)
    if attrs.has(kind):
        fields = {name: values_of(each) for name, each in get_type_hints(kind, include_extras=True).items()}
        return st.builds(kind, **fields)
    if get_origin(kind) is tuple:
        return st.lists(values_of(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if get_origin(kind) in (UnionType, Union):
        return st.one_of(*map(values_of, get_args(kind)))
    return _VALUES[kind]


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


# --- what hostile workers send ------------------------------------------------------------------

_NASTY = st.one_of(
    st.sampled_from(
        [
            *(0, 1, -1, 7, 999, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, 1e308, -1e308, -0.5, 0.25, 1e9),
            *(True, None, "", "5", "inf", "NaN", "done", "x" * 100_000, "\x00\x1b<b>", {}),
            *([], [1, 2], [1e308] * 3, [[[]]], [0.5] * (MOST_WAITS + 1), [0.5] * MOST_WAITS),
        ]
    ),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
)
_RESULT = {"number": 1, "epoch": 1, "row": 1, "result": "done"}
_REPORT = {"worker": "w", "clock": 5.0}
_JSON = st.recursive(_NASTY, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner))


def changed(members, kind):
    """Return the strategy of ``members`` in which some of those of ``kind`` have nasty values."""
    names = [each.name for each in attrs.fields(kind)]
    return st.dictionaries(st.sampled_from(names), _NASTY, max_size=3).map(lambda more: members | more)


_REPORTS = st.builds(
    lambda report, results: report | {"results": results} if results else report,
    changed(_REPORT, Report),
    st.lists(changed(_RESULT, RowReport), max_size=2),
)


def json_of(value):
    return json.dumps(value).encode()


def require_within_bounds(value):
    """Fail for a value that something behind the messages cannot bear."""
    if attrs.has(type(value)):
        for each in attrs.fields(type(value)):
            require_within_bounds(getattr(value, each.name))
    elif isinstance(value, tuple):
        assert len(value) <= 1_000_000
        for each in value:
            require_within_bounds(each)
    elif isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, int):
        assert 0 <= value < 2**63
    else:
        assert value is None or len(value) <= 10_000


@examples(300)
@given(value=_REPORTS | _JSON)
def test_whatever_a_worker_sends_is_refused_or_can_be_kept(value):
    try:
        report = from_bytes(json_of(value), Report)
    except MessageError:
        return
    require_within_bounds(report)
    db = sqlite3.connect(":memory:")
    try:
        for result in report.results:
            save_late_report(db, epoch=result.epoch, worker=report.worker, report=result, now=1.0)
            outcome_of(0, "claim", result)
        assert len(late_reports(db, limit=9)) == len({(each.epoch, each.number) for each in report.results})
    finally:
        db.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seconds", "inf"), ("seconds", -1.0), ("seconds", 1e308), ("seconds", None), ("seconds", True),
        ("number", "5"), ("number", 2**63), ("number", 1.0), ("row", -1), ("epoch", -1), ("attempts", -1),
        ("attempts", 10**7), ("version", 2**64), ("id", "7"), ("id", 2**63), ("status", 1000), ("found", 1),
        ("number", True),
        ("result", "sent"), ("result", ["done"]), ("waits", [0.5] * (MOST_WAITS + 1)), ("waits", [-1]),
        ("record", 5), ("reason", None),
    ],
)  # fmt: skip
def test_a_result_out_of_bounds_is_refused_by_its_name(name, value):
    data = json_of(_REPORT | {"results": [_RESULT | {name: value}]})

    with pytest.raises(MessageError, match=f"not a Report: results: {name}: n(ot|either) "):
        from_bytes(data, Report)


@pytest.mark.parametrize("data", [b"NaN", b"Infinity", b"1e999", b"-1e400"])
@pytest.mark.parametrize("member", [b"clock", b"throttled"])
def test_numbers_that_are_not_finite_are_refused(data, member):
    with pytest.raises(MessageError, match="not a Report"):
        from_bytes(b'{"worker": "w", "clock": 1, "' + member + b'": ' + data + b"}", Report)


def test_of_members_that_come_twice_the_last_one_counts_and_is_checked():
    text = b'{"worker": "w", "worker": "v", "clock": 1, "share": "x", "share": 2}'
    assert from_bytes(text, Report) == Report(worker="v", clock=1.0, share=2)
    with pytest.raises(MessageError, match="share"):
        from_bytes(b'{"worker": "w", "clock": 1, "share": 2, "share": "x"}', Report)


def test_long_texts_of_workers_are_cut_and_those_of_orders_are_not():
    result = RowReport(number=1, epoch=1, row=1, result="failed", reason="x" * 1_000_000)
    report = Report(worker="w", clock=1.0, results=(result,))
    (read,) = from_bytes(to_bytes(report), Report).results
    assert len(read.reason) == 10_000
    session = PushedSession(number=1, token="t" * 20_000, base_url="https://a.example", expires_in=60.0)
    order = Order(worker="w", received=0, share=Share(number=1, rate=None, in_flight=1), session=session)
    assert from_bytes(to_bytes(order), Order) == order


def test_a_message_is_not_longer_than_its_bounds():
    result = RowReport(number=1, epoch=1, row=1, result="done")
    report = Report(worker="w", clock=1.0, results=(result,) * (MOST_RESULTS + 1))
    with pytest.raises(MessageError, match=f"results: not a list of at most {MOST_RESULTS} entries"):
        from_bytes(to_bytes(report), Report)
    with pytest.raises(MessageError, match=f"at most {LONGEST} are read"):
        from_bytes(b" " * (LONGEST + 1), Report)


def test_what_a_message_lacks_is_named():
    with pytest.raises(MessageError, match="not a Report: it lacks clock"):
        from_bytes(b'{"worker": "w"}', Report)
