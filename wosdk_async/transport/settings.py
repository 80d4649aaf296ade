"""What a transport is made with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import attrs

from wosdk_async.options import Limits, OnInDoubt
from wosdk_async.protocol.wire import Call, Response
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.http.engine import Engine, StreamingEngine
from wosdk_async.transport.network import Network
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.telemetry.hooks import AttemptHook

__all__ = ["BeforeSend", "TransportSettings"]

BeforeSend = Callable[[Call[Any], str], Awaitable[Response | None]]
"""Asked once for each call, with the Company's name, before anything of it is sent; of a call with a marker,
once for each attempt and each look. What it raises stops the call; a Response is taken for the service's
response; None lets it go. Its time counts against the deadline, which does not end it; closing does not wait.
"""


@attrs.frozen(kw_only=True)
class TransportSettings:
    """``network`` is how to get there, ``in_flight`` the bound of each Company's calls.

    The rest as in :class:`~wosdk_async.client.Client`. ``engine`` makes an engine of such limits,
    ``files`` one that downloads go over.
    """

    hosts: HostRules
    network: Network = attrs.field(factory=Network)
    in_flight: int
    rate: float | None = None
    max_queued: int | None = None
    adaptive: bool = False
    retry_quota: float = 500
    check_request_ids: bool = True
    read_only: bool = False
    before_send: BeforeSend | None = None
    on_in_doubt: OnInDoubt | None = None
    on_attempt: AttemptHook | None = None
    telemetry: bool = True
    traceparent: bool = False
    clock: Clock = Clock()
    engine: Callable[[Limits], Engine] | None = None
    files: Callable[[Limits], StreamingEngine] | None = None
