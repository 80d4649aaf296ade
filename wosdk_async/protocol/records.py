"""Record calls: read, create, update and delete (spec 4.9, facts 3), and the body of an upload."""

from __future__ import annotations

import binascii
import io
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import EntitySpecifier, Record, entity_class
from wosdk_async.protocol import envelopes, matching
from wosdk_async.protocol.arguments import described, name_of, require_id
from wosdk_async.protocol.calls import body_of, content_of, content_of_dict
from wosdk_async.protocol.validation import computed_names
from wosdk_async.protocol.wire import Call
from wosdk_async.text.remedies import Remedy

E = TypeVar("E", bound=Record)

Id = int | Mapping[str, int]
"""Record id, or the identifier fields of an entity with a compound key (facts 3.1)."""

_SPECIFIER = envelopes.objects(envelopes.SPECIFIER, EntitySpecifier)


def retrieve(entity: type[E] | str, id: Id, properties: Iterable[str]) -> Call[Any]:
    """Return the call that reads one record; without ``properties``, the service chooses them (facts 3.4)."""
    name = name_of(entity)
    require_id(entity, id)
    paths = ",".join(properties)
    arguments = [f"properties={quote(paths, safe='*,.')}"] if paths else []
    if isinstance(id, int):
        path = f"api/v1/base/{name}/{int(id)}"  # facts 3.1; spec 4.10 does not show the path
    else:
        path = f"api/v1/base/{name}"
        arguments.insert(0, f"ID={quote(codec.dumps(dict(id)).decode(), safe='')}")
    query = f"?{'&'.join(arguments)}" if arguments else ""
    decode = envelopes.objects(envelopes.RECORD, entity)
    # facts 3.4: the Id of an AssetTree is its parent's, so it is not compared
    if name.lower() != "assettree":
        decode = matching.record_with(decode, id)
    return Call(f"retrieve {name}", "GET", path + query, decode, repeat_safe=True)


def create(
    entity: Record | str,
    fields: Mapping[str, Any] | None = None,
    *,
    check: bool = True,
    origin: str | None = None,
) -> Call[EntitySpecifier]:
    """Return the call that creates a record (spec 4.9) at ``origin``."""
    name = name_of(entity if isinstance(entity, str) else type(entity))
    if isinstance(entity, str):
        content = content_of_dict(entity_class(entity), fields, check, new=True)
    elif fields is not None:
        raise InvalidCallError(
            f"create({type(entity).__name__}(...)) takes no other fields; set them in the record"
        )
    else:
        content = content_of(entity, check=check, new=True, origin=origin)
    return _write("create", "POST", name, {"Entity": content})


def update(
    entity: type[Record] | str, id: Id, properties: list[str], fields: Mapping[str, Any]
) -> Call[EntitySpecifier]:
    """Return the call that writes properties of a record (spec 4.9); ``fields`` is keyed by wire name."""
    key = {"Id": id} if isinstance(id, int) else dict(id)
    content = {"Properties": properties, "Entity": key | dict(fields)}
    return _write("update", "PUT", name_of(entity), content, id)


def put(entity: type[Record] | str, content: Any, properties: list[str]) -> Call[EntitySpecifier]:
    """Return the call that sends the caller's content and ``Properties`` unchanged (facts 3.6)."""
    if not isinstance(content, Record | Mapping):
        raise InvalidCallError(f"put() takes a dict with the Id and the fields, not {described(content)}")
    name = name_of(entity)
    try:
        written = codec.unstructure({"Properties": properties, "Entity": content})
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    id = next((value for key, value in written["Entity"].items() if key.lower() == "id"), None)  # facts 3.3
    return _write("update", "PUT", name, written, id)


def _write(
    verb: str, method: str, name: str, content: Mapping[str, Any], id: object = None
) -> Call[EntitySpecifier]:
    """Return the call for a write, which is never safe to repeat."""
    decode = matching.specifier_for(_SPECIFIER, name, id, is_new=verb == "create")
    path = f"api/v1/base/{name}"
    remedy = None
    if verb == "update" and name == "WorkOrder":
        computed = computed_names("WorkOrder").intersection(content["Properties"])
        # facts 10 row 4: an update of StatusId fails. Not shown; assumed: so do updates of the others.
        remedy = Remedy.MOVED_BY_COMMANDS if "StatusId" in computed else Remedy.GIVEN if computed else None
    return Call(
        f"{verb} {name}",
        method,
        path,
        decode,
        repeat_safe=False,
        body=body_of(content),
        remedy=remedy,
    )


def delete(entity: type[Record] | str, id: Id, *, missing_ok: bool) -> Call[EntitySpecifier]:
    """Return the call that deletes a record; only ``missing_ok`` makes it safe to repeat (facts 3.8)."""
    name = name_of(entity)
    require_id(entity, id)
    text = str(int(id)) if isinstance(id, int) else codec.dumps(dict(id)).decode()
    return Call(
        f"delete {name}",
        "DELETE",
        f"api/v1/base/{name}?ID={quote(text, safe='')}",  # spec 4.9
        matching.specifier_for(_SPECIFIER, name, id),
        repeat_safe=missing_ok,
        headers=(("IgnoreMissingEntityOnDelete", "true"),) if missing_ok else (),
    )


def specifier_of(result: Mapping[str, Any]) -> EntitySpecifier:
    """Return the EntitySpecifier in the result of a command given by name."""
    return codec.structure(result.get("EntitySpecifier") or {}, EntitySpecifier)


_STEP = 3 * 256 * 1024  # bytes encoded at a time: a multiple of three, so that base64 needs no padding
_ENTITY = b'{"Entity":{'


class Upload:
    """Body of one upload. The file is encoded into it piece by piece, and no other copy is kept.

    A Document with a ``Blob`` would keep the base64 text, its JSON and the body in memory at once.
    """

    def __init__(self, file_name: str, max_bytes: int) -> None:
        self.size = 0
        self._max_bytes = max_bytes
        self._rest = b""
        self._body = io.BytesIO()
        # facts 3.10. The blob comes first, so that the file is read before any request is made, including the
        # query for the document's type.
        name = body_of({"FileName": file_name}).removesuffix(b"}")
        self._body.write(_ENTITY + b'"Blob":' + name + b',"Body":"')

    def require_fit(self, size: int) -> None:
        """Raise InvalidCallError if a file of ``size`` bytes exceeds the maximum."""
        if size > self._max_bytes:
            raise InvalidCallError(
                f"the file has at least {size} bytes, and max_bytes is {self._max_bytes}; "
                "send a smaller file, or raise max_bytes if your Company accepts more"
            )

    def write(self, piece: Any) -> None:
        """Add the next bytes of the file. Raises InvalidCallError if the file exceeds the maximum."""
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
        """Return ``create`` with the file in its body. Raises InvalidCallError for an empty file."""
        if not self.size:  # not shown; assumed: an empty Body creates a document without a file
            raise InvalidCallError("the file is empty, and the service might not store it")
        self._encode(self._rest)
        self._body.write(b'"},' + (create.body or b"").removeprefix(_ENTITY))
        return attrs.evolve(create, body=self._body.getvalue())  # CPython shares the buffer, without a copy

    def _encode(self, piece: bytes | memoryview) -> None:
        self._body.write(binascii.b2a_base64(piece, newline=False))
