"""Texts for people: on one line, JSON, and what the library says in the words of the command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from wosdk_async.errors import WosdkError
from wosdk_async.text.safe_text import json_escaped, one_line, shortened

if TYPE_CHECKING:
    from wosdk_async.jobs.ledger.decision import Plan, Refusal, Remedy

__all__ = [
    "MAX_LINE",
    "brief_line",
    "counted",
    "in_command_words",
    "json_text",
    "message_of",
    "plan_text",
    "refusal_text",
    "visible",
]

MAX_LINE = 8000
"""Characters of a line for people: the service may send texts of any length."""


def visible(text: str) -> str:
    r"""Return ``text`` on one line: white space as single blanks, control characters as ``\x1b``."""
    return one_line(" ".join(text.split()))


def brief_line(text: str) -> str:
    """Return ``text`` on one line for people; of a long text only the beginning."""
    return visible(shortened(text, MAX_LINE))


def counted(number: int, thing: str) -> str:
    """Return a number with its noun, such as ``1 row`` or ``2 rows``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def json_text(value: Any) -> str:
    r"""Return JSON on one line: all digits of numbers, control characters as ``\u009b``."""
    from wosdk_async import codec

    try:
        text = codec.dumps(value).decode()
    except ValueError:  # an integer beyond 64 bits, half a surrogate pair, or many levels
        text = _slow_json_text(value)
    return json_escaped(text)


class _Token(str):
    """Text that is JSON already, such as a brace or a key."""


def _slow_json_text(value: Any) -> str:
    """Return JSON of any depth: pending values wait in a list, not on the call stack."""
    written: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.append(_Token("}"))
            for i, (key, inner) in reversed(list(enumerate(item.items()))):
                pending += [inner, _Token(f"{',' if i else ''}{json.dumps(str(key))}:")]
            pending.append(_Token("{"))
        elif isinstance(item, list):
            pending.append(_Token("]"))
            for i, inner in reversed(list(enumerate(item))):
                pending += [inner, _Token("," if i else "")]
            pending.append(_Token("["))
        else:
            written.append(str(item) if isinstance(item, _Token | Decimal) else json.dumps(item))
    return "".join(written)


# --- messages of the library in the words of the command line --------------------------------

_WORDS = (  # Python of a message -> option, command or field; the longer text stands first
    (r"\bupdate\((\w+)\.ref\((\w+)\), \.\.\.\)", r"wosdk update \1 \2"),
    (r"\bdelete\((\w+), (\w+)\)", r"wosdk delete \1 \2"),
    (r"\b\w+\.ref\((\w+)\)", r'{"Id": \1}'),
    (r"\bif_unchanged(=True)?\b", "--if-unchanged"),
    (r"\bperform_deletion=True\b", '"PerformDeletion": true'),
    (r"\bperform_deletion\b", "PerformDeletion"),
    (r"\bconcurrency_id\b", "ConcurrencyId"),
    (r"\bupdate\(\) never writes id\b", "update never writes Id"),
    (r"\b(create|update|delete)\(\)", r"\1"),
    (r"\bpass (?=(?:again|delimiter|encoding|force|format)=)", "add "),
    (r"\bfolder=DIR\b", "--job DIR"),
    (r"\bdelimiter='tab'", "--delimiter tab"),
    (r"\bdelimiter=(?=')", "--delimiter "),
    (r"\b(encoding|format)='([^']+)'", r"--\1 \2"),
    (r"\b(again|force)=True\b", r"--\1"),
    (r"\b(takes no|leave) (\w+)=(?=;| out\b)", r"\1 --\2"),
    (r"\bstop_after_doubt\b", "--stop-after-doubt"),
    (r"\bstop_after\b", "--stop-after"),
    (r"\bcsv_raw is\b", "--csv-raw is"),
    (r"\bcsv_for_excel is\b", "--csv-for-excel is"),
    (r"\buse IncrementalExport\b", "add --since last"),
    (
        r"\bcompany\.query\('([^']+)', \.\.\.\) reads its records as plain data",
        r"wosdk query \1 --unchecked --all --json writes its records as they come",
    ),
    (
        r"\bcall decide\(journal, row, id\), with None for what was not created",
        "write wosdk jobs settle JOB --row N created ID, or --row N not-created",
    ),
)
_PATTERNS = tuple((re.compile(pattern), words) for pattern, words in _WORDS)


