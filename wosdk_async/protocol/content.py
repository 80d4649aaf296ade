"""Contents of request bodies: names as paths, objects as JSON, files as base64, and adapted commands."""

from __future__ import annotations

import binascii
import functools
import io
import logging
import os
import random
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError, UnknownFieldError
from wosdk_async.model import EntitySpecifier, Record, command_class, entity_class, registry
from wosdk_async.model.index import COMMANDS, ENTITIES
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.protocol.validation import Problem, content_problems, lacks, problems
from wosdk_async.protocol.wire import Call
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

__all__ = [
    "ADAPTERS",
    "Upload",
    "body_of",
    "content_of",
    "content_of_dict",
    "name_of",
    "new_request_id",
    "segment",
    "warn_of_typo",
    "with_fields",
]

_log = logging.getLogger("wosdk_async")

E = TypeVar("E", bound=Record)

_TYPO = 0.85  # how alike names must be for a warning; new commands are alike by their endings


def body_of(content: Mapping[str, Any]) -> bytes:
    """Return ``content`` as a JSON body. Raises InvalidCallError for a value that JSON cannot hold."""
    try:
        return codec.dumps(content)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None


# --- names and ids --------------------------------------------------------------------------

# Not os.urandom: an id is not a secret, and the system call costs three times as much.
_random = random.Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def new_request_id() -> str:
    """Return a RequestId that no other call has."""
    return _random.getrandbits(128).to_bytes(16, "big").hex()


def name_of(entity: type[Record] | str) -> str:
    """Return the name of an entity as a path. Raises InvalidCallError when it is not an entity."""
    name = segment(entity_name(entity))
    if isinstance(entity, str):
        warn_of_typo("entity", entity)
    return name


@functools.lru_cache(maxsize=256)  # once for each name, and a program may make names up
def warn_of_typo(kind: Literal["entity", "command"], name: str) -> None:
    """Log a name that is not in the catalogue but similar to one that is; it is sent as it is."""
    entities = kind == "entity"
    if (entity_class(name) if entities else command_class(name)) is None:
        near = suggestion(name, ENTITIES if entities else COMMANDS, cutoff=_TYPO)
        if near:
            _log.warning("the %s %r is not in the catalogue and is sent as it is%s", kind, name, near)


def segment(name: str) -> str:
    """Return ``name`` as a path; forms such as ``WorkOrder/Create`` are allowed (facts 5)."""
    if not name or not all(part.isidentifier() for part in name.split("/")):
        raise InvalidCallError(f"{name!r} is not a name of an entity or command")
    return quote(name)


# --- objects --------------------------------------------------------------------------------


def with_fields(record: E, changes: Mapping[str, Any]) -> E:
    """Set fields of ``record`` and return it. Raises UnknownFieldError for a name that it does not have."""
    for name, value in changes.items():
        if name not in record.__wire__:
            near = suggestion(name, record.__wire__)
            raise UnknownFieldError(f"{type(record).__name__} has no field {name!r}{near}")
        setattr(record, name, value)
    return record


def content_of(record: Record, check: bool = True, *, new: bool = False) -> dict[str, Any]:
    """Return the JSON object of ``record``; ``new`` says that it is to be created.

    Raises InvalidCallError that names each fault and its remedy. Without ``check`` only values without a JSON
    form are refused.
    """
    content = codec.plain(record)
    if content is not None and not (new and check and lacks(record, new=True)):
        return content
    if check:
        _refuse(type(record).__name__, problems(record, new=new))
    try:
        written: dict[str, Any] = codec.unstructure(record)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return written


def content_of_dict(
    known: type[Record] | None, content: Mapping[str, Any] | None, check: bool
) -> Mapping[str, Any]:
    """Return a JSON object that the caller wrote, checked where the catalogue knows its names."""
    if content is not None and not isinstance(content, Mapping):
        raise InvalidCallError(f"fields by name come as a dict, {{'Name': ...}}, not as {described(content)}")
    if known is not None and content and check:
        _refuse(known.wire_name, content_problems(known, content))
    return content or {}


def _refuse(name: str, found: list[Problem]) -> None:
    """Raise InvalidCallError for errors, and log warnings."""
    if faults := [problem for problem in found if problem.severity == "error"]:
        in_json = " ".join(f"{problem.path} {problem.in_json or problem.message}" for problem in faults)
        raise InvalidCallError(
            f"{name}: {' '.join(map(str, faults))}",
            remedies=(Remedy.UNCHECKED,),
            for_callers=f"{name}: {in_json}",
        )
    for problem in found:
        _log.warning("%s: %s", name, problem)  # of names and numbers of the catalogue: on one line


