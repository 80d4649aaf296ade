"""Error remedies as values, worded for Python programs.

The code that shows an error chooses the wording: ``str(error)`` uses these values. The CLI writes arguments
as options (``pass new_rows=True`` as ``add --new-rows``), and has its own wording where that is not enough
(``cli/texts.py``). Names in braces are facts of the error, such as ``error.folder``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, unique
from typing import Any

Words = Callable[["Remedy", Mapping[str, Any]], str]
"""Function that renders a remedy in the caller's wording, given the error's facts."""


@unique
class Remedy(Enum):
    """Error remedy; the value is the wording for Python programs."""

    # connections and log-ins
    POOL = (
        "httpx may lose connections when requests are cancelled; leave out http_client and transport, "
        "or allow more pool connections than limits.connections and set httpx.Timeout(pool=...)"
    )
    RETURN_RESPONSE = "return {library}.Response instead"
    RETURN_OR_USE = "return {library}.Response instead, or pass a client or transport from {other}"
    COMPANY_NAME = "pass one, or set WOSDK_COMPANY"
    COMPLETE_PROFILE = "complete the profile"
    CREDENTIALS = "set WOSDK_CLIENT_ID and WOSDK_CLIENT_SECRET, or pass credentials="
    SETTINGS_FILE = "create the file, or unset WOSDK_CONFIG"
    PROXY_LOGIN = "check the user name and password in the proxy address"
    PROXY_NO_LOGIN = "add the user name and password to the proxy address: http://user:password@host:port"
    PROXY_ALLOW = "ask the proxy's administrator to allow this host"
    PROXY_RULES = "ask the proxy's administrator to allow this host, or add the host to NO_PROXY"
    PROXY_ADDRESS = "check the scheme and port of the proxy address"
    NOT_TLS = "the server does not speak TLS: use http:// or another port"
    AUTHORITY = (
        "if you trust the certificate authority (your own, or a proxy that intercepts TLS), set "
        "SSL_CERT_FILE to the path of its certificate, or pass ssl_context="
    )
    AUTHORITY_IN_FILE = (
        "SSL_CERT_FILE ({file!r}) lacks the certificate authority: add its certificate if you trust it"
    )
    AUTHORITY_IN_CONTEXT = (
        "if you trust the certificate authority, load its certificate into your ssl_context"
    )
    AUTHORITY_IN_HTTPX = (
        "if you trust the certificate authority, pass its certificate to your httpx client: "
        "verify=ssl.create_default_context(cafile=...)"
    )
    HOST_NAME = "use a host name that the certificate covers, or get a certificate for this name"
    NOT_YET_VALID = "check this machine's clock and the certificate's start date"
    EXPIRED = "check this machine's clock, then renew the certificate"
    ENDPOINT = "check {variable}, or the Region's {field}="
    START_SANDBOX = "if this is a local Company, start its sandbox"
    OWN_PAIR = "check that the credentials were generated for this Company: each pair belongs to one Company"
    CANCELLED_PROVIDER = "handle cancellations in the provider, or raise a different error"

    # calls in doubt
    LOOK = "wait {settle} s, then look for its effect before you retry"
    SAME_KEY = "repeat the call with the same key"

    # moves of work orders
    MOVE_ON = (
        "to move the order from {state} to {target}, {steps}; each Company configures its state transitions"
    )
    REOPEN = "to reopen the order, run WoReopenCommand; each Company configures its state transitions"
    MOVED_BY_COMMANDS = (
        "an update cannot change a work order's state; use company.work_orders.start(), hold(), complete() "
        "and so on"
    )
    GIVEN = "the service sets this field itself, and no command changes it"

    # imports: rows that the ledger knows
    NEW_ROWS = "if the unknown rows are new, pass new_rows=True"
    NEW_KEYS = "correct wrong keys; if all are right, pass new_rows=True to send the rows as new"
    OTHER_CELLS = (
        "if they are the same rows, remove them from the file; if not, correct the keys or pass new_rows=True"
    )
    SEND_AGAIN = "to resend all rows, pass again=True"
    NAME_RUN = "pass of_run with the run to undo, or None for all runs"
    UNDO_AND_SEND = "to resend all rows, first undo the job, then pass again=True"
    UNDO_AND_RETRY = "to send them again, undo all runs, then pass retry_undone=True"
    SAME_COMMAND = "to send the remaining rows, leave out again=True"
    SETTLE = "settle the rows in doubt"
    OTHER_FIELD = '{sample!r} is a {by}: to look up all records by {by}, set by = "{by}" in the map'
    EARLIER_IMPORT = (
        "if an earlier import created the record, name its folder with folder=DIR, or pass if_exists='skip'"
    )
    JOB_BESIDE = (
        "the job {folder!r} sent the first of these rows; to count their records as found, pass "
        "if_exists='skip'"
    )
    EXISTING_RECORDS = "if the records belong to the rows, pass if_exists='skip'; otherwise, correct the keys"
    KEY = (
        "if you edited rows or columns, undo the edits, add a key to the map (fill the marker from a column, "
        'or set key = "{{column}}") and import the file once; then edit again'
    )
    SAME_MAP = "restore the previous map and marker"
    KEY_FIRST = "undo the edits of rows and columns, import the file once, then edit again"
    OTHER_FOLDER = "name another folder with folder=DIR"
    REMOVE_ROWS = "remove these rows from the file"
    SAME_ROWS = "if these are the same rows, remove them from the file; if not, pass new_rows=True"
    MOVE_JOB = "if that job sent none of this file's rows, move {folder!r} to another directory"
    THAT_FOLDER = "pass folder={folder!r}"
    NEWER_JOB = "resume that job with folder={folder!r}"
    NEWER_REJECTS = "correct and import the rejects of that job, if it has any: {folder}/rejects.csv"
    KNOWN_FOLDER = "name that job's folder with folder=DIR"
    EXPORT_REJECTS = "use the rows from the job's rejects.csv, and keep the columns _job and _row unchanged"
    STOP_AFTER = "stop_after= sets the limit"
    STOP_AFTER_DOUBT = "stop_after_doubt= sets the limit"
    DECIDE_ROWS = (
        "look for each row of in_doubt.csv in the Company, then call decide(journal, row, id), with id=None "
        "if nothing was created"
    )
    RUN_AGAIN = "run the import again, which first settles the rows in doubt"
    WRITE_OUTPUTS = "the journal is intact; fix this problem, then call write_outputs(journal, source)"

    # imports and exports: files and folders
    WAIT = "wait until it ends"
    HOLDER = "wait for {holder}, or stop it"
    LOCAL_DISK = "put the job on a local disk with folder=DIR"
    PERMISSIONS = "change the permissions, or put the job elsewhere with folder=DIR"
    DELIMITER = "the delimiter seems to be {delimiter!r}; pass delimiter={delimiter!r}"
    HEADER_ROW = "pass header_row={line}"
    NO_HEADER_ROW = "delete header_row from the map"
    OTHER_HEADER = "if another line is the header, set header_row= to its number"
    ENCODING = "the encoding may be {encoding}; pass encoding={encoding!r}, or save the file as UTF-8"
    SOME_ENCODING = "pass the file's encoding, as in encoding='cp1252', or save the file as UTF-8"
    COPY_AGAIN = "part of the file is damaged: save or copy the file again"
    UTF_16 = "export the data as comma-separated UTF-8, or pass encoding='utf-16-le' if the file is UTF-16"
    JSON_LINES = "if the file has one object per line, rename it to .jsonl or pass format='jsonl'"
    READ_AS_CSV = "rename the file to .csv, or pass format='csv'"
    OTHER_SHEET = "choose another sheet with sheet="
    TRY_AGAIN = "try again"
    DOWNLOAD = "download the file first"
    PIPE = "name a file, or pipe one in"
    LEAVE_OUT = "leave out {option}="
    OVERWRITE = "name another file, or pass force=True to overwrite"
    FORMAT = "pass format='csv', or end the name with {suffixes}"
    INCREMENTAL = "name a file, or use IncrementalExport for a directory of parts"
    EXPORT_AGAIN = "run the same export to resume, or pass again=True to start over"

    STATE_FOLDER = "use another folder for the plans"

    # names and values
    UNCHECKED = "check=False sends it anyway"
    REFERENCE = "refer to it by {of}.ref(id)"
    REMOVE_ELEMENTS = "send the elements to remove, each with its id and perform_deletion=True"
    KEEP_ELEMENTS = "read the list first; to remove an element, leave it out or mark it perform_deletion=True"
    UPDATE_OTHER = "to update the other record, call update({entity}.ref({other}), ...)"
    DELETE = "to delete this record, call delete({entity}, {id})"
    IF_UNCHANGED = "to compare it, pass if_unchanged=True"
    CATALOGUE = "the catalogue lists all names"
    PROPERTIES = "the catalogue lists its properties"
    QUERY_UNKNOWN = "company.query({entity!r}, ...) reads the records as plain data"

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        """Pickle by name, which stays stable when the wording changes."""
        return getattr, (Remedy, self.name)


_JSON: Mapping[Remedy, str] = {
    Remedy.MOVED_BY_COMMANDS: "an update cannot change a work order's state",
    Remedy.UNCHECKED: "",  # JSON has no such argument
    Remedy.REFERENCE: 'refer to it by {{"Id": id}}',
    Remedy.REMOVE_ELEMENTS: 'send the elements to remove, each with its Id and "PerformDeletion": true',
    Remedy.KEEP_ELEMENTS: (
        'read the list first; to remove an element, leave it out or mark it "PerformDeletion": true'
    ),
    Remedy.UPDATE_OTHER: "to update the other record, use the update operation for {entity} {other}",
    Remedy.DELETE: "to delete this record, use the delete operation for {entity} {id}",
    Remedy.IF_UNCHANGED: "compare it instead of writing it",
    Remedy.LOOK: "",  # jobs look up calls in doubt themselves, and problem bodies have their own text
}


class KnownFacts(dict[str, Any]):
    """Error facts. A missing fact is rendered as an ellipsis, so that rendering a remedy never fails."""

    def __getitem__(self, name: str) -> Any:
        """Return a fact, with a float as short text: ``30`` for 30.0."""
        fact = super().__getitem__(name)
        return f"{fact:g}" if isinstance(fact, float) else fact

    def __missing__(self, _: str) -> str:
        return "..."


def json_words(remedy: Remedy) -> str:
    """Return a remedy's format string for values sent as JSON; empty if it has none."""
    return _JSON.get(remedy, remedy.value)


def in_json(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Render a remedy for values sent as JSON; return an empty string if it does not apply to JSON."""
    return json_words(remedy).format_map(KnownFacts(facts))


def in_python(remedy: Remedy, facts: Mapping[str, Any]) -> str:
    """Render a remedy for Python programs, with the error's facts."""
    return remedy.value.format_map(KnownFacts(facts))
