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
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[1]
ALLOWED = Path(__file__).parent / "api_changes.toml"
PUBLIC = (
    "wosdk_async",
    "wosdk_async.web.asgi",
    "wosdk_async.web.fastapi",
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


def version(tree: Path) -> str:
    """Return the version of a tree."""
    text = (tree / "wosdk_async" / "version.py").read_text(encoding="utf-8")
    return text.rpartition("VERSION = ")[2].strip().strip('"')


def exported(tree: Path) -> dict[str, Any]:
    """Return the public names of a tree with what griffe knows of each."""
    from griffe import load

    options = {"allow_inspection": False, "resolve_aliases": True, "try_relative_path": False}
    package = load("wosdk_async", search_paths=[tree], **options)
    drop_refusing_parameters(package)
    found = {}
    for path in (*PUBLIC, *REACHED):
        _, _, inside = path.partition(".")
        try:
            module = package[inside] if inside else package
        except KeyError:  # a tree before this module
            continue
        for name in map(str, module.exports or ()):
            if name in module.members:  # the names of the model are exported twice, and found in `model`
                found[f"{path}.{name}"] = module[name]
    return found


def drop_refusing_parameters(parent: Any) -> None:
    """Remove parameters like ``**_unknown`` and ``*names: Never``, which only refuse with words of their own.

    The release before has many; for griffe a function with ``**_unknown`` takes every keyword.
    """
    for member in parent.members.values():
        if member.is_alias:
            continue
        if member.is_function:
            for each in list(member.parameters):
                if each.name.startswith("_") or str(each.annotation) == "Never":
                    del member.parameters[each.name]
        elif member.is_module or member.is_class:
            drop_refusing_parameters(member)


def command_line(tree: Path) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Return the commands of a tree, each with its options and arguments, and the exit statuses."""
    variables = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND_LINE], env=variables, stdout=subprocess.PIPE, check=True
    )
    app, statuses = json.loads(done.stdout)
    return dict(commands(app, "wosdk")), statuses


def commands(command: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a command and those below it, each with what click knows of its options and arguments."""
    options = [each for each in command["params"] if each["param_type_name"] == "option"]
    arguments = [each for each in command["params"] if each["param_type_name"] == "argument"]
    named = {f"option {name}": each for each in options for name in (*each["opts"], *each["secondary_opts"])}
    yield path, named | {f"argument {place}": each for place, each in enumerate(arguments, 1)}
    for name, below in command.get("commands", {}).items():
        yield from commands(below, f"{path} {name}")


def breaks(old: Path, new: Path) -> Iterator[str]:
    """Yield the changes from one tree to another that may break a program, one line each."""
    from griffe import Breakage, find_breaking_changes

    before, after = (SimpleNamespace(path="", all_members=exported(tree)) for tree in (old, new))
    for found in find_breaking_changes(before, after):
        yield line(found) if isinstance(found, Breakage) else str(found)
    (had, were), (has, are) = command_line(old), command_line(new)
    for command, its in had.items():
        if command not in has:
            yield f"{command}: command removed"
        else:
            yield from (f"{command}: {each}" for each in breaks_of_a_command(its, has[command]))
    for status, number in were.items():
        if status in are and are[status] != number:
            yield f"wosdk: {status} changed from {number} to {are[status]}"
        elif status not in are:
            yield f"wosdk: {status} removed"


def breaks_of_a_command(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield what breaks a script that gives a command as before."""
    for name, was in old.items():
        if name not in new:
            yield f"{name} removed"
            continue
        now = new[name]
        if now["required"] and not was["required"]:
            yield f"{name} became required"
        if now["default"] != was["default"]:
            yield f"{name}: default changed"
        shape = ("nargs", "is_flag", "flag_value", "count")
        if was["multiple"] > now["multiple"] or any(was.get(key) != now.get(key) for key in shape):
            yield f"{name} takes other values"
        left = now["type"].get("choices")
        for each in was["type"].get("choices", () if left is None else ("any text",)):
            if left is not None and each not in left:
                yield f"{name}: {each} is not taken any more"
    for name, now in new.items():
        if now["required"] and name not in old:
            yield f"{name} added as required"


def line(found: Any) -> str:
    """Return a break as one line without places in the code, which would change with it."""
    kind = found.kind.value.lower()
    both = [value for value in (found.old_value, found.new_value) if value is not None]
    named = sorted({value.name for value in both if hasattr(value, "default")})
    return f"{found.obj.path}{''.join(f'({name})' for name in named)}: {kind}"


def main() -> int:
    """Print the breaking changes; return 1 if one of them is not allowed."""
    given = [word for word in sys.argv[1:] if word != "--required"]
    base = given[0] if given else reference()
    if not base:
        print("NOT COMPARED: git has neither a tag v... nor an earlier commit of a version here")
        return 1 if "--required" in sys.argv else 0
    now, allowed = version(ROOT), tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, base], cwd=ROOT, check=True)
        try:
            was, found = version(tree), list(dict.fromkeys(breaks(tree, ROOT)))
        finally:
            git("worktree", "remove", "--force", str(tree))
    new = [each for each in found if each not in allowed]
    stale = sorted(set(allowed) - set(found))
    for each in found:
        print(f"BREAKS   {each}" if each in new else f"allowed  {each}: {allowed[each]}")
    for each in stale:
        print(f"STALE    {each}: {ALLOWED.name} allows it, but it did not happen")
    counted = f"{len(found)} breaking changes, {len(new)} without a reason"
    print(f"{now} compared with {was} ({base[:12]}): {counted}")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
