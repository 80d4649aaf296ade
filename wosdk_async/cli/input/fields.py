"""Fields from ``--json-body`` and ``NAME=VALUE``, validated before anything is sent."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wosdk_async import codec
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.input.texts import typed_value
from wosdk_async.cli.texts import json_text
from wosdk_async.codec.checks import json_kind_of
from wosdk_async.codec.masking import mask_fields, mask_text
from wosdk_async.model import Record, registry
from wosdk_async.model.metadata import Wire, is_nested
from wosdk_async.protocol.validation import errors_in_json
from wosdk_async.text.safe_text import shortened
from wosdk_async.text.suggestions import suggestion

_MAX_JSON = 64 * 1024 * 1024  # bytes
_MAX_VALUE = 200  # characters of a value in the preview
# Values of these types are validated, then sent as the user typed them.
_TEXTS = ("string", "enum", "datetime-local", "datetime-utc")
_ASSIGNMENT = "write NAME=VALUE, such as WorkOrderId=90417, or NAME:=JSON"


def json_object(option: str, path: Path) -> dict[str, Any]:
    """Read a JSON object from a file, or from stdin for ``-``. Raises CliError, which names the option."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(_MAX_JSON + 1)
    else:
        with path.open("rb") as file:
            data = file.read(_MAX_JSON + 1)
    if len(data) > _MAX_JSON:
        raise CliError(f"{option} {path} is larger than {_MAX_JSON} bytes; use a smaller object")
    try:
        content = codec.loads(data)
    except ValueError as error:
        raise CliError(f"{option} {path}: {error}") from None
    if not isinstance(content, dict):
        raise CliError(f"{option} {path} contains a {type(content).__name__}; write a JSON object")
    return content


