"""Pages of the API: the public names, grouped by what a reader wants; mkdocstrings fills them in."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["GROUPS", "names", "own_members_only", "pages", "tree"]

GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "client": (
        "Client and Company",
        "The client, which holds the connections, and a Company with its verbs.",
        ("Client", "Company", "Credentials", "CredentialProvider", "Region", "Secret"),
    ),
    "resources": (
        "Helpers of a Company",
        "What `company.work_orders`, `.documents`, `.custom_fields` and `.labor` can do.",
        (
            "resources.work_orders.WorkOrders",
            "resources.documents.Documents",
            "resources.custom_fields.CustomFields",
            "resources.labor.Labor",
        ),
    ),
    "options": (
        "Options",
        "Options of a client, of its calls and of its connections.",
        ("ClientOptions", "CallOptions", "RetryPolicy", "Limits", "Timeouts"),
    ),
    "queries": (
        "Queries and changes",
        "Conditions, queries, and the feed of changes.",
        ("Query", "Condition", "fields", "ChangeFeed", "Watermark"),
    ),
    "many": (
        "Many calls",
        "What `company.run_many` gives, and the four outcomes of an input.",
        ("Run", "Outcome", "Done", "Failed", "InDoubt", "NotStarted"),
    ),
    "errors": (
        "Errors",
        "Every exception of the library, and problem bodies for web callers.",
        (
            "WosdkError",
            "ConfigurationError",
            "InvalidCallError",
            "UnknownPropertyError",
            "UnknownFieldError",
            "UnsupportedError",
            "RefusedError",
            "BusinessRuleError",
            "ConflictError",
            "NotFoundError",
            "NameNotFoundError",
            "NotUniqueError",
            "UnknownNameError",
            "SessionError",
            "SessionRefusedError",
            "CredentialsError",
            "DiscoveryError",
            "UnknownCompanyError",
            "NotSentError",
            "DeadlineError",
            "ThrottledError",
            "OverloadedError",
            "NoAnswerError",
            "InDoubtError",
            "DownloadError",
            "PayloadError",
            "ProblemDetails",
            "problem_of",
            "web.problems.ProblemRule",
            "web.problems.PROBLEMS",
        ),
    ),
    "records": (
        "Records as data",
        "Records to and from dicts, JSON and JSON Schema, and bodies of webhooks.",
        ("to_dict", "from_dict", "to_json", "from_json", "json_schema", "read_event"),
    ),
    "observe": (
        "Observing calls",
        "Traces, figures, and hooks on calls and attempts.",
        (
            "Trace",
            "Stats",
            "Attempt",
            "DryRun",
            "options.hooks.AttemptHook",
            "options.hooks.BeforeSend",
            "options.hooks.OnInDoubt",
        ),
    ),
    "jobs": (
        "Imports and exports",
        "Work on whole files from a program.",
        tuple(
            f"jobs.{name}"
            for name in (
                "Import",
                "ImportOptions",
                "ImportMap",
                "ImportMapError",
                "Summary",
                "Row",
                "RowOutcome",
                "StopAfter",
                "open_source",
                "Source",
                "CsvFile",
                "FileDialect",
                "Export",
                "IncrementalExport",
                "ExportOptions",
                "ExportSummary",
                "tune_process",
            )
        ),
    ),
    "sandbox": (
        "The local Company",
        "A Company on this machine, in your process or in its own.",
        tuple(
            f"sandbox.{name}"
            for name in (
                "LocalCompany",
                "serve",
                "create_app",
                "open_store",
                "StoreError",
                "Faults",
                "FaultScriptError",
                "Clock",
                "VirtualClock",
            )
        ),
    ),
    "testing": (
        "Tests of your program",
        "What the pytest fixtures give, routes for respx, and recordings.",
        tuple(
            f"testing.{name}"
            for name in (
                "Sandbox",
                "Snapshot",
                "SkippingClock",
                "RecordedRequest",
                "routes",
                "Routes",
                "Recording",
                "UnrecordedRequestError",
                "UnmatchedFaultWarning",
            )
        ),
    ),
    "web": (
        "Web frameworks",
        "Adapters for Pydantic, FastAPI, Litestar and ASGI.",
        (
            "web.pydantic.Strict",
            "web.pydantic.UnknownRefused",
            "web.pydantic.record_schema",
            "web.fastapi.encode_records",
            "web.litestar.RecordPlugin",
            "web.asgi.CancelAbandonedReads",
            "web.asgi.one_line",
        ),
    ),
}
"""Page -> its title, what a reader gets, and names below ``wosdk_async``."""
SHORTER = {"fields": "show_overloads: false", "web.problems.PROBLEMS": "show_attribute_values: false"}
"""Names with a switch of mkdocstrings: an overload for each entity, and a value of a hundred lines."""


def names() -> list[str]:
    """Return the full name of everything that the pages show."""
    return [f"wosdk_async.{name}" for _, _, group in GROUPS.values() for name in group]


def pages() -> dict[str, str]:
    """Return path -> text of all pages."""
    found = {f"api/{page}.md": "\n".join(_page(*group)) for page, group in GROUPS.items()}
    found["api/index.md"] = "\n".join(_index())
    return found


def tree() -> dict[str, list[object]]:
    """Return folder -> its part of the nav."""
    return {"api/": ["api/index.md", *(f"api/{page}.md" for page in GROUPS)]}


def _page(title: str, about: str, group: tuple[str, ...]) -> Iterator[str]:
    yield f"# {title}\n\n{about}\n"
    for name in group:
        option = "inherited_members: false" if own_members_only(name) else SHORTER.get(name)
        yield f"::: wosdk_async.{name}\n" + (f"    options:\n      {option}\n" if option else "")


def own_members_only(name: str) -> bool:
    """Return whether a name is an error; ``WosdkError`` shows what all of them have."""
    return name.endswith("Error") and name != "WosdkError"


def _index() -> Iterator[str]:
    yield "# API\n\nEvery public name, from its docstring, grouped by what you want to do. Entities, commands"
    yield "and enums are classes too: the [entities](../entities/index.md),"
    yield "[commands](../commands/index.md) and"
    yield "[enums](../enums/index.md) have their fields and values.\n"
    for page, (title, about, group) in GROUPS.items():
        shown = ", ".join(f"[`{name.rpartition('.')[2]}`]({page}.md#wosdk_async.{name})" for name in group)
        yield f"## {title}\n\n[{about.rstrip('.')}]({page}.md): {shown}\n"
