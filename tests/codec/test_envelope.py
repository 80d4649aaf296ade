"""The envelopes of responses: both readings of each say the same."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from tests.codec.test_codec_decode import fingerprint
from wosdk_async import codec
from wosdk_async.errors import RefusedError
from wosdk_async.model import (
    CommandResult,
    CompositeCommandResponse,
    EntitySpecifier,
    WoActionResponse,
    WorkOrder,
)
from wosdk_async.protocol import envelopes
from wosdk_async.protocol.wire import InconclusiveResponse

DATA = b'{"Id": 7, "StatusId": "New", "VendorNte": {"Value": 1.50}, "New": [1.0]}'
RECORDS = [
    b'{"Data": %s}' % DATA,
    b'{"Data": %s, "RequestId": "a"}' % DATA,
    b'{"Entities": [{"Data": %s}]}' % DATA,
    b'{"Entities": [{"Data": {"Id": 8}}], "Data": %s}' % DATA,
    b'{"Entities": [], "Data": %s}' % DATA,
    b'{"Entities": null, "Data": %s}' % DATA,
    *(b'{"Entities": []}', b'{"Entities": null}', b'{"Entities": [{}]}', b'{"Entities": [{"Data": null}]}'),
    *(
        b'{"Data": null}',
        b'{"Data": []}',
        b'{"Data": {}, "Data": {"Id": 1}}',
        b"{}",
        b"[]",
        b"null",
        b"",
        b"<p>",
    ),
    *(b'{"Entities": {}}', b'{"Entities": ""}', b'{"Data": {"Id": 1}, "ErrorInfo": {"Number": 5}}'),
    *(b'{"data": {}}', b'{"Data": {}, "Other": 1}', b'{"Data": {}, "Other": "\xff"}', b'{"Data": {}} {}'),
]
ROWS = [
    *(
        b'{"Entities": [{"Data": %s}, {"Data": {"Id": 8}}]}' % DATA,
        b'{"Entities": []}',
        b'{"Entities": null}',
    ),
    *(
        b'{"Entities": [{"Data": null}]}',
        b'{"Entities": [{"Data": {}, "More": 1}], "Total": 5}',
        b'{"Data": {}}',
    ),
    b'{"Entities": [{"Data": {}}, {"Data": {"Id": 1, "New": 1}}], "RequestId": null}',
    *(b'{"Entities": {}}', b'{"Entities": ""}', b'{"Entities": [], "ErrorInfo": {"Number": 5}}'),
]
RESULTS = [
    b'{"CommandResult": {"Wo": %s}, "RequestId": "a"}' % DATA,
    b'{"CommandResult": {"Wo": %s, "ErrorInfo": null}}' % DATA,
    b'{"CommandResult": {"Wo": %s, "ErrorInfo": {}}}' % DATA,
    b'{"CommandResult": {"ErrorInfo": {"Number": 5, "Description": "no"}}}',
    b'{"CommandResult": {"Wo": {}, "ErrorInfo": {"Type": "T"}}, "RequestId": "a"}',
    *(b'{"CommandResult": {"ErrorInfo": "no"}}', b'{"CommandResult": {"errorinfo": {"Number": 5}}}'),
    *(b'{"CommandResult": null}', b'{"CommandResult": []}', b'{"CommandResult": 5}', b"{}", b"[1]"),
]
COMPOSITES = [
    b'{"CommandResult": {"Responses": [{"Wo": {"Id": 5}}, {"ErrorInfo": null}]}, "RequestId": "a"}',
    b'{"CommandResult": {"Responses": null}}',
    b'{"CommandResult": {"responses": [5, {"errorInfo": {"Number": 6, "Description": "no"}}]}}',
    b'{"CommandResult": {"Responses": [{"ErrorInfo": "no"}]}}',
]
SPECIFIERS = [
    b'{"EntitySpecifier": {"EntityType": "Contact", "Id": 5, "ConcurrencyId": 2}}',
    *(b'{"EntitySpecifier": {"Id": 5, "New": 1}, "RequestId": "a"}', b'{"EntitySpecifier": null}', b"{}"),
    b'{"EntitySpecifier": {}, "NestedEntitiesOperationResults": []}',
    b'{"EntitySpecifier": {"Id": 5}, "ErrorInfo": "no"}',
]
FORMS = [
    pytest.param(envelopes.RECORD, WorkOrder, RECORDS, id="record"),
    pytest.param(envelopes.ROWS, WorkOrder, ROWS, id="rows"),
    pytest.param(envelopes.RESULT, WoActionResponse, RESULTS, id="result"),
    pytest.param(envelopes.RESULT, CommandResult, RESULTS, id="unknown result"),
    pytest.param(envelopes.RESULT, CompositeCommandResponse, COMPOSITES, id="composite"),
    pytest.param(envelopes.SPECIFIER, EntitySpecifier, SPECIFIERS, id="specifier"),
]


def outcome(read: Any) -> Any:
    return outcome_of(lambda: fingerprint(read()))


def outcome_of(read: Any) -> Any:
    try:
        return read()
    except (RefusedError, InconclusiveResponse, ValueError, TypeError, KeyError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(("form", "cls", "bodies"), FORMS)
def test_both_readings_say_the_same(form: codec.Envelope, cls: type[Any], bodies: list[bytes]) -> None:
    """Whatever the envelope and however often it was seen: the same objects, the same errors."""
    for body in bodies * 8:
        plain = outcome(lambda: form.plain(codec.loads(body), lambda data: codec.structure(data, cls)))  # noqa: B023
        assert outcome(lambda: envelopes.objects(form, cls)(body)) == plain  # noqa: B023


@pytest.mark.parametrize("cls", [WorkOrder, "WorkOrder"])
def test_a_page_decoded_in_slices_is_the_page(
    cls: type[WorkOrder] | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rows and errors as of the page decoded at once, and each error before the first slice."""
    for module in (codec, codec.json):
        monkeypatch.setattr(module, "LARGE", -1)  # so that all pages are decoded in slices
    odd = [
        b'{"Entities": [{"Data": {"Id": 1}}, {"Data": {"Number": %s}}]}' % each
        for each in (b'"\xff"', b"NaN")
    ]
    for body in [*ROWS, *odd] * 8:
        page = outcome_of(lambda: envelopes.page_decoder(cls)(body))  # noqa: B023
        if not isinstance(page, tuple):  # an error
            page = fingerprint(page if isinstance(page, list) else list(chain.from_iterable(page)))
        assert page == outcome(lambda: envelopes.objects(envelopes.ROWS, cls)(body))  # noqa: B023


@pytest.mark.parametrize(("form", "cls", "bodies"), FORMS)
def test_documented_envelopes_are_read_the_fast_way(
    form: codec.Envelope, cls: type[Any], bodies: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An envelope of the documentation does not go through the loaded document, once its like was seen."""
    # Other tests have sent it, and the work order in it, all the unknown names that they learn.
    fresh = type(cls.__name__, (cls,), {})
    body = bodies[0].replace(b', "New": [1.0]', b"")
    for _ in range(3):
        envelopes.objects(form, fresh)(body)
    monkeypatch.setattr("wosdk_async.codec.loads", lambda body: pytest.fail("was loaded"))
    assert envelopes.objects(form, fresh)(body)