def parsed_fields(
    kind: type[Record] | str, texts: Iterable[str], body: Path | None, *, empty_is_null: bool
) -> dict[str, Any]:
    """Parse ``--json-body`` and ``NAME=VALUE`` into fields by wire name. Refuse duplicate assignments."""
    cls = None if isinstance(kind, str) else kind
    fields = json_object("--json-body", body) if body is not None else {}
    before: dict[tuple[str, ...], str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        is_json = name.endswith(":")
        if empty_is_null and sign and not value and not is_json:
            text, name, value, is_json = f"{name}:=null", f"{name}:", "null", True
        path = name.removesuffix(":").split(".")
        if not sign or not all(step.isidentifier() for step in path):
            raise CliError(f"{mask_text(text)!r} is not a field: {_ASSIGNMENT}")
        meta = _meta(cls, path)
        takes_json = meta is not None and (meta.get("many") or meta["type"] in ("object", "money"))
        parsed = _json(value, text) if is_json or takes_json else _typed(value, meta, name)
        if meta is not None:
            path[-1] = meta["name"]  # an alias names the same field, so it counts as a duplicate
        _require_new(before, tuple(path), fields, text)
        before[tuple(path)] = text
        _put(fields, path, parsed, text)
    return fields


def shown_value(name: str, value: Any) -> str:
    """Return a field's value as JSON for the preview, truncated and without secrets."""
    return shortened(json_text(mask_fields({name: value})[name]), _MAX_VALUE)


def _require_new(
    before: Mapping[tuple[str, ...], str], path: tuple[str, ...], fields: Any, text: str
) -> None:
    """Refuse an assignment that would overwrite an earlier one. It may overwrite ``--json-body``."""
    for other, earlier in before.items():
        length = min(len(other), len(path))
        if other[:length] != path[:length]:
            continue
        if len(other) >= len(path) or _is_in(fields, path):
            both = f"{mask_text(earlier)!r} and {mask_text(text)!r}"
            raise CliError(f"{both} both set {'.'.join(path)}; set it once")


def _is_in(fields: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if not isinstance(fields, Mapping) or step not in fields:
            return False
        fields = fields[step]
    return True


def _typed(value: str, meta: Wire | None, name: str) -> Any:
    if meta is None:
        return value
    if meta["type"] == "ref":  # spec 2.1: a reference is written by id
        return {"Id": _checked(value, {"type": "integer"}, f"{name}, a {meta['of']} id,", meta["name"])}
    parsed = _checked(value, meta, name, meta["name"])
    return value if meta["type"] in _TEXTS else parsed


def _checked(text: str, meta: Wire, place: str, name: str) -> Any:
    """Parse the text of the field ``name``. Raises CliError, with secrets in the text masked."""
    try:
        return typed_value(text, meta, place)
    except CliError as fault:
        masked = mask_fields({name: text})[name]
        if masked == text:
            raise
        shown = shortened(masked, _MAX_VALUE)
        raise CliError(f"{place} takes a value of type {meta['type']}, not {shown!r}", fault.status) from None


def _json(value: str, text: str) -> Any:
    try:
        return codec.loads(value.encode(errors="surrogateescape"))
    except ValueError as error:
        raise CliError(f"{mask_text(text)!r} takes JSON: {error}") from None


def _put(fields: dict[str, Any], path: list[str], value: Any, text: str) -> None:
    *parents, leaf = path
    for step in parents:
        inner = fields.setdefault(step, {})
        if not isinstance(inner, dict):
            raise CliError(
                f"{mask_text(text)!r} sets a field of {step}, but {step} already has a value;"
                " leave out the field or the value"
            )
        fields = inner
    fields[leaf] = value


def _meta(cls: type[Record] | None, path: list[str]) -> Wire | None:
    meta: Wire | None = None
    for step in path:
        if cls is None:
            return None
        meta = _field(cls, step)
        cls = _class(meta)
    return meta


def _field(cls: type[Record], name: str) -> Wire:
    table = {alias: meta for meta in cls.__wire__.values() for alias in meta.get("aliases", ())}
    table |= {meta["name"]: meta for meta in cls.__wire__.values()}
    if name not in table:
        hint = suggestion(name, table) or f"; wosdk describe {cls.wire_name} lists its fields."
        raise CliError(f"{cls.wire_name} has no field {name!r}{hint} --unchecked sends it unchanged")
    return table[name]


def _class(meta: Wire) -> type[Record] | None:
    return registry.resolve(meta["of"]) if is_nested(meta) else None


def record_of(cls: type[Record], fields: Mapping[str, Any], *, new: bool = False) -> Any:
    """Build a command or record from fields by wire name. Raises CliError with all errors.

    A command, and a ``new`` record, must have the fields that the service requires.
    """
    if faults := list(_faults(cls, fields, "")):
        raise CliError("; ".join(faults))
    record = codec.structure(dict(fields), cls)
    if errors := errors_in_json(record, new=new):
        raise CliError(" ".join(errors))
    return record


def _faults(cls: type[Record], fields: Mapping[str, Any], place: str) -> Iterator[str]:
    for name, value in fields.items():
        where = f"{place}{name}"
        try:
            meta = _field(cls, name)
        except CliError as fault:
            yield f"{place.removesuffix('.')}: {fault.message}" if place else fault.message
            continue
        if value is None:
            continue
        if not meta.get("many"):
            yield from _value_faults(meta, value, where)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from _value_faults(meta, item, f"{where}[{i}]")
        else:
            yield f"{where} takes a JSON list, not {json_kind_of(value)}"


def _value_faults(meta: Wire, value: Any, where: str) -> Iterator[str]:
    below = _class(meta)
    if below is not None:
        if isinstance(value, Mapping):
            yield from _faults(below, value, f"{where}.")
        else:
            yield f"{where} takes an object of type {below.wire_name}, not {json_kind_of(value)}"
    elif isinstance(value, dict | list) or isinstance(value, bool) != (meta["type"] == "boolean"):
        if meta["type"] != "object":
            yield f"{where} takes a value of type {meta['type']}, not {json_kind_of(value)}"
    elif meta["type"] != "enum" or isinstance(value, str):  # spec 4.3: an enum's number is also valid
        try:
            _checked(str(value), meta, where, meta["name"])
        except CliError as fault:
            yield fault.message
