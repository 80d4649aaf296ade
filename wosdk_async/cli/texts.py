"""Text for the terminal: single lines, JSON, and remedies as commands and options."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wosdk_async.errors import NotSentError, WosdkError
from wosdk_async.protocol.order_rules import NEXT_STEPS, OWN_MOVES
from wosdk_async.text.remedies import KnownFacts, Remedy, in_json, json_words
from wosdk_async.text.safe_text import json_escaped, one_line, shortened

if TYPE_CHECKING:
    from wosdk_async.jobs.ledger.terms import Plan

MAX_LINE = 8000
"""Maximum characters of a printed line; text from the service may be longer."""
_BREAKS = re.compile(r"\s*[^\S ]\s*")


def visible(text: str) -> str:
    r"""Return ``text`` on one line, with single spaces and with control characters escaped (``\x1b``)."""
    return one_line(_BREAKS.sub(" ", text.strip()))


def shell_words(*words: str) -> str:
    r"""Quote words for a shell; a word with control characters is written like ``$'a\x0ab'``."""
    return " ".join(
        shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_escaped, word))}'" for word in words
    )


def _escaped(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if char.isprintable():
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def brief_line(text: str) -> str:
    """Return ``text`` on one line, truncated if long."""
    return visible(shortened(text, MAX_LINE))


def counted(number: int, thing: str) -> str:
    """Return a number with its noun, such as ``1 row`` or ``2 rows``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def json_text(value: Any) -> str:
    """Return JSON on one line, with all digits of numbers and with control characters escaped."""
    from wosdk_async.codec.json import dumps_any

    return json_escaped(dumps_any(value, allow_nan=True).decode())


_WORDS: Mapping[Remedy, str] = {  # remedies that need more than their arguments written as options
    Remedy.LOOK: Remedy.LOOK.value,
    Remedy.AUTHORITY: (
        "if you trust the certificate authority (your own, or a proxy that intercepts TLS), set "
        "SSL_CERT_FILE to the path of its certificate"
    ),
    Remedy.ENDPOINT: "check {variable}",
    Remedy.MOVE_ON: f"to move the order from {{state}} to {{target}}, run {{steps}}; {OWN_MOVES}",
    Remedy.REOPEN: f"to reopen the order, run `wosdk run WoReopenCommand WorkOrderId={{id}}`; {OWN_MOVES}",
    Remedy.MOVED_BY_COMMANDS: (
        "an update cannot change a work order's state; use wosdk start, hold, complete and so on"
    ),
    Remedy.NAME_RUN: "name the run to undo with --run N, or add --all",
    Remedy.UNDO_AND_SEND: (
        "to resend all rows, first run wosdk jobs undo {folder} --all (work orders need --reason), then "
        "add --again"
    ),
    Remedy.SETTLE: "settle the rows in doubt with wosdk jobs settle {folder}",
    Remedy.MOVE_JOB: "if that job sent none of this file's rows, move {folder} to another directory",
    Remedy.NEWER_JOB: "run wosdk jobs resume {folder}",
    Remedy.EXPORT_REJECTS: f"{Remedy.EXPORT_REJECTS.value}; to write that file again, run wosdk jobs rejects",
    Remedy.DECIDE_ROWS: (
        "look for each row of in_doubt.csv (wosdk jobs rejects writes it) in the Company, then run "
        "wosdk jobs settle {folder} --row N created ID, or --row N not-created"
    ),
    Remedy.RUN_AGAIN: "run wosdk jobs resume, which first settles the rows in doubt",
    Remedy.WRITE_OUTPUTS: "the journal is intact; fix this problem, then run wosdk jobs rejects {folder}",
    Remedy.COMPANY_NAME: "add --company NAME, or set WOSDK_COMPANY",
    Remedy.CREDENTIALS: "set WOSDK_CLIENT_ID and WOSDK_CLIENT_SECRET, or run `wosdk login`",
    Remedy.SETTINGS_FILE: "run `wosdk login` to create the file, or unset WOSDK_CONFIG",
    Remedy.HEADER_ROW: "add --header-row {line}, or header_row = {line} to the map",
    Remedy.PIPE: "name a file, or pipe one in: wosdk import - < requests.csv",
    Remedy.LEAVE_OUT: "leave out --{option}",
    Remedy.INCREMENTAL: "name a file, or add --since last for a directory of parts",
    Remedy.STATE_FOLDER: "name another folder with --state",
    Remedy.CATALOGUE: "list names with wosdk describe",
    Remedy.PROPERTIES: "list its properties with wosdk describe {entity}",
    Remedy.QUERY_UNKNOWN: "read records with wosdk query {entity} --unchecked --all --json",
    Remedy.UNCHECKED: "--unchecked sends it anyway",
    Remedy.UPDATE_OTHER: "to update the other record, run wosdk update {entity} {other}",
    Remedy.IF_UNCHANGED: "to compare it, add --if-unchanged",
    Remedy.DELETE: "to delete this record, run wosdk delete {entity} {id}",
}
_ARGUMENT = re.compile(r"(?<![(.])\b(?P<name>[a-z_]+)=(?P<value>True|'[^']*'|{[^}]*}|DIR|(?=\W|$))")
_UNQUOTED = {"suffixes", "steps"}  # facts that are not shell arguments, and so are not quoted
_STEPS = {"pick_up": "`wosdk pickup`", "start": "`wosdk start`", "resume": "`wosdk resume --start`"}
"""Commands for the actions of ``NEXT_STEPS``."""


