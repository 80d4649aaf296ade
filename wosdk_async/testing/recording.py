"""Recording of a program's requests and responses, in a file without secrets, and replay of the file.

The first run records a test against a real Company. Later runs replay the file, without a network and without
waiting. ``docs/testing.md`` shows the ``wosdk_recording`` fixture.
"""

from __future__ import annotations

import difflib
import os
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wosdk_async.client import Client
from wosdk_async.errors import ConfigurationError
from wosdk_async.options import ClientOptions, Limits, as_limits
from wosdk_async.protocol.wire import Response
from wosdk_async.testing.clock import SkippingClock
from wosdk_async.testing.engines import RawExchange, RecordingEngine, ReplayEngine
from wosdk_async.testing.recorded_exchanges import (
    MAX_EXCHANGES,
    RecordedExchange,
    RemainingExchanges,
    load_exchanges,
    write_exchanges,
)
from wosdk_async.testing.scrubbing import Cleaner, Names, Scrub, body_bytes, request_id_of, secrets_of
from wosdk_async.text.safe_text import shortened
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.credentials import Credentials

_COMPANY = "RecordedCompany"
_NETWORK = ("transport", "http_client", "ssl_context", "proxy", "trust_env", "timeouts")
_IGNORED_IN_REPLAY = ("credentials", "region", "profile", "engine", "clock", *_NETWORK)
_MAX_DIFF = 4000  # characters
_HIDDEN = {
    "***": "*** hides a credential or password that the replay does not know: leave it out of the request",
    "{company ": "{company ...} hides the Company's name: pass it as client(company=...)",
}
"""Hints for replaying requests that contain a replacement text, keyed by the beginning of this text."""
_MAX_UNPLAYED = 500  # characters


class UnrecordedRequestError(AssertionError):
    """Request missing from the recording, or sent more often than recorded; fails the test."""


class UnplayedRequestError(AssertionError):
    """Recorded request that a replay did not send; fails the test."""


