"""Typed asyncio client for the Corrigo Enterprise REST work-order service (unofficial).

A call passes down this chain, and its response comes back up::

    company.py            all verbs of a Company; resources/ has the most common operations
    calls/sender.py       session, options and trace of a Company's calls
    query/                validated conditions, paging past the row cap
    protocol/             verbs to Calls, responses to values or errors; no I/O
    codec/                model objects to JSON and back
    transport/            deadline -> retry( limiter slot -> session -> engine.send -> read the response )
    transport/http/       bytes out, bytes in

``client.py`` owns the transport for many Companies. ``calls/`` runs calls concurrently and looks up those in
doubt. ``model/`` holds the service's classes (generated from ``catalogue/``), ``jobs/`` processes files, and
``sandbox/`` is a local Company for experiments. See ``docs/architecture.md``.

Most programs need only the names below. Model classes (``WorkOrder``, ``WoCreateCommand``, ...) can also be
imported from here; they load on first use. ``from wosdk_async import *`` loads all classes, which takes time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wosdk_async.pydantic_hook import PydanticHook
from wosdk_async.version import VERSION as __version__

if TYPE_CHECKING:
    from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
    from wosdk_async.calls.run_many import Run
    from wosdk_async.client import Client
    from wosdk_async.codec.json_schema import json_schema
    from wosdk_async.codec.records import from_dict, from_json, to_dict, to_json
    from wosdk_async.company import Company
    from wosdk_async.errors import *  # noqa: F403
    from wosdk_async.model import *  # noqa: F403
    from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy, Timeouts
    from wosdk_async.options.hooks import Attempt, DryRun
    from wosdk_async.protocol.wire import Call, Response
    from wosdk_async.query.builder import Query
    from wosdk_async.query.fields import fields
    from wosdk_async.query.plan import Condition
    from wosdk_async.resources.changes import ChangeFeed
    from wosdk_async.resources.watermark import Watermark
    from wosdk_async.text.remedies import Remedy
    from wosdk_async.text.secret import Secret
    from wosdk_async.transport.session.credentials import AccessToken, CredentialProvider, Credentials, Region
    from wosdk_async.transport.telemetry.statistics import Stats, Trace
    from wosdk_async.web.problems import ProblemDetails, ProblemRule, problem_of
    from wosdk_async.web.validation import read_event

__all__ = [
    "AccessToken",
    "Attempt",
    "Call",
    "CallOptions",
    "ChangeFeed",
    "Client",
    "ClientOptions",
    "Company",
    "Condition",
    "CredentialProvider",
    "Credentials",
    "Done",
    "DryRun",
    "Failed",
    "InDoubt",
    "Limits",
    "NotStarted",
    "Outcome",
    "ProblemDetails",
    "ProblemRule",
    "Query",
    "Region",
    "Remedy",
    "Response",
    "RetryPolicy",
    "Run",
    "Secret",
    "Stats",
    "Timeouts",
    "Trace",
    "Watermark",
    "__version__",
    "fields",
    "from_dict",
    "from_json",
    "json_schema",
    "problem_of",
    "read_event",
    "to_dict",
    "to_json",
]


def _record_schema(cls: type[Any]) -> Any:
    from wosdk_async.web.pydantic import record_schema

    return record_schema(cls)


PydanticHook.record_schema = _record_schema

if TYPE_CHECKING:
    from wosdk_async import errors as _errors
    from wosdk_async import model as _model

    __all__ += _errors.__all__
    __all__ += _model.__all__
else:  # at run time, __getattr__ adds these names on `import *`, so that no other import loads the modules
    _OWN = tuple(__all__)
    del __all__

_EXPORTS = {
    "client": ("Client",),
    "company": ("Company",),
    "options.hooks": ("Attempt", "DryRun"),
    "protocol.wire": ("Call", "Response"),
    "calls.run_many": ("Run",),
    "resources.changes": ("ChangeFeed",),
    "resources.watermark": ("Watermark",),
    "calls.outcome": ("Done", "Failed", "InDoubt", "NotStarted", "Outcome"),
    "query.builder": ("Query",),
    "query.plan": ("Condition",),
    "query.fields": ("fields",),
    "codec.json_schema": ("json_schema",),
    "codec.records": ("from_dict", "from_json", "to_dict", "to_json"),
    "text.remedies": ("Remedy",),
    "text.secret": ("Secret",),
    "transport.session.credentials": ("AccessToken", "CredentialProvider", "Credentials", "Region"),
    "options": ("CallOptions", "ClientOptions", "Limits", "RetryPolicy", "Timeouts"),
    "transport.telemetry.statistics": ("Stats", "Trace"),
    "web.problems": ("ProblemDetails", "ProblemRule", "problem_of"),
    "web.validation": ("read_event",),
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}


if not TYPE_CHECKING:  # with this function, type checkers would accept any name

    def __getattr__(name: str) -> Any:
        """Import a name's module on first use, so that a program loads only what it uses."""
        if name == "__all__":
            errors, model = (import_module(f"wosdk_async.{each}").__all__ for each in ("errors", "model"))
            value = globals()[name] = [*_OWN, *errors, *model]
            return value
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _MODULE_OF.get(name) or ("errors" if name.endswith("Error") else "model")
        try:
            value = getattr(import_module(f"wosdk_async.{module}"), name)
        except AttributeError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