def with_options(words: str) -> str:
    """Write the arguments of a remedy as options: ``add --job {folder}`` for ``pass folder={folder!r}``."""
    written, count = _ARGUMENT.subn(_option, words)
    return re.sub(r"\bpass\b", "add", written).replace("!r}", "}") if count else words


def _option(argument: re.Match[str]) -> str:
    name, value = argument["name"], argument["value"].strip("'")
    option = "--job" if name == "folder" else f"--{name.replace('_', '-')}"
    return option if value in ("", "True") else f"{option} {value}"


def in_commands(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Return a remedy with commands and options, and with error facts quoted for a shell."""
    words = _WORDS.get(remedy) or with_options(json_words(remedy))
    if words == json_words(remedy):
        return in_json(remedy, facts)
    known = KnownFacts(facts)
    quoted = {name: known[name] if name in _UNQUOTED else shell_words(str(known[name])) for name in facts}
    if "option" in facts:
        quoted["option"] = str(facts["option"]).replace("_", "-")
    if remedy is Remedy.REOPEN and "id" not in facts:
        words = remedy.value
    if remedy is Remedy.MOVE_ON and (way := NEXT_STEPS.get(facts.get("state", ""))) is not None:
        quoted["steps"] = " and then ".join(_STEPS[action] for action in way.actions)
    return words.format_map(KnownFacts(quoted))


_REFUSED = re.compile(r"reached \(https?://((?:127[\d.]+|localhost|\[::1\]):\d+): .*(?:call failed|refused)")


def message_of(error: WosdkError) -> str:
    """Return an error's message and remedies, with service text unchanged."""
    if isinstance(error, NotSentError) and (found := _REFUSED.search(error.message)) is not None:
        return f"{error.message}; nothing is listening on {found[1]}; is `wosdk sandbox serve` running?"
    if getattr(error, "refusal", None) is not None:
        return f"nothing was sent: {error.shown(in_commands)}"
    return error.shown(in_commands)


def plan_text(plan: Plan, label: str) -> str:
    """Describe what an import will do; ``label`` is the word for done rows, such as ``created``."""
    from wosdk_async.jobs.ledger.terms import Action, Standing

    counts = {each: plan.counts.get(each, 0) for each in Standing}
    send = plan.rows(Action.SEND)
    texts = [f"{counted(send, 'row')} to send" if send else "nothing to send"]
    if plan.doubts:
        texts.append(f"{plan.doubts} in doubt to look up first")
    if left := plan.rows(Action.LEAVE):
        texts.append(f"{left} in doubt that cannot be looked up")
    if done := counts[Standing.DONE] + (counts[Standing.DONE_CHANGED] if plan.skips_changed else 0):
        changed = counts[Standing.DONE_CHANGED] if plan.skips_changed else 0
        note = f", {changed} of them with cells changed since then" if changed else ""
        kinds = {label: done - plan.found, "found": plan.found}
        texts.append(f"{', '.join(f'{n} {kind}' for kind, n in kinds.items() if n)} before{note}")
    if kept := plan.rows(Action.KEEP):
        texts.append(f"{kept} already refused and unchanged (--retry-refused resends them)")
    if counts[Standing.UNDONE] and plan.actions[Standing.UNDONE] is Action.SKIP:
        texts.append(f"{counts[Standing.UNDONE]} undone (--retry-undone resends them)")
    if counts[Standing.REPEATED]:
        texts.append(f"{counts[Standing.REPEATED]} with another row's key")
    if not plan.rejects and (gone := sum(plan.gone.values())):
        words = {
            Standing.PLANNED: "not sent",
            Standing.SENDING: "in doubt",
            Standing.IN_DOUBT: "in doubt",
            Standing.DONE: "done",
            Standing.UNDONE: "undone",
        }
        kinds = Counter[str]()
        for standing, count in plan.gone.items():
            kinds[words.get(standing, "failed, or corrected later")] += count
        shown = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        texts.append(f"{counted(gone, 'earlier row')} not in the file ({shown})")
    return "; ".join(texts)