def in_command_words(text: str) -> str:
    """Return a text of the library with options, commands and JSON in place of Python."""
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text


def message_of(error: WosdkError) -> str:
    """Return the message of an error for people; a text of the service stays as it is."""
    if (refusal := getattr(error, "refusal", None)) is not None:
        return f"nothing was sent: {refusal_text(refusal)}"
    return str(error) if error.status else in_command_words(str(error))


# --- what an import does with its rows, and why it does nothing ------------------------------


def plan_text(plan: Plan, label: str) -> str:
    """Return what an import does with the rows of its file.

    Args:
        plan: what is decided.
        label: what a row is afterwards, such as ``created``.
    """
    from wosdk_async.jobs.ledger.decision import Action, Standing

    counts = {each: plan.counts.get(each, 0) for each in Standing}
    send = plan.rows(Action.SEND)
    texts = [f"{counted(send, 'row')} to send" if send else "nothing to send"]
    if plan.doubts:
        texts.append(f"{plan.doubts} in doubt to look up first")
    if left := plan.rows(Action.LEAVE):
        texts.append(f"{left} in doubt, which cannot be looked up")
    if done := counts[Standing.DONE] + (counts[Standing.DONE_CHANGED] if plan.skips_changed else 0):
        changed = counts[Standing.DONE_CHANGED] if plan.skips_changed else 0
        note = f", {changed} of them changed after being sent" if changed else ""
        texts.append(f"{done} {label} before{note}")
    if kept := plan.rows(Action.KEEP):
        texts.append(f"{kept} refused before and unchanged (--retry-refused sends them)")
    if counts[Standing.UNDONE] and plan.actions[Standing.UNDONE] is Action.SKIP:
        texts.append(f"{counts[Standing.UNDONE]} undone (--retry-undone sends them)")
    if counts[Standing.REPEATED]:
        texts.append(f"{counts[Standing.REPEATED]} with the key of an earlier row")
    if not plan.rejects and (gone := sum(plan.gone.values())):
        texts.append(f"{counted(gone, 'earlier row')} not in the file")
    return "; ".join(texts)


def refusal_text(refusal: Refusal) -> str:
    """Return why an import does nothing, and what can be done."""
    from wosdk_async.jobs.ledger.refusals import remedies_in, what_is_wrong

    return f"{what_is_wrong(refusal)}. {remedies_in(_words(refusal), refusal)}"


def _words(refusal: Refusal) -> Mapping[Remedy, str]:
    from wosdk_async.jobs.ledger.decision import Remedy
    from wosdk_async.jobs.ledger.refusals import GIVE_A_KEY

    folder = shlex.quote(str(refusal.folder))
    return {
        Remedy.NEW_ROWS: "if the unknown rows are new, add --new-rows",
        Remedy.AGAIN: "to send all rows once more, add --again",
        Remedy.SAME_COMMAND: "give the command without --again: it sends the remaining rows",
        Remedy.SETTLE: f"decide the rows in doubt with wosdk jobs settle {folder}",
        Remedy.KEY: GIVE_A_KEY,
        Remedy.SAME_MAP: "use the map and the marker as they were",
        Remedy.OTHER_FOLDER: "name another folder with --job DIR",
        Remedy.THAT_FOLDER: f"add --job {folder}"
        if refusal.folder is not None
        else "add --job with its folder",
        Remedy.EXPORT_REJECTS: "take the rows from rejects.csv of their job, and leave the columns _job and "
        "_row as they are; wosdk jobs rejects writes that file again",
    }
