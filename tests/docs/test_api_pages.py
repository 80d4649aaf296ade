"""The API pages: every public name, as its callers see it."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import attrs
import griffe
import pytest

import wosdk_async
from docs.builder.signatures import Signatures, markdown, names
from tests.docs.pages import ROOT
from tests.support.laws import each_of
from wosdk_async import model
from wosdk_async.client import ClientArguments

PUBLIC = (
    "jobs", "sandbox", "testing", "web.asgi", "web.problems", "options.hooks", "errors",
    "web.pydantic", "web.litestar",
)  # fmt: skip
PAGES = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
DIRECTIVES = dict(re.findall(r"^::: wosdk_async\.(\S+)\n((?:    .*\n)*)", PAGES, re.MULTILINE))
HIDES = re.compile(r'filters: \["!\^_", "!\^\((.+)\)\$"\]')


@pytest.fixture(scope="module")
def api() -> dict[str, Any]:
    """Name -> its object in mkdocstrings."""
    extensions = griffe.load_extensions(Signatures())
    package = griffe.load("wosdk_async", search_paths=[ROOT], extensions=extensions)
    found = {name: package[name] for name in names()}
    return {name: each.final_target if each.is_alias else each for name, each in found.items()}


def shown(member: Any) -> bool:
    """Whether a page shows it: it is public and has a docstring."""
    return bool(member.docstring) and not member.name.startswith("_")


def signatures(each: Any) -> str:
    """The signatures of a name and of its public members."""
    members = [one for name, one in getattr(each, "all_members", {}).items() if not name.startswith("_")]
    return "\n".join(one.signature() for one in (each, *members) if one.is_function or one.is_class)


def test_every_public_name_is_on_a_page() -> None:
    listed = names()
    assert len(listed) == len(set(listed))
    top = set(wosdk_async.__all__) - set(model.__all__) - {"__version__"}
    below = {
        f"{name}.{each}"
        for name in PUBLIC
        for each in import_module(f"wosdk_async.{name}").__all__
        if each not in top
    }
    assert top | below <= set(listed)


def test_the_index_has_every_name() -> None:
    """A link that leads nowhere fails the build."""
    index = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
    assert [name for name in names() if f"#wosdk_async.{name})" not in index] == []


def test_every_name_is_described(api: dict[str, Any]) -> None:
    """A signature alone is not a description."""
    assert [name for name, each in api.items() if not each.docstring] == []


def test_a_class_shows_what_it_inherits(api: dict[str, Any]) -> None:
    """An error shows what it adds: ``WosdkError`` has the rest."""
    lacking = []
    for name, each in api.items():
        if each.is_class and not name.endswith("Error") and "inherited_members: true" not in DIRECTIVES[name]:
            lacking += [f"{name}.{one}" for one, found in each.inherited_members.items() if shown(found)]
    assert lacking == []


def test_what_a_page_hides_is_there(api: dict[str, Any]) -> None:
    """Only the library calls it; under another name it would be shown."""
    hidden = {
        name: set(found[1].split("|")) for name, text in DIRECTIVES.items() if (found := HIDES.search(text))
    }
    assert len(hidden) > 4
    assert [name for name, members in hidden.items() if not members <= set(api[name].members)] == []


def test_a_client_shows_the_arguments_that_a_caller_writes(api: dict[str, Any]) -> None:
    client = api["Client"]
    for option in attrs.fields(ClientArguments):
        assert f" {option.name}: " in client.signature(), option.name
        assert f"\n    {option.name}: " in client.docstring.value, option.name
    assert "in_flight: int = 32" in client.signature()
    assert "limits: Limits = Limits()" in client.signature()
    assert "\n    profile: Profile of the settings file" in client.members["from_env"].docstring.value
    assert "in_flight: int = 32" in api["testing.Sandbox"].members["client"].signature()
    assert api["ClientOptions"].members["in_flight"].value == "32"


def test_a_signature_has_values_and_nothing_that_refuses(api: dict[str, Any]) -> None:
    """A reader cannot look up a constant of a module, and no caller passes an argument of type Never."""
    assert "pages(size: int = 1000) -> AsyncGenerator" in signatures(api["Query"])
    assert "dialect: str = 'spec'" in signatures(api["sandbox.LocalCompany"])
    assert "Done(index: int, input: I, result: R, *, reply" in signatures(api["Done"])
    wrong = re.compile(r"= _[A-Z]|SPEC\.name|: Never|_unknown|arguments: |= number\(|= NOTHING")
    assert [name for name, each in api.items() if wrong.search(signatures(each))] == []


def test_an_example_is_a_block_of_python(api: dict[str, Any]) -> None:
    assert "```python\nasync with wosdk.Client(" in api["Client"].docstring.value
    assert [name for name, each in api.items() if re.search(r"::$", each.docstring.value, re.MULTILINE)] == []


@each_of(
    ("docstring", "text"),
    [
        (
            "One.\n\n::\n\n    a = 1\n    if a:\n        b()\n\nTwo.",
            "One.\n\n```python\na = 1\nif a:\n    b()\n```\n\nTwo.",
        ),
        ("Like this::\n\n    a = 1\n\n    b = 2\n", "Like this:\n\n```python\na = 1\n\nb = 2\n```\n\n"),
        (
            "Args:\n    one: such as::\n\n            a = 1\n\n    two: b",
            "Args:\n    one: such as:\n\n    ```python\n    a = 1\n    ```\n\n    two: b",
        ),
        ("A ratio of 1::2 stays.", "A ratio of 1::2 stays."),
        (":class:`~wosdk_async.calls.run_many.Run`, :meth:`run`", "`Run`, `run`"),
        (":meth:`trace <traced>` in ``docs/load.md``", "`trace` in [load](../load.md)"),
    ],
)
def test_a_docstring_is_shown_as_markdown(docstring: str, text: str) -> None:
    assert markdown(docstring) == text
