"""Remedies of errors as values, in the terms of a Python program.

The code that shows an error chooses the terms: ``str(error)`` uses those below, and the CLI its own
(``cli/texts.py``). Names in braces are facts of the error, such as ``error.folder``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, unique
from typing import Any

__all__ = ["KnownFacts", "Remedy", "Words", "in_json", "in_python"]

Words = Callable[["Remedy", Mapping[str, Any]], str]
"""Renders a remedy in the caller's terms, from the facts of its error."""


@unique
class Remedy(Enum):
    """Remedy of an error; the value is the text for a Python program."""

    # connections and log-ins
    POOL = (
        "give that pool more connections than limits.connections, and a timeout (httpx.Timeout(pool=...)), "
        "or pass no http_client and no transport; httpx may lose connections when requests are cancelled"
    )
    RETURN_RESPONSE = "let it return {library}.Response"
    RETURN_OR_USE = "let it return {library}.Response, or pass a client or transport of {other}"
    SETTINGS_FILE = "create it, or unset WOSDK_CONFIG"
    PROXY_LOGIN = "check the user and password in the proxy address"
    PROXY_NO_LOGIN = "add the user and password to the proxy address: http://user:password@host:port"
    PROXY_ADDRESS = "check the scheme and port of the proxy address"
    NOT_TLS = "the server does not speak TLS: use http:// or another port"
    AUTHORITY = (
        "if you trust the authority that signed it (your own, or that of a proxy that intercepts TLS), "
        "name its certificate in SSL_CERT_FILE or pass ssl_context="
    )
    AUTHORITY_IN_FILE = (
        "SSL_CERT_FILE ({file!r}) lacks the certificate's authority: add the authority there if you trust it"
    )
    AUTHORITY_IN_CONTEXT = (
        "if you trust the authority that signed it, load its certificate into your ssl_context"
    )
    AUTHORITY_IN_HTTPX = (
        "if you trust the authority that signed it, let your httpx client load its certificate: "
        "verify=ssl.create_default_context(cafile=...)"
    )
    HOST_NAME = "use a host name that the certificate covers, or get a certificate for this name"
    NOT_YET_VALID = "check the clock of this machine and the date from which the certificate is valid"
    EXPIRED = "check the clock of this machine, then renew the certificate"
    ENDPOINT = "check {variable}, or {field}= of the Region"
    OWN_PAIR = "check that the credentials were generated for this Company: each pair belongs to one"
    CANCELLED_PROVIDER = "let it handle its own cancellations, or raise another error"

    # moves of work orders
    MOVE_ON = "to get it from {state} to {target}, {steps}; each Company configures its state transitions"
    REOPEN = "WoReopenCommand reopens it; each Company configures its state transitions"
    MOVED_BY_COMMANDS = (
        "only commands change a work order's state: company.work_orders has "
        "methods such as start(), hold() and complete()"
    )
    GIVEN = "the service sets this field itself, and no command changes it"

    # imports: rows that the ledger knows
    NEW_ROWS = "if the unknown rows are new, pass new_rows=True"
    SEND_AGAIN = "to send all rows once more, pass again=True"
    SAME_COMMAND = "leave out again=True: the import sends the remaining rows"
    SETTLE = "settle the rows in doubt"
    OTHER_FIELD = '{sample!r} is the {by} of a record: to find all by {by}, write by = "{by}" in the map'
    EARLIER_IMPORT = "if an earlier import created it, pass its folder as folder=, or if_exists='skip'"
    KEY = (
        "restore the file, add a key to the map (fill the marker from a column, or write "
        'key = "{{column}}"), and run it once; changed rows are then recognized by their keys'
    )
    SAME_MAP = "restore the previous map and marker"
    OTHER_FOLDER = "pass another folder as folder="
    THAT_FOLDER = "pass folder={folder!r}"
    KNOWN_FOLDER = "pass the folder of that job as folder="
    EXPORT_REJECTS = (
        "take the rows from their job's rejects.csv, and keep the columns _job and _row unchanged"
    )
    STOP_AFTER = "stop_after= sets the limit"
    STOP_AFTER_DOUBT = "stop_after_doubt= sets the limit"
    DECIDE_ROWS = (
        "look for each row in doubt yourself, and call decide(journal, row, id), with id None if nothing was "
        "created"
    )
    RUN_AGAIN = "run the import again, which settles them first"
    WRITE_OUTPUTS = "the journal is intact: fix this, then call write_outputs(journal, source)"

    # imports and exports: files and folders
    LOCAL_DISK = "place the job on a local disk with folder=DIR"
    PERMISSIONS = "change the permissions, or place the job elsewhere with folder=DIR"
    DELIMITER = "its cells seem to be separated by {delimiter!r}: pass delimiter={delimiter!r}"
    HEADER_ROW = "pass header_row={line}"
    OTHER_HEADER = "if another line is the header, pass its number as header_row="
    ENCODING = "the encoding looks like {encoding}: pass encoding={encoding!r}, or save the file as UTF-8"
    SOME_ENCODING = "find out the encoding and pass it, as in encoding='cp1252', or save the file as UTF-8"
    COPY_AGAIN = "part of the file is damaged: save or copy it again"
    UTF_16 = "export the data as comma-separated UTF-8, or pass encoding='utf-16-le' if it is UTF-16"
    JSON_LINES = "if each line is one object, rename the file to .jsonl or pass format='jsonl'"
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

    STATE_FOLDER = "use another folder for the plans"

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
        """Pickle the name, which remains stable when the text changes."""
        return getattr, (Remedy, self.name)


_JSON: Mapping[Remedy, str] = {
    Remedy.UNCHECKED: "",  # no such argument in JSON
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
    """Facts of an error. A missing fact reads as an ellipsis, so that every remedy can be rendered."""

    def __missing__(self, _: str) -> str:
        return "..."


def in_json(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Return the remedy for values sent as JSON, or an empty string."""
    return _filled(_JSON.get(remedy, remedy.value), facts)


def in_python(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Return the remedy for a Python program, with the error's facts."""
    return _filled(remedy.value, facts)


def _filled(words: str, facts: Mapping[str, Any]) -> str:
    return words.format_map(KnownFacts(facts))
