"""Remedies of errors as values, and their words for a Python program.

An error names its remedies; the caller that shows it chooses the words: ``str(error)`` those below, the CLI
its own (``cli/texts.py``). Names in braces are facts of the error, such as ``error.folder``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, unique
from typing import Any

__all__ = ["KnownFacts", "Remedy", "Words", "in_json", "in_python"]

Words = Callable[["Remedy", Mapping[str, Any]], str]
"""Function that returns a remedy in the terms of the caller, from the facts of its error."""


@unique
class Remedy(Enum):
    """What the user can do about an error; the value is what a Python program does."""

    # connections and log-ins
    POOL = (
        "give that pool more connections than limits.connections, and a timeout (httpx.Timeout(pool=...)), "
        "or pass no http_client and no transport; httpx may lose connections when requests are cancelled"
    )
    RETURN_RESPONSE = "let it return {library}.Response"
    RETURN_OR_USE = "let it return {library}.Response, or pass a client or transport of {other}"
    SETTINGS_FILE = "write it, or unset WOSDK_CONFIG"
    PROXY_LOGIN = "check the user and password in the address of the proxy"
    PROXY_NO_LOGIN = (
        "write the user and password into the address of the proxy: http://user:password@host:port"
    )
    PROXY_ADDRESS = "check scheme and port in the address of the proxy"
    NOT_TLS = "the other side does not speak TLS: the address may need http://, or another port"
    AUTHORITY = (
        "if you trust the authority that signed it (your own, or that of a proxy that intercepts TLS), "
        "name its certificate in SSL_CERT_FILE or pass ssl_context="
    )
    AUTHORITY_IN_FILE = (
        "SSL_CERT_FILE is {file!r}, and the authority that signed the certificate is not in it: add it there "
        "if you trust it"
    )
    AUTHORITY_IN_CONTEXT = (
        "if you trust the authority that signed it, load its certificate into your ssl_context"
    )
    AUTHORITY_IN_HTTPX = (
        "if you trust the authority that signed it, let your httpx client load its certificate: "
        "verify=ssl.create_default_context(cafile=...)"
    )
    HOST_NAME = "write the address with a host name that the certificate has, or have one made for this name"
    NOT_YET_VALID = "check the clock of this machine and the date from which the certificate is valid"
    EXPIRED = "check the clock of this machine, then have the certificate renewed"
    ENDPOINT = "check {variable}, or {field}= of the Region"
    OWN_PAIR = "check that the credentials were generated for this Company: each pair belongs to one"
    CANCELLED_PROVIDER = "let it handle what it cancels, or raise another error"

    # moves of work orders
    MOVE_ON = "to get it from {state} to {target}, {steps}; each Company sets up which state may follow which"
    REOPEN = "WoReopenCommand reopens it; each Company sets up which state may follow which"
    MOVED_BY_COMMANDS = (
        "commands move a work order from state to state, updates do not: company.work_orders has "
        "methods such as start(), hold() and complete()"
    )
    GIVEN = "the service gives it to a work order itself, and no command changes it"

    # imports: rows that the ledger knows
    NEW_ROWS = "if the unknown rows are new, pass new_rows=True"
    SEND_AGAIN = "to send all rows once more, pass again=True"
    SAME_COMMAND = "leave out again=True: the import sends the remaining rows"
    SETTLE = "settle the rows in doubt"
    OTHER_FIELD = '{sample!r} is the {by} of one: to find all by it, write by = "{by}" in the map'
    EARLIER_IMPORT = "if an earlier import created it, pass its folder as folder=, or if_exists='skip'"
    KEY = (
        "put the file back, give its rows a key in the map (fill the marker from a column, or write "
        'key = "{{column}}"), and run it once: after that, changed rows are recognized by their keys'
    )
    SAME_MAP = "use the map and the marker as they were"
    OTHER_FOLDER = "pass another folder as folder="
    THAT_FOLDER = "pass folder={folder!r}"
    KNOWN_FOLDER = "pass the folder of that job as folder="
    EXPORT_REJECTS = (
        "take the rows from rejects.csv of their job, and leave the columns _job and _row as they are"
    )
    STOP_AFTER = "stop_after= sets the limit"
    STOP_AFTER_DOUBT = "stop_after_doubt= sets the limit"
    DECIDE_ROWS = (
        "look for each row in doubt yourself, and call decide(journal, row, id), with None for what was not "
        "created"
    )
    RUN_AGAIN = "run the import again, which does that first"
    WRITE_OUTPUTS = "the journal is right: fix this, then call write_outputs(journal, source)"

    # imports and exports: files and folders
    LOCAL_DISK = "place the job on a local disk with folder=DIR"
    PERMISSIONS = "change the permissions, or place the job elsewhere with folder=DIR"
    DELIMITER = "its cells seem to be separated by {delimiter!r}: pass delimiter={delimiter!r}"
    HEADER_ROW = "pass header_row={line}"
    OTHER_HEADER = "if another line is the header, pass its number as header_row="
    ENCODING = "it looks like {encoding}: pass encoding={encoding!r}, or save the file as UTF-8"
    SOME_ENCODING = "find out its encoding and pass it, as in encoding='cp1252', or save the file as UTF-8"
    COPY_AGAIN = "a part of the file is damaged: save or copy it again"
    UTF_16 = "export the data as comma-separated UTF-8, or pass encoding='utf-16-le' if it is UTF-16"
    JSON_LINES = "with one object a line it is read as .jsonl: rename it, or pass format='jsonl'"
    READ_AS_CSV = "give it the suffix .csv, or pass format='csv'"
    OTHER_SHEET = "name another sheet with sheet="
    TRY_AGAIN = "try again"
    DOWNLOAD = "download the file first"
    PIPE = "name a file, or pipe one in"
    LEAVE_OUT = "leave out {option}="
    OVERWRITE = "name another file, or pass force=True to replace it"
    FORMAT = "name it with format='csv', or end the name with {suffixes}"
    INCREMENTAL = "name a file, or use IncrementalExport if it has the parts of an export of changes"
    EXPORT_AGAIN = "run the same export to resume, or pass again=True to discard its progress"

    STATE_FOLDER = "name another folder for the plans"

    # names and values
    UNCHECKED = "check=False sends it anyway"
    REFERENCE = "refer to it by {of}.ref(id)"
    REMOVE_ELEMENTS = "send the elements to remove, each with its id and perform_deletion=True"
    KEEP_ELEMENTS = (
        "read the list first, then leave out the elements to remove or mark them perform_deletion=True"
    )
    UPDATE_OTHER = "update({entity}.ref({other}), ...) writes another"
    DELETE = "delete({entity}, {id}) deletes this record"
    IF_UNCHANGED = "if_unchanged=True compares it"
    CATALOGUE = "the catalogue lists them"
    QUERY_UNKNOWN = "company.query({entity!r}, ...) reads its records as plain data"

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        """Pickle the name, which stays when the words change."""
        return getattr, (Remedy, self.name)


_JSON: Mapping[Remedy, str] = {
    Remedy.UNCHECKED: "",  # they have no such argument
    Remedy.REFERENCE: 'refer to it by {{"Id": id}}',
    Remedy.REMOVE_ELEMENTS: 'send the elements to remove, each with its Id and "PerformDeletion": true',
    Remedy.KEEP_ELEMENTS: (
        'read the list first, then leave out the elements to remove or mark them "PerformDeletion": true'
    ),
    Remedy.UPDATE_OTHER: "update {entity} {other} to write another",
    Remedy.DELETE: "delete {entity} {id} to delete this record",
    Remedy.IF_UNCHANGED: "compare it instead of writing it",
}


class KnownFacts(dict[str, Any]):
    """Facts of an error; a missing fact reads as an ellipsis, so that every error has a text."""

    def __missing__(self, _: str) -> str:
        return "..."


def in_json(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Return what to do for values that were sent as JSON, which may be nothing."""
    return _filled(_JSON.get(remedy, remedy.value), facts)


def in_python(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Return what a Python program does, with the facts of the error."""
    return _filled(remedy.value, facts)


def _filled(words: str, facts: Mapping[str, Any]) -> str:
    return words.format_map(KnownFacts(facts))
