"""The tables of a store file: one for each entity type, its rows as JSON text.

A property is read with `column`, and the indexes are made of the same expressions, so a condition
on an indexed property finds its rows without reading the table. An index ends with the id: rows of one
value come out in the order of ids, however many there are. What ties rows to their parents is
indexed from the start, what else queries ask for by `indexes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import attrs

from wosdk_async.sandbox.service.entity_schema import shapes
from wosdk_async.sandbox.service.relations import links

__all__ = [
    "APPLICATION_ID",
    "RELOAD",
    "REPEATED_IDS",
    "VERSION",
    "column",
    "index",
    "is_table",
    "statements",
    "texts",
]

APPLICATION_ID = 0x776F7364  # "wosd": tells a store from any other SQLite file
VERSION = 2

_COMPANY = """
CREATE TABLE company (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE UNIQUE,
    client_id TEXT NOT NULL UNIQUE,
    client_secret TEXT NOT NULL,
    host TEXT NOT NULL,
    live INTEGER NOT NULL,
    seeded INTEGER NOT NULL
) STRICT"""

_COUNTER = """
CREATE TABLE counter (
    company INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (company, name)
) STRICT, WITHOUT ROWID"""

# AssetTree is the location tree seen from every ancestor (facts 3.4: Id repeats ParentId, and a row
# of Distance 0 has parent and child equal). The bound keeps a circle of parents from running for ever.
_ASSET_TREE = """
CREATE VIEW "AssetTree" AS
WITH RECURSIVE pair(company, parent, child, distance) AS (
    SELECT company, id, id, 0 FROM "Location"
    UNION ALL
    SELECT pair.company, CAST(json_extract("Location".body, '$.ParentId') AS INTEGER), child, distance + 1
    FROM pair JOIN "Location" ON "Location".company = pair.company AND "Location".id = pair.parent
    WHERE json_extract("Location".body, '$.ParentId') > 0 AND distance < 32
)
SELECT company, parent * 4294967296 + child AS id, json_object('ParentId', parent, 'ChildId', child,
    'Child', json_object('Id', child), 'Distance', distance, 'Id', parent) AS body FROM pair"""

# An actor is whoever can act: employees, contacts and the service account itself (facts 1).
_ACTOR = """
CREATE VIEW "Actor" AS
SELECT company, id, json_object('TypeId', json_extract(body, '$.ActorTypeId'),
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) AS body FROM "Employee"
UNION ALL
SELECT company, id, json_object('TypeId', 'LeaseUser',
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) FROM "Contact"
UNION ALL
SELECT id, id, json_object('TypeId', 'CorrigoNet', 'DisplayAs', 'Web services', 'Id', id) FROM company"""

RELOAD = "ANALYZE sqlite_master"  # the planner reads its numbers again
REPEATED_IDS = frozenset({"AssetTree"})  # the Id of such a row is not its own
_VIEWS = {"AssetTree": _ASSET_TREE, "Actor": _ACTOR}


def column(path: str, kind: str, row: str = "") -> str:
    """The SQL for a property of a row.

    Args:
        path: member names joined by points, as they nest in the stored JSON.
        kind: the catalogue's type of the property; texts compare without regard to letter case
            and trailing blanks, as the database behind the service does (not shown; assumed).
        row: the alias of the table, with its point.
    """
    value = f"json_extract({row}body, '$.{path}')"
    return f"rtrim({value}) COLLATE NOCASE" if kind == "string" else value


def index(entity: str, path: str, kind: str) -> Iterator[str]:
    """The statements that make the index on a property.

    Args:
        kind: the catalogue's type of the property, as in `column`.
    """
    name = f"{entity}.{path}"
    yield f'CREATE INDEX "{name}" ON "{entity}" (company, {column(path, kind)}, id)'
    yield _expected(entity, name, "1000000 1000000 10 1")


def _expected(entity: str, name: str, numbers: str) -> str:
    """What SQLite's planner is told of an index: a Company is the whole table, a value a few rows."""
    return f"INSERT INTO sqlite_stat1 VALUES ('{entity}', '{name}', '{numbers}')"  # noqa: S608 known names


def is_table(entity: str) -> bool:
    """Whether rows of the entity type are kept, not worked out from others."""
    return entity not in _VIEWS


def statements() -> Iterator[str]:
    """What makes an empty file a store."""
    yield _COMPANY
    yield _COUNTER
    yield "ANALYZE"  # makes the table of the planner's numbers
    for shape in shapes().values():
        if is_table(shape.name):
            yield (
                f'CREATE TABLE "{shape.name}" (company INTEGER NOT NULL, id INTEGER NOT NULL, '
                "body TEXT NOT NULL, PRIMARY KEY (company, id)) STRICT"
            )
            yield _expected(shape.name, f"sqlite_autoindex_{shape.name}_1", "1000000 1000000 1")
    yield from _VIEWS.values()
    for name, path in sorted({(link.child.name, link.key) for link in links().values()}):
        yield from index(name, path, "integer")
    yield f"PRAGMA application_id = {APPLICATION_ID}"
    yield f"PRAGMA user_version = {VERSION}"
    yield RELOAD


@attrs.frozen
class Texts:
    """The statements of one entity type."""

    get: str
    insert: str
    replace: str
    remove: str
    clear: str


@cache
def texts() -> dict[str, Texts]:
    """The statements of every entity type, written once so that SQLite's cache knows them."""
    return {
        name: Texts(
            get=f'SELECT body FROM "{name}" WHERE company = ? AND id = ?',  # noqa: S608 names of the catalogue
            insert=f'INSERT INTO "{name}" VALUES (?, ?, ?)',  # noqa: S608
            replace=f'UPDATE "{name}" SET body = ? WHERE company = ? AND id = ?',  # noqa: S608
            remove=f'DELETE FROM "{name}" WHERE company = ? AND id = ?',  # noqa: S608
            clear=f'DELETE FROM "{name}" WHERE company = ?',  # noqa: S608
        )
        for name in shapes()
    }
