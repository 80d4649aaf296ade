"""Errors are values: every class, with every attribute, is the same behind pickle, copy and deepcopy."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wosdk_async import ThrottledError, WosdkError, errors
from wosdk_async.jobs import errors as jobs_errors
from wosdk_async.protocol.responses import refusal_error
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets

KINDS = [
    kind
    for module in (errors, jobs_errors)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, WosdkError)
]
TWINS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda error: pickle.loads(pickle.dumps(error)),  # noqa: S301
]
TEXTS = st.text(max_size=20)
VALUES = {
    str: TEXTS,
    int: st.integers(0, 999),
    bool: st.booleans(),
    float: st.floats(0, 99),
    type(None): st.none() | TEXTS,
    tuple: st.lists(st.floats(0, 99), max_size=2).map(tuple),
    MappingProxyType: st.dictionaries(TEXTS, st.floats(0, 99), max_size=2),
}


def attributes(kind: type[WosdkError]) -> dict[str, object]:
    """The attributes that the class and its bases declare, with their defaults."""
    names = {name for base in kind.__mro__ for name in getattr(base, "__annotations__", ())} - {"remedies"}
    return {name: getattr(kind, name) for name in names if not name.startswith("_")}


SECONDS = st.none() | st.floats(allow_nan=False)


@st.composite
def any_error(draw: st.DrawFn) -> WosdkError:
    """An error of any class, its attributes filled by their kind, some with notes."""
    kind = draw(st.sampled_from(KINDS))
    filled = {
        name: draw(SECONDS if name == "retry_after" else VALUES[type(default)])
        for name, default in attributes(kind).items()
    }
    remedies = tuple(draw(st.lists(st.sampled_from(Remedy), max_size=2)))
    made = kind(draw(TEXTS), remedies=remedies, **filled)
    for note in draw(st.lists(TEXTS, max_size=2)):
        made.add_note(note)
    return made


@given(made=any_error(), twin=st.sampled_from(TWINS))
def test_errors_survive_pickle_and_copy(made: WosdkError, twin: Callable[[Any], Any]) -> None:
    """Class, text, attributes and notes; a note that is added later is the twin's alone."""
    found = twin(made)
    assert type(found) is type(made)
    assert (str(found), found.args, vars(found)) == (str(made), made.args, vars(made))
    before = list(getattr(made, "__notes__", []))
    found.add_note("later")
    assert getattr(made, "__notes__", []) == before


def test_an_error_without_details_survives() -> None:
    """Attributes have their defaults, on the twin too."""
    for kind in KINDS:
        for twin in TWINS:
            found = twin(kind("what"))
            assert {name: getattr(found, name) for name in attributes(kind)} == attributes(kind)


ODD = st.none() | st.integers() | st.text(max_size=4000) | st.lists(TEXTS, max_size=2)


@given(
    code=ODD, message=ODD, stamp=ODD, request_id=ODD, status=st.sampled_from([200, 400, 401, 403, 429, 500])
)
def test_whatever_an_answer_says_is_bounded_text(
    code: object, message: object, stamp: object, request_id: object, status: int
) -> None:
    """What is no text counts as not sent, what is long is cut, and the code decides on the class."""
    made = refusal_error(code, message, status, stamp, request_id)
    made.hide(Secrets())
    assert made.status == status
    assert made.code == (code[:200] if isinstance(code, str) else "")
    assert made.time_stamp == (stamp[:200] if isinstance(stamp, str) else None)
    assert made.request_id == (request_id[:200] if isinstance(request_id, str) else None)
    assert 0 < len(made.message) <= 2000
    assert isinstance(made, ThrottledError) == (status == 429)


def test_a_secret_that_an_answer_repeats_can_be_taken_out() -> None:
    """Of the message and of every attribute."""
    for kind in KINDS:
        made = kind("Bearer s3cret", code="s3cret", request_id="id s3cret", time_stamp="s3cret")
        made.hide(Secrets("s3cret"))
        assert "s3cret" not in repr((str(made), made.args, vars(made))), kind
