"""What the service posts to a webhook: the envelope of a query, as typed records.

**The signature is not checked.** The service signs its posts with a key of your choosing, but which header
carries the signature and how it is computed is not public. Until you know, let the address of your webhook be
the secret, and read back from the service what matters before you act on it.
"""
# facts 8

from __future__ import annotations

from typing import TypeVar

from wosdk_async.errors import PayloadError
from wosdk_async.model import Record
from wosdk_async.protocol import envelopes

__all__ = ["read_event"]

E = TypeVar("E", bound=Record)

_MAX_BODY = 8 * 1024 * 1024  # bytes; whoever knows the address can post


def read_event(body: bytes, entity: type[E]) -> list[E]:
    """The records of a posted ``body``, as the base object of the category that was subscribed to.

    ::

        for order in read_event(await request.body(), WorkOrder):
            ...

    Where the name of the event stands in the payload is not shown: fields that are not documented
    are in ``extra``. Raises PayloadError when the body is too long or is not the envelopes.
    """
    # facts 8
    if len(body) > _MAX_BODY:
        raise PayloadError(f"the body has {len(body)} bytes; more than {_MAX_BODY} are not read")
    try:
        found: list[E] = envelopes.objects(envelopes.ROWS, entity)(body)
        return found
    except (ValueError, TypeError, KeyError) as cause:
        raise PayloadError(
            f"this is not what the service posts, {{Entities: [{{Data}}]}}: {cause!r}"
        ) from cause
