"""Compare the public API with that of the release before: ``python .ci/api.py [REFERENCE]``.

Public is what docs/versions.md says: the names that the modules of `PUBLIC` export, and commands, options and
exit statuses of ``wosdk``. The reference is the newest tag ``v...`` before this commit; where there is none,
the commit that brought the version of then, before the change at hand. A change that breaks programs fails,
unless ``.ci/api_changes.toml`` has it with a reason. Types and changed meanings are not compared. Without
history nothing can be compared: that is said, and is a failure with ``--required``, as before a release.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import griffe

ROOT = Path(__file__).parents[1]
ALLOWED = Path(__file__).parent / "api_changes.toml"
PUBLIC = (
    "wosdk_async",
    "wosdk_async.web.asgi",
    "wosdk_async.web.litestar",
    "wosdk_async.web.pydantic",
    "wosdk_async.jobs",
    "wosdk_async.jobs.cluster.dask",
    "wosdk_async.jobs.cluster.processes",
    "wosdk_async.model",
    "wosdk_async.sandbox",
    "wosdk_async.testing",
)
REACHED = (
    "wosdk_async.resources.custom_fields",
    "wosdk_async.resources.documents",
    "wosdk_async.resources.labor",
    "wosdk_async.resources.work_orders",
)
"""Classes that are not imported by name, but are attributes of a Company."""
COMMAND_LINE = """
import click, json
from wosdk_async import errors
from wosdk_async.cli.app import app
from wosdk_async.cli.exit_codes import Exit
from wosdk_async.protocol.verdicts import ENDINGS

statuses = {f"exit status {each.name}": each.value for each in Exit}
for name in errors.__all__:
    of_class = [each.exit_status for each in ENDINGS if issubclass(getattr(errors, name), each.error)]
    statuses |= {f"exit status of {name}": status for status in of_class[:1]}
print(json.dumps([app.to_info_dict(click.Context(app)), statuses], default=str))
"""


def git(*words: str) -> str:
    """Run git, and return what it prints; nothing if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def reference() -> str:
    """Return the commit or tag to compare with; nothing if there is none.

    Not the commit before a version was raised: what was removed since the release is missing there, too.
    """
    tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^")
    if tag:
        return tag
    file = "wosdk_async/version.py"
    raised = git("log", "--format=%H", "-G", "^VERSION = ", "--", file).split()
    uncommitted = bool(git("diff", "--name-only", "HEAD", "--", file))
    if raised and not uncommitted and raised[0] == git("rev-parse", "HEAD"):
        del raised[0]  # this commit raises it
    return raised[0] if raised else ""


class CallersOnly(griffe.Extension):
    """Signatures without what only refuses, as in 0.2: for griffe ``**_unknown`` takes every name."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Drop those of one function."""
        for each in list(func.parameters):
            if each.name.startswith("_") or str(each.annotation) == "Never":
                del func.parameters[each.name]


def exported(tree: Path) -> Any:
    """Return an object for griffe whose members are the public names of a tree."""
    package = griffe.load(
        "wosdk_async",
        search_paths=[tree],
        extensions=griffe.load_extensions(CallersOnly()),
        allow_inspection=False,
        resolve_aliases=True,
        try_relative_path=False,
    )
    found = {}
    for path in (*PUBLIC, *REACHED):
        try:
            module = package.modules_collection[path]
        except KeyError:  # a tree before this module
            continue
        for name in map(str, module.exports or ()):
            if name in module.members:  # the names of the model are exported twice, and found in `model`
                found[f"{path}.{name}"] = module[name]
    return SimpleNamespace(path="", all_members=found)


def line(found: griffe.Breakage) -> str:
    """Return a break as one line without places in the code, which would change with it."""
    both = [value for value in (found.old_value, found.new_value) if value is not None]
    named = sorted({value.name for value in both if hasattr(value, "default")})
    return f"{found.obj.path}{''.join(f'({name})' for name in named)}: {found.kind.value.lower()}"


def command_line(tree: Path) -> dict[str, dict[str, Any]]:
    """Return the commands, options, arguments and exit statuses of a tree, with what is known of each."""
    variables = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND_LINE], env=variables, stdout=subprocess.PIPE, check=True
    )
    app, statuses = json.loads(done.stdout)
    return dict(commands(app, "wosdk")) | {
        f"wosdk: {name}": {"status": each} for name, each in statuses.items()
    }


def commands(command: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a command, its options and arguments with what click knows of them, and the commands below it."""
    yield path, {}
    places = count(1)
    for each in command["params"]:
        if each["param_type_name"] == "argument":
            yield f"{path}: argument {next(places)}", each
        else:
            yield from ((f"{path}: option {name}", each) for name in (*each["opts"], *each["secondary_opts"]))
    for name, below in command.get("commands", {}).items():
        yield from commands(below, f"{path} {name}")


def breaks(old: Path, new: Path) -> Iterator[str]:
    """Yield the changes from one tree to another that may break a program, one line each."""
    yield from breaks_of_names(old, new)
    yield from breaks_of_commands(old, new)


def breaks_of_names(old: Path, new: Path) -> Iterator[str]:
    """Yield the changes of exported names that may break a program."""
    yield from map(line, griffe.find_breaking_changes(exported(old), exported(new)))


def breaks_of_commands(old: Path, new: Path) -> Iterator[str]:
    """Yield the changes of commands, options and exit statuses that may break a script."""
    had, has = command_line(old), command_line(new)
    for name, was in had.items():
        command = name.partition(":")[0]
        if name in has:
            yield from (f"{name}{change}" for change in changes(was, has[name]))
        elif name == command or command in has:
            yield f"{name} removed"
    for name, now in has.items():
        if now.get("required") and name not in had and name.partition(":")[0] in had:
            yield f"{name} added as required"


def changes(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what breaks a script that gives an option as before, or reads an exit status."""
    if was.get("status") != now.get("status"):
        yield f" changed from {was['status']} to {now['status']}"
    if now.get("required") and not was["required"]:
        yield " became required"
    if now.get("default") != was.get("default"):
        yield ": default changed"
    several = was.get("multiple", False) > now.get("multiple", False)
    shape = ("nargs", "is_flag", "flag_value", "count")
    if several or any(was.get(each) != now.get(each) for each in shape):
        yield " takes other values"
    left = now.get("type", {}).get("choices")
    for each in was.get("type", {}).get("choices", () if left is None else ("any text",)):
        if left is not None and each not in left:
            yield f": {each} is not taken any more"


def main() -> int:
    """Print the breaking changes; return 1 if one of them is not allowed."""
    given = [word for word in sys.argv[1:] if word != "--required"]
    base = given[0] if given else reference()
    if not base:
        print("NOT COMPARED: git has neither a tag v... nor an earlier commit of a version here")
        return 1 if "--required" in sys.argv else 0
    allowed = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, base], cwd=ROOT, check=True)
        try:
            found = list(dict.fromkeys(breaks(tree, ROOT)))
        finally:
            git("worktree", "remove", "--force", str(tree))
    new = [each for each in found if each not in allowed]
    stale = sorted(set(allowed) - set(found))
    for each in found:
        print(f"BREAKS   {each}" if each in new else f"allowed  {each}: {allowed[each]}")
    for each in stale:
        print(f"STALE    {each}: {ALLOWED.name} allows it, but it did not happen")
    print(f"compared with {base[:12]}: {len(found)} breaking changes, {len(new)} without a reason")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
