"""A typed asyncio client for the Corrigo Enterprise REST work-order service (unofficial).

One call goes down this chain, and its response comes back up::

    company.py            every verb of a Company; resources/ holds what programs ask for most
    calls/sender.py       session, options and trace of a Company's calls
    query/                conditions checked as they are built, pages past the row cap
    protocol/             a verb becomes a Call, a response becomes a value or an error; no input, no output
    codec/                objects of the model to JSON and back
    transport/            deadline -> retry( limiter slot -> session -> engine.send -> read the response )
    transport/http/       bytes out, bytes in

``client.py`` owns the transport of many Companies, ``calls/`` runs many calls at once and looks up those in
doubt. ``model/`` holds the classes of the service (written from ``catalogue/``), ``jobs/`` works on files,
``sandbox/`` is a local Company to try it on. ``docs/architecture.md`` says more.

The names below are all that most programs need; the classes of the model (``WorkOrder``,
``WoCreateCommand``, ...) can be imported from here as well and are loaded when they are named.
``from wosdk_async import *`` names all of them, and so takes as long as loading them all.
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
    from wosdk_async.errors import (
        BusinessRuleError,
        ConfigurationError,
        ConflictError,
        CredentialsError,
        DeadlineError,
        DiscoveryError,
        DownloadError,
        InDoubtError,
        InvalidCallError,
        NameNotFoundError,
        NoAnswerError,
        NotFoundError,
        NotSentError,
        NotUniqueError,
        OverloadedError,
        PayloadError,
        RefusedError,
        SessionError,
        SessionRefusedError,
        ThrottledError,
        UnknownCompanyError,
        UnknownFieldError,
        UnknownNameError,
        UnknownPropertyError,
        UnsupportedError,
        WosdkError,
    )
    from wosdk_async.model import *  # noqa: F403
    from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy, Timeouts
    from wosdk_async.options.hooks import Attempt, DryRun
    from wosdk_async.query.builder import Query
    from wosdk_async.query.fields import fields
    from wosdk_async.query.plan import Condition
    from wosdk_async.resources.changes import ChangeFeed
    from wosdk_async.resources.watermark import Watermark
    from wosdk_async.text.remedies import Remedy
    from wosdk_async.text.secret import Secret
    from wosdk_async.transport.session.credentials import CredentialProvider, Credentials, Region
    from wosdk_async.transport.telemetry.statistics import Stats, Trace
    from wosdk_async.web.problems import ProblemDetails, problem_of
    from wosdk_async.web.validation import read_event

__all__ = [
    "Attempt",
    "BusinessRuleError",
    "CallOptions",
    "ChangeFeed",
    "Client",
    "ClientOptions",
    "Company",
    "Condition",
    "ConfigurationError",
    "ConflictError",
    "CredentialProvider",
    "Credentials",
    "CredentialsError",
    "DeadlineError",
    "DiscoveryError",
    "Done",
    "DownloadError",
    "DryRun",
    "Failed",
    "InDoubt",
    "InDoubtError",
    "InvalidCallError",
    "Limits",
    "NameNotFoundError",
    "NoAnswerError",
    "NotFoundError",
    "NotSentError",
    "NotStarted",
    "NotUniqueError",
    "Outcome",
    "OverloadedError",
    "PayloadError",
    "ProblemDetails",
    "Query",
    "RefusedError",
    "Region",
    "Remedy",
    "RetryPolicy",
    "Run",
    "Secret",
    "SessionError",
    "SessionRefusedError",
    "Stats",
    "ThrottledError",
    "Timeouts",
    "Trace",
    "UnknownCompanyError",
    "UnknownFieldError",
    "UnknownNameError",
    "UnknownPropertyError",
    "UnsupportedError",
    "Watermark",
    "WosdkError",
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
    from wosdk_async import model as _model

    __all__ += _model.__all__
else:  # __getattr__ adds the names of the model when `import *` asks: nothing else should wait for them
    _OWN = tuple(__all__)
    del __all__

_EXPORTS = {
    "wosdk_async.client": ("Client",),
    "wosdk_async.company": ("Company",),
    "wosdk_async.options.hooks": ("Attempt", "DryRun"),
    "wosdk_async.calls.run_many": ("Run",),
    "wosdk_async.resources.changes": ("ChangeFeed",),
    "wosdk_async.resources.watermark": ("Watermark",),
    "wosdk_async.calls.outcome": ("Done", "Failed", "InDoubt", "NotStarted", "Outcome"),
    "wosdk_async.query.builder": ("Query",),
    "wosdk_async.query.plan": ("Condition",),
    "wosdk_async.query.fields": ("fields",),
    "wosdk_async.codec.json_schema": ("json_schema",),
    "wosdk_async.codec.records": ("from_dict", "from_json", "to_dict", "to_json"),
    "wosdk_async.text.remedies": ("Remedy",),
    "wosdk_async.text.secret": ("Secret",),
    "wosdk_async.transport.session.credentials": ("CredentialProvider", "Credentials", "Region"),
    "wosdk_async.options": ("CallOptions", "ClientOptions", "Limits", "RetryPolicy", "Timeouts"),
    "wosdk_async.transport.telemetry.statistics": ("Stats", "Trace"),
    "wosdk_async.web.problems": ("ProblemDetails", "problem_of"),
    "wosdk_async.web.validation": ("read_event",),
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}


if not TYPE_CHECKING:  # to type checkers every name would be one of the package

    def __getattr__(name: str) -> Any:
        """Import the module of a name when it is first used: a program loads only what it uses."""
        if name == "__all__":
            value = globals()[name] = [*_OWN, *import_module("wosdk_async.model").__all__]
            return value
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _MODULE_OF.get(name) or ("wosdk_async.errors" if name in _OWN else "wosdk_async.model")
        try:
            value = getattr(import_module(module), name)
        except AttributeError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
