"""Checks of the arguments of a client that no class of their own checks."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

from wosdk_async.errors import ConfigurationError
from wosdk_async.option_checks import check_kind, check_number
from wosdk_async.options import CallOptions
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.validation import kind_of
from wosdk_async.transport.session.credentials import Credentials, Region

__all__ = ["check_credentials", "check_settings"]

_SWITCHES = ("check_request_ids", "trust_env", "http2", "adaptive", "read_only", "telemetry", "traceparent")
_HOOKS = ("before_send", "on_in_doubt", "on_attempt")


def check_settings(given: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for a value that an argument of the client does not take."""
    check_kind("region", given["region"], Region, "a Region, such as Region.EMEA")
    check_credentials(given["credentials"])
    if given["company"] is not None:
        check_kind("company", given["company"], str, "the name of a Company")
    if given["options"] is not None:
        check_kind("options", given["options"], CallOptions, "CallOptions(...)")
    if given["ssl_context"] is not None:
        check_kind("ssl_context", given["ssl_context"], ssl.SSLContext, "an ssl.SSLContext")
    if given["proxy"] is not None:
        _check_proxy(given["proxy"])
    for name in _SWITCHES:
        check_kind(name, given[name], bool, "True or False")
    for name in (*_HOOKS, "transport", "http_client"):
        if isinstance(given[name], type):
            raise ConfigurationError(
                f"{name} is {described(given[name])}; make one: {given[name].__name__}()"
            )
    for name in _HOOKS:
        if given[name] is not None and not callable(given[name]):
            raise ConfigurationError(f"{name} is a {type(given[name]).__name__}; it takes a function")
    check_number("in_flight", given["in_flight"], "a number of calls above 0", low=1, whole=True)
    check_number("retry_quota", given["retry_quota"], "a number, 0 or more")
    if given["rate"] is not None:
        check_number("rate", given["rate"], "calls in a second, a number above 0, or None", above=True)
    if given["max_queued"] is not None:
        check_number("max_queued", given["max_queued"], "a number of calls, 0 or more, or None", whole=True)


def _check_proxy(given: object) -> None:
    """Raise ConfigurationError for what cannot be the address of a proxy, without it: it may hold a password.

    A bare name is refused, though a variable of the environment may be one: it is a slip more often.
    """
    takes = "it takes the address of a proxy, such as http://proxy.example:8080"
    if not isinstance(given, str):
        raise ConfigurationError(f"proxy is {kind_of(given)}; {takes}")
    if any(char.isspace() for char in given) or not given:
        raise ConfigurationError(f"proxy is empty or has blanks in it; {takes}")
    if "://" not in given and not given.rpartition(":")[2].isdecimal():
        raise ConfigurationError(f"proxy has neither a scheme nor a port; {takes}")


def check_credentials(given: object) -> None:
    """Raise ConfigurationError for what is neither a pair nor a function that gives one."""
    is_class = isinstance(given, type)  # callable, and no function from a Company's name
    if is_class or not (given is None or isinstance(given, Credentials) or callable(given)):
        shown = described(given) if is_class else kind_of(given)
        raise ConfigurationError(  # without the value: it may be the pair
            f"credentials is {shown}; pass Credentials(client_id, client_secret), or an "
            "async function from a Company's name to them"
        )
