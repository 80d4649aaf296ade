"""Events that the service posts to a webhook, as typed records.

**The signature is not checked.** The service signs its posts with a key of your choosing, but which header
carries the signature and how it is computed is not public. Until you know, keep the address of your webhook
secret, and read what matters from the service before you act on it.
"""
# facts 8

from __future__ import annotations

from typing import TypeVar

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import InvalidCallError, PayloadError
from wosdk_async.model import Record
from wosdk_async.protocol import envelopes

__all__ = ["read_event"]

E = TypeVar("E", bound=Record)

_MAX_BODY = 8 * 1024 * 1024  # bytes; everyone who knows the address can post


def read_event(body: bytes, entity: type[E]) -> list[E]:
    """Return the records of a posted ``body``; ``entity`` is the class of the category you subscribed to.

    ::

        for order in read_event(await request.body(), WorkOrder):
            ...

    The place of the event's name in the payload is not documented; fields that the class does not know are
    in ``extra``.

    Raises:
        PayloadError: the body is too long, or it is not what the service posts.
        InvalidCallError: ``body`` is not bytes.
    """
    # facts 8
    if not isinstance(body, bytes | bytearray | memoryview | str):
        raise InvalidCallError(
            f"read_event() takes the bytes of the body, await request.body(), and not {kind_of(body)}"
        )
    if len(body) > _MAX_BODY:
        raise PayloadError(f"the body has {len(body)} bytes; more than {_MAX_BODY} are not read")
    try:
        found: list[E] = envelopes.objects(envelopes.ROWS, entity)(body)
        return found
    except (ValueError, TypeError, KeyError) as cause:
        raise PayloadError(
            f"this is not what the service posts, {{Entities: [{{Data}}]}}: {cause!r}"
        ) from cause
