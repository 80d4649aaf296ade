"""Pairs of a record that was read and an edited copy, and what a PUT does to the JSON of the first."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, leaves, records, values
from wosdk_async import codec, model
from wosdk_async.model import Record
from wosdk_async.model.bases import Entity

Json = dict[str, Any]

ENTITIES = [cls for cls in CLASSES if issubclass(cls, Entity)]
PARTS = {"Address2", "AssetInfo", "Blob", "ContactInfo", "WoEstimate", "WoNote", "WoQuote"}
MARKS = {"id", "is_new", "perform_deletion", "concurrency_id"}
ids = st.integers(1, 9)


def plain(cls: type[Record]) -> dict[str, Any]:
    """Return the fields of a class that hold a value: no reference, no list, no mark."""
    return {
        name: meta
        for name, meta in cls.__wire__.items()
        if name not in MARKS and meta["type"] != "ref" and not meta.get("many")
    }


def whole(meta: Any, depth: int) -> st.SearchStrategy[Any]:
    """Values of a field; money with its currency, which an update would fill in."""
    if meta["type"] != "money":
        return values(meta, depth)
    return st.builds(
        model.Money,
        currency_type_id=st.sampled_from(["USD", "EUR"]),
        value=st.integers(0, 999).map(Decimal),
    )


@st.composite
def reads(draw: st.DrawFn) -> Any:
    """Return a record with an id, whose lists have elements with ids of their own."""
    record = draw(st.sampled_from(ENTITIES).flatmap(records))
    record.id = draw(ids)
    for name, meta in record.__wire__.items():
        held = getattr(record, name)
        if meta.get("many") and meta["type"] == "ref" and held is not None:
            for i, element in enumerate(held):
                element.id, element.perform_deletion = 100 + i, None
    return record


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return a record, and a copy with a few changes that an update can make."""
    read = draw(reads())
    edited = copy.deepcopy(read)
    edited.perform_deletion = read.perform_deletion = None
    names = sorted(set(read.__wire__) - MARKS)
    for name in draw(st.lists(st.sampled_from(names), max_size=5, unique=True)) if names else []:
        meta = read.__wire__[name]
        if meta["type"] != "ref":
            if not meta.get("many"):
                setattr(edited, name, draw(st.none() | whole(meta, 1)))
        elif meta.get("many"):
            setattr(edited, name, draw(lists(meta, getattr(edited, name))))
        elif meta["of"] in PARTS:
            part = getattr(edited, name) or getattr(model, meta["of"])()
            _redraw(draw, part)
            setattr(edited, name, part)
        else:
            target = getattr(model, meta["of"]).ref(draw(ids))
            named = getattr(getattr(read, name), "id", None)  # the service shows no reference without an id
            setattr(edited, name, draw(st.sampled_from([target, None])) if named else target)
    unknown = {name: held for name, held in (read.extra or {}).items() if not isinstance(held, list)}
    for name in draw(st.lists(st.sampled_from([*unknown, "~new"]), max_size=2, unique=True)):
        edited.extra = (edited.extra or {}) | {name: draw(leaves)}
    return read, edited


def _redraw(draw: st.DrawFn, record: Record) -> None:
    fields = plain(type(record))
    for name in draw(st.lists(st.sampled_from(sorted(fields)), max_size=2, unique=True)) if fields else []:
        setattr(record, name, draw(st.none() | whole(fields[name], 0)))


@st.composite
def lists(draw: st.DrawFn, meta: Any, held: list[Any] | None) -> list[Any] | None:
    """Return a list with elements changed, left out, marked and added."""
    made = []
    for element in held or []:
        fate = draw(st.sampled_from(["keep", "change", "leave out", "mark"]))
        if fate == "change":
            _redraw(draw, element)
        element.perform_deletion = True if fate == "mark" else None
        made += [element] if fate != "leave out" else []
    for element in draw(st.lists(records(getattr(model, meta["of"]), 1), max_size=2)):
        element.id, element.perform_deletion = draw(st.sampled_from([None, 0])), None
        made.append(element)
    return made or held


# --- the service, as facts 3.6 describes it -----------------------------------------------------


def applied(cls: type[Record], row: Json, body: Json) -> Json:
    """``row`` after the PUT: only what ``Properties`` names is written."""
    row, sent = copy.deepcopy(row), body["Entity"]
    for entry in body["Properties"]:
        _write(cls, row, sent, entry)
    return row


def _write(cls: type[Record], row: Json, sent: Json, entry: str) -> None:
    name, _, rest = entry.partition(".")
    meta = {meta["name"]: meta for meta in cls.__wire__.values()}.get(name, {})
    if meta.get("many"):
        assert rest == "*"
        row[name] = _list(row.get(name) or [], sent[name])
    elif rest and meta.get("of") in PARTS:
        _write(getattr(model, meta["of"]), row.setdefault(name, {}), sent[name], rest)
    else:
        row[name] = sent.get(name)


def _list(rows: list[Json], sent: list[Json]) -> list[Json]:
    """Elements that are not sent stay (facts 3.6)."""
    rows = [dict(row) for row in rows]
    for element in sent:
        found = next((row for row in rows if element.get("Id") and row.get("Id") == element["Id"]), None)
        if element.get("PerformDeletion"):
            assert found is not None
            rows.remove(found)
        elif found is None:
            rows.append(element)
        else:
            found |= element
    return rows


def seen(cls: Any, value: Any) -> Any:
    """``value`` as far as an update can make it: no versions or nulls, references by id, lists in order."""
    if not isinstance(value, dict) or cls is None:
        return value
    metas = {meta["name"]: meta for meta in cls.__wire__.values()}
    made = {}
    for name, held in value.items():
        if held is not None and name not in ("ConcurrencyId", "IsNew", "PerformDeletion"):
            made[name] = _seen(metas.get(name, {}), held)
    return {name: made[name] for name in sorted(made) if made[name] is not None}


def _seen(meta: Any, held: Any) -> Any:
    if meta.get("type") != "ref":
        return held
    cls = getattr(model, meta["of"])
    if meta.get("many"):
        kept = [seen(cls, e) | {"Id": e.get("Id") or None} for e in held if not e.get("PerformDeletion")]
        return sorted(kept, key=lambda e: (e["Id"] or 0, codec.dumps(dict(sorted(e.items())))))
    if meta["of"] in PARTS:
        return seen(cls, held) or None
    keys = ("Id", "TypeId") if meta["of"] == "Actor" else ("Id",)
    return {key: held[key] for key in keys if held.get("Id") and key in held} or seen(cls, held)
