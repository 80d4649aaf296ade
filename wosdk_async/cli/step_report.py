"""Steps of a diagnosis: how each ended, what to do if it failed, and the report for people or as JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import IO, Any

import attrs

from wosdk_async.cli.exit_codes import Exit, status_of
from wosdk_async.cli.output.cells import json_text, visible
from wosdk_async.errors import (
    CredentialsError,
    DeadlineError,
    DiscoveryError,
    NoAnswerError,
    NotSentError,
    RefusedError,
    SessionRefusedError,
    UnknownCompanyError,
    WosdkError,
)

__all__ = ["Route", "Step", "StepReport", "failed", "remedy"]


@attrs.frozen(kw_only=True)
class Route:
    """Host that a step contacts, and the proxy on the way to it."""

    host: str
    proxy: str | None
    """Address without user and password; None for a direct connection."""
    proxy_setting: str
    """What names the proxy, or rules it out; empty if nothing does."""

    def __str__(self) -> str:
        setting = f" ({self.proxy_setting})" if self.proxy_setting else ""
        if self.proxy is None:
            return f"direct connection to {self.host}{setting}"
        return f"connection to {self.host} by proxy {self.proxy}{setting}"

    def remedy(self, variable: str) -> str:
        """Return what to check if the connection fails; ``variable`` may set the address of the host."""
        if self.proxy is not None:
            return f"check the proxy that {self.proxy_setting} names, or name {self.host} in NO_PROXY"
        address = f", and {variable} if you set it" if variable else ""
        proxy = "" if self.proxy_setting else "; if this network needs a proxy, set HTTPS_PROXY"
        return f"check the network and the firewall{address}{proxy}"


@attrs.frozen(kw_only=True)
class Step:
    """The outcome of one step."""

    step: str
    ok: bool = True
    seconds: float = 0.0
    detail: str = ""
    remedy: str = ""
    status: Exit = attrs.field(default=Exit.DONE, repr=str)
    route: Route | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the step as JSON."""
        data = {"step": self.step, "ok": self.ok, "seconds": round(self.seconds, 3), "detail": self.detail}
        data |= {"remedy": self.remedy} if not self.ok else {}
        return data | attrs.asdict(self.route) if self.route else data


def failed(name: str, error: WosdkError, seconds: float = 0.0, route: Route | None = None) -> Step:
    """Return the step that ``error`` ended."""
    text = remedy(error, route.remedy(_VARIABLES.get(name, "")) if route else _NETWORK)
    status = status_of(error)
    return Step(
        step=name, ok=False, seconds=seconds, detail=str(error), remedy=text, status=status, route=route
    )


class StepReport:
    """The steps so far; they are written to ``file``, if there is one, as they end."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self._steps: list[Step] = []

    @property
    def status(self) -> Exit:
        """The exit status of the last step."""
        return self._steps[-1].status

    @property
    def last(self) -> Step:
        """The last step, which is the one that failed if one did."""
        return self._steps[-1]

    def add(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)
        if self._file is None:
            return
        tick = "✓" if step.ok else "✗"
        detail = f"{step.detail}; {step.route}" if step.route else step.detail
        self._file.write(f"{tick} {step.step:<12}{step.seconds:6.3f} s  {visible(detail)}\n")
        if step.remedy:
            self._file.write(f"{'':24}{visible(step.remedy)}\n")
        self._file.flush()

    async def add_all(self, steps: AsyncIterator[Step]) -> None:
        """Add each step when it ends."""
        async for step in steps:
            self.add(step)

    def write_json(self, file: IO[str]) -> None:
        """Write all steps as one JSON object."""
        data = {"ok": self.status is Exit.DONE, "steps": [step.as_dict() for step in self._steps]}
        file.write(f"{json_text(data)}\n")


# --- what to do about a step that failed ----------------------------------------------------

_NETWORK = "check the network and the firewall"
_VARIABLES = {"token": "WOSDK_TOKEN_URL", "discovery": "WOSDK_LOCATOR_URL"}
"""What sets the address of a step's host."""

# Messages of the system and of OpenSSL in lower case; the first that fits. The errors themselves are not
# kept, because they would hold the request, and with it the token.
_BY_TEXT = (
    (("[ssl",), "the other side does not speak TLS: the address has the wrong port, or a proxy responds"),
    (
        ("name or service", "nodename nor", "name resolution", "no address associated", "getaddrinfo"),
        "the name server does not know the host: {network}",
    ),
    (("refused", "connect call failed"), "nothing listens there: {network}"),
    (("timeout", "timed out", "no connection within"), "nothing responds there: {network}"),
)


def remedy(error: WosdkError, network: str = _NETWORK) -> str:
    """Return what to do about ``error``, or check of the ``network``; empty if its own message says so."""
    if error.remedy:
        return ""
    if isinstance(error, DeadlineError):
        return f"it took too long; --deadline gives it more time, or {network}"
    if isinstance(error, NotSentError | NoAnswerError):
        text = error.message.lower()
        found = next((say for signs, say in _BY_TEXT if any(sign in text for sign in signs)), None)
        if found is not None:
            return found.replace("{network}", network)
    if isinstance(error, NotSentError):
        return network
    return next((text for kind, text in _BY_KIND if isinstance(error, kind)), "")


_BY_KIND: tuple[tuple[type[WosdkError], str], ...] = (
    (
        CredentialsError,
        "the pair belongs to one Company and its secret is shown once: "  # facts 10 row 25
        "have an administrator generate a new one if in doubt",
    ),
    (UnknownCompanyError, "it may be at home in another region: WOSDK_REGION is americas, apac or emea"),
    (DiscoveryError, "name the host in WOSDK_TRUSTED_HOSTS only if it is yours"),
    (SessionRefusedError, "the token was given and then refused: try again, then ask the administrator"),
    (
        RefusedError,  # facts 1 names the right; how its lack is refused is not shown; assumed
        "the login is good: its role may lack rights; it needs 'Permissions - Web Services Access'",
    ),
    (NoAnswerError, "something else than the service may respond there: a proxy, or a page of maintenance"),
)
