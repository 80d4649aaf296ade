"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re

from wosdk_async.errors import WosdkError

__all__ = ["in_command_words", "message_of"]

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
    (r"\bpipe one in$", "pipe one in: wosdk import - < requests.csv"),
    (r"\bthe catalogue lists them\b", "wosdk describe lists them"),
    (r"\brun the import again, which does that first", "wosdk jobs resume does that first"),
    (r"\bwrite the files of (.+) again$", r"write the files again with wosdk jobs rejects \1"),
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
        from wosdk_async.cli.output.plan_view import refusal_text  # not needed by most commands

        return f"nothing was sent: {refusal_text(refusal)}"
    return str(error) if error.status else in_command_words(str(error))