# --- files ----------------------------------------------------------------------------------

_STEP = 3 * 256 * 1024  # bytes that are encoded at once; base64 goes by three
_ENTITY = b'{"Entity":{'


class Upload:
    """The body of one upload: the file is encoded into it as it comes, and held nowhere else.

    A Document with a ``Blob`` in it would hold the text, the text in JSON and the body side by side.
    """

    def __init__(self, file_name: str, max_bytes: int) -> None:
        self.size = 0
        self._max_bytes = max_bytes
        self._rest = b""
        self._body = io.BytesIO()
        # facts 3.10; the blob comes first, so that a file is read before any request is made
        name = body_of({"FileName": file_name}).removesuffix(b"}")
        self._body.write(_ENTITY + b'"Blob":' + name + b',"Body":"')

    def require_fit(self, size: int) -> None:
        """Raise InvalidCallError for a file of ``size`` bytes that is longer than it may be."""
        if size > self._max_bytes:
            raise InvalidCallError(
                f"the file has at least {size} bytes, and max_bytes is {self._max_bytes}; "
                "send a shorter one, or raise it if your Company takes more"
            )

    def write(self, piece: Any) -> None:
        """Add the next bytes of the file. Raises InvalidCallError when it gets too long."""
        view = memoryview(piece)
        view = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
        self.size += len(view)
        self.require_fit(self.size)
        if self._rest:
            missing = 3 - len(self._rest)
            self._rest, view = self._rest + bytes(view[:missing]), view[missing:]
            if len(self._rest) < 3:
                return
            self._encode(self._rest)
        whole = len(view) - len(view) % 3
        for start in range(0, whole, _STEP):
            self._encode(view[start : min(start + _STEP, whole)])
        self._rest = bytes(view[whole:])

    def into(self, create: Call[EntitySpecifier]) -> Call[EntitySpecifier]:
        """Return the create of a Document with the file in it. Raises InvalidCallError for an empty file."""
        if not self.size:  # not shown; assumed: an empty Body makes a document without a file
            raise InvalidCallError("the file is empty, and whether the service keeps it is not known")
        self._encode(self._rest)
        self._body.write(b'"},' + (create.body or b"").removeprefix(_ENTITY))
        return attrs.evolve(create, body=self._body.getvalue())  # the buffer itself, not a copy

    def _encode(self, piece: bytes | memoryview) -> None:
        self._body.write(binascii.b2a_base64(piece, newline=False))


# --- forms of commands that specification and recordings both accept -------------------------
# ``catalogue/differences.json`` lists all places where the specification and the recordings differ.


Content = dict[str, Any]


def _create_work_order(content: Content) -> None:
    """Send the category as the number that is shown, and the requestor in both places."""
    order = content.get("WorkOrder")
    if order.__class__ is not dict:
        return
    if isinstance(category := order.get("TypeCategory"), str):  # spec 4.3 sends the integer; facts 9
        number = registry.resolve("WOType")(category).number
        order["TypeCategory"] = category if number is None else number
    # spec 4.3 sends Contactid; facts 5: it is dropped and RequestorContact taken
    contact_id, contact = order.get("Contactid"), order.get("RequestorContact")
    if contact_id is None and contact.__class__ is dict and contact.get("Id") is not None:
        order["Contactid"] = contact["Id"]
    elif contact_id is not None and contact is None:
        order["RequestorContact"] = {"Id": contact_id}
    elif contact_id is not None and contact.__class__ is dict and contact.get("Id") is None:
        contact["Id"] = contact_id


def _change_ap_status(content: Content) -> None:
    """Spell the order's id as the specification does; the service is case-insensitive."""
    if content.get("WorkOrderId") is not None:  # spec 4.5; facts 3.3
        content["WorkOrderid"] = content.pop("WorkOrderId")


def _create_space(content: Content) -> None:
    """Send the customer's id as text."""
    if content.get("CustomerId") is not None:  # spec 4.4 sends a string; facts 5: an integer by schema
        content["CustomerId"] = str(content["CustomerId"])


ADAPTERS: dict[str, Callable[[Content], None]] = {
    "WoCreateCommand": _create_work_order,
    "ApStatusChangeCommand": _change_ap_status,
    "SpaceCreateCommand": _create_space,
}
"""Name of a command -> the function that changes its content, in place, to forms that both sources accept."""