class Recording:
    """Requests and responses of a program, recorded to or replayed from a file.

    ::

        with Recording("orders.json", record=True) as recording:  # without record=, the file is replayed
            async with recording.client() as client:
                await my_program(client.company())

    When recording, ``Client.from_env`` creates the client, and the file is written when the block ends
    without an error. The file contains no tokens or credentials in recognized forms; passwords, URL
    signatures, hosts and Company names are replaced.

    When replaying, nothing is sent and no time passes. A request gets a response if its method, path and body
    match a recorded request. RequestIds may differ. Times may differ too, unless several recorded requests
    match and have different responses. Identical requests get responses in recorded order. Any other request
    raises UnrecordedRequestError; if the program catches it, the end of the block raises it again. At the
    end, all recorded requests must have been sent.

    Args:
        path: recording file.
        record: whether to record rather than replay.
        scrub: function that removes personal data from the decoded JSON of each body. It is also applied to
            replayed requests before they are compared.
        keep_names: whether to keep Company names unchanged.

    Attributes:
        allow_unplayed: whether a replay may end before all recorded requests have been sent; False at first.
        unrecorded: error messages of unrecorded requests; clear the list if the test expects them.

    Raises:
        ConfigurationError: the file cannot be replayed.
        UnplayedRequestError: (when the block ends without an error) a recorded request was not sent.
        UnrecordedRequestError: (when the block ends without an error) an unrecorded request was sent, and
            the program caught the error.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        record: bool = False,
        scrub: Scrub | None = None,
        keep_names: bool = False,
    ) -> None:
        self.path = Path(path)
        self.record = record
        self.allow_unplayed = False
        self.unrecorded: list[str] = []
        self._names = Names(keep_names)
        self._cleaner = Cleaner(self._names, scrub or (lambda body: body))
        self._raw: list[RawExchange] = []
        self._recorded, companies = ((), ()) if record else load_exchanges(self.path)
        self._companies = list(companies)  # one per client, in order of creation
        self._clients = 0
        self._remaining = RemainingExchanges(self._recorded)

    def __repr__(self) -> str:
        doing = f"recording {len(self._raw)}" if self.record else f"playing {len(self._recorded)}"
        return f"<Recording {str(self.path)!r} {doing} exchanges>"

    def client(self, environ: Mapping[str, str] | None = None, **options: Any) -> Client:
        """Return a client whose requests are recorded or replayed.

        Args:
            environ: variables for the Company to record, instead of ``os.environ``.
            options: see :meth:`Client.from_env <wosdk_async.client.Client.from_env>`. A replay ignores
                credentials, region, clock and network options.
        """
        if self.record:
            network = {name: options.pop(name) for name in _NETWORK if name in options}
            own = ClientOptions(**network, limits=as_limits(options.get("limits", Limits())))
            make = options.pop("engine", None) or partial(engine_for, own)
            client = Client.from_env(
                environ, engine=lambda limits: RecordingEngine(make(limits), self._keep), **options
            )
            try:
                self._companies.append(client.company().name)
            except ConfigurationError:  # no default, because the program names its Companies
                self._companies.append("")
            return client
        kept = {name: value for name, value in options.items() if name not in _IGNORED_IN_REPLAY}
        clock = SkippingClock()
        return Client(
            credentials=Credentials("wosdk-replay-id", "wosdk-replay-secret"),
            engine=lambda limits: ReplayEngine(limits.connections, self._play, clock),
            clock=clock.client_clock(),
            **{"company": self._played_company(), **kept},
        )

    def _played_company(self) -> str:
        """Return a name for the next client's default Company; a replay does not know the real name."""
        recorded = self._companies[self._clients] if self._clients < len(self._companies) else ""
        first = self._companies.index(recorded) if recorded else self._clients
        self._clients += 1
        name = f"{_COMPANY}{first + 1}" if first else _COMPANY
        if recorded:
            self._names.defaults[name] = recorded
        return name

    def save(self) -> None:
        """Write the recording atomically.

        Raises:
            ConfigurationError: the recording is too large or still contains a secret. Nothing was written.
        """
        secrets = secrets_of(self._raw)
        for raw in self._raw:
            self._names.add_origins_of(raw)
            self._names.company(raw.header("CompanyName"))
        companies = [self._names.company(name) for name in self._companies]
        exchanges = [self._cleaner.exchange(raw, secrets) for raw in self._raw]
        for raw, kept in zip(self._raw, exchanges, strict=True):
            if self._cleaner.request(raw).key != kept.key:
                warnings.warn(
                    f"{kept.method} {kept.path} cannot be replayed: the recording hides the client id, secret"
                    " or token in it; leave them out of the request",
                    stacklevel=2,
                )
        write_exchanges(self.path, exchanges, companies, secrets)

    @property
    def unplayed(self) -> tuple[str, ...]:
        """Recorded requests, except log-ins, not sent yet, such as ``POST /api/v1/query/WorkOrder``."""
        return tuple(f"{each.method} {each.path}" for each in self._remaining.required())

    def require_played(self) -> None:
        """Raise an error unless the program sent the recorded requests and no others.

        Raises:
            UnrecordedRequestError: a request was not recorded, and ``unrecorded`` still has it.
            UnplayedRequestError: a recorded request was not sent, and ``allow_unplayed`` is not set.
        """
        if self.unrecorded:
            raise UnrecordedRequestError(
                f"The program caught the errors of {len(self.unrecorded)} requests that were not recorded (to"
                f" allow these, clear .unrecorded):\n{self.unrecorded[0]}"
            )
        if (unplayed := self.unplayed) and not self.allow_unplayed:
            kinds = ", ".join(f"{times} {name}" for name, times in Counter(unplayed).items())
            raise UnplayedRequestError(
                f"{len(unplayed)} recorded requests were not sent ({shortened(kinds, _MAX_UNPLAYED)}); record"
                f" {self.path} again, or set allow_unplayed"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.save() if self.record else self.require_played()

    def _keep(self, raw: RawExchange) -> None:
        if len(self._raw) <= MAX_EXCHANGES:  # one more than allowed, so that writing fails
            self._raw.append(raw)

    def _play(self, raw: RawExchange) -> Response | str:
        request = self._cleaner.request(raw)
        found = self._remaining.take(request)
        if not isinstance(found, RecordedExchange):
            self.unrecorded.append(found or self._unrecorded(request))
            raise UnrecordedRequestError(self.unrecorded[-1])
        if found.failure:
            return found.failure
        restored = partial(self._names.restored, request_id=request_id_of(raw.shown_body))
        headers = {name: restored(value) for name, value in found.headers.items()}
        return Response(found.status, headers, body_bytes(found.response, restored))

    def _unrecorded(self, request: RecordedExchange) -> str:
        """Return the error message for an unrecorded request, with the most similar recorded one."""
        asked = f"{request.method} {request.path}"
        if times := sum(each.key == request.key for each in self._recorded):
            return f"{asked} was sent more often than recorded ({times}); record {self.path} again"
        same = [each for each in self._recorded if (each.method, each.path) == (request.method, request.path)]
        nearest = max(same or self._recorded, key=partial(_likeness, request), default=None)
        if nearest is None:
            return f"{asked} was not recorded: {self.path} is empty"
        lines = list(
            difflib.unified_diff(
                _lines(nearest), _lines(request), "the nearest recorded request", "this request", lineterm=""
            )
        )
        recorded = [line for line in lines if line.startswith("-") and not line.startswith("-Company: ")]
        for hidden in (line[1:] for line in recorded if "***" in line):  # the same value is hidden here, too
            shape = re.escape(f"+{hidden}").replace(r"\*\*\*", ".*")
            lines = [f"+{hidden}" if re.fullmatch(shape, line) else line for line in lines]
        hints = [hint for mark, hint in _HIDDEN.items() if any(mark in line for line in recorded)]
        summary = "; ".join((f"{asked} was not recorded in {self.path}", *hints))
        return shortened("\n".join((summary, *lines)), _MAX_DIFF)


def _lines(request: RecordedExchange) -> list[str]:
    method, path, company, body = request.key
    return [f"{method} {path}", f"Company: {company}", *body.splitlines()]


def _likeness(request: RecordedExchange, other: RecordedExchange) -> float:
    """Return the similarity of two requests, from 0 to 1."""
    return difflib.SequenceMatcher(None, _lines(request), _lines(other), autojunk=False).ratio()
