"""Laws of the difference between a record that was read and its edited copy."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given

from tests.support.laws import examples
from tests.updates.pairs import applied, pairs, reads, seen
from wosdk_async import codec
from wosdk_async.protocol import updates
from wosdk_async.protocol.elements import difference

laws = examples(50)


@laws
@given(read=reads())
def test_equal_records_differ_in_nothing(read: Any) -> None:
    """A copy that was not changed is not sent, and a copy that came over the wire neither."""
    assert difference(read, copy.deepcopy(read)).properties == []
    again = codec.structure(codec.loads(codec.dumps(codec.unstructure(read))), type(read))
    assert difference(read, again).fields == {}


@laws
@given(pair=pairs())
def test_what_is_sent_makes_the_edited_record(pair: tuple[Any, Any]) -> None:
    """The PUT, applied to what was read as facts 3.6 says, gives the edited copy; both records stay."""
    read, edited = pair
    before = copy.deepcopy(pair)
    call, after = updates.change_to(edited, read)
    assert (read, edited) == before
    was, wanted = codec.unstructure(read), codec.unstructure(edited)
    body = codec.loads(call.body) if call else {"Properties": [], "Entity": {}}
    made = applied(type(read), codec.loads(codec.dumps(was)), body)
    expected = seen(type(read), codec.loads(codec.dumps(wanted)))
    assert seen(type(read), made) == expected
    assert seen(type(read), codec.loads(codec.dumps(codec.unstructure(after)))) == expected


@laws
@given(pair=pairs())
def test_nothing_else_is_sent(pair: tuple[Any, Any]) -> None:
    """Every field sent is named, no name is sent twice, and neither version nor mark is ever one."""
    call, _ = updates.change_to(pair[1], pair[0])
    if call is None:
        return
    body = codec.loads(call.body)
    names = body["Properties"]
    assert len(set(names)) == len(names)
    assert {name.partition(".")[0] for name in names} == set(body["Entity"]) - {"Id"}
    assert not {"Id", "ConcurrencyId", "IsNew", "PerformDeletion"} & set(names)
