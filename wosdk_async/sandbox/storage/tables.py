"""Tables and indexes of a store file: one table per entity type, with records as JSON text.

Queries and indexes share the same SQL expression for a property, `column`. Each index ends with the id, so
records with equal values are sorted by id. References to parents are indexed from the start. Indexes on all
other properties would slow down writes, so `Indexes` only creates those that queries use.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import relations

__all__ = ["APPLICATION_ID", "REPEATED_IDS", "VERSION", "Indexes", "column", "create_statements", "is_table"]

APPLICATION_ID = 0x776F7364  # "wosd": identifies a store among SQLite files
VERSION = 3
_INDEXED_FROM = 500  # rows: scanning smaller tables is fast enough
_MAX_INDEXES = 24  # per table: each slows down writes

_COMPANY = """
CREATE TABLE company (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE UNIQUE,
    client_id TEXT NOT NULL UNIQUE,
    client_secret TEXT NOT NULL,
    host TEXT NOT NULL,
    live INTEGER NOT NULL,
    seeded INTEGER NOT NULL,
    verification INTEGER NOT NULL
) STRICT"""

_COUNTER = """
CREATE TABLE counter (
    company INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (company, name)
) STRICT, WITHOUT ROWID"""

# AssetTree is the location tree seen from each ancestor (facts 3.4: Id repeats ParentId, and records of
# Distance 0 have the same parent and child). The limit ends cycles.
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

# Actors are employees, contacts and the service account itself (facts 1).
_ACTOR = """
CREATE VIEW "Actor" AS
SELECT company, id, json_object('TypeId', json_extract(body, '$.ActorTypeId'),
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) AS body FROM "Employee"
UNION ALL
SELECT company, id, json_object('TypeId', 'LeaseUser',
    'DisplayAs', json_extract(body, '$.DisplayAs'), 'Id', id) FROM "Contact"
UNION ALL
SELECT id, id, json_object('TypeId', 'CorrigoNet', 'DisplayAs', 'Web services', 'Id', id) FROM company"""

_RELOAD_STATISTICS = "ANALYZE sqlite_master"  # makes the planner reload its statistics
REPEATED_IDS = frozenset({"AssetTree"})  # several records have the same Id
_VIEWS = {"AssetTree": _ASSET_TREE, "Actor": _ACTOR}


def column(path: str, kind: str, alias: str = "") -> str:
    """Return the SQL for a record's property, by JSON path and catalogue type.

    Strings compare case-insensitively and without trailing spaces, like the database behind the service (not
    shown; assumed). ``alias`` is the table alias with a dot.
    """
    value = f"json_extract({alias}body, '$.{path}')"
    return f"rtrim({value}) COLLATE NOCASE" if kind == "string" else value


def is_table(entity: str) -> bool:
    """Return whether the entity type's records are stored rather than computed."""
    return entity not in _VIEWS


def create_statements() -> Iterator[str]:
    """Yield the statements that turn an empty file into a store."""
    yield _COMPANY
    yield _COUNTER
    yield "ANALYZE"  # creates sqlite_stat1, the planner's statistics
    for schema in schemas().values():
        if is_table(schema.name):
            yield (
                f'CREATE TABLE "{schema.name}" (company INTEGER NOT NULL, id INTEGER NOT NULL, '
                "body TEXT NOT NULL, PRIMARY KEY (company, id)) STRICT"
            )
            yield _statistics(schema.name, f"sqlite_autoindex_{schema.name}_1", "1000000 1000000 1")
    yield from _VIEWS.values()
    for name, path in sorted({(each.child.name, each.key) for each in relations().values()}):
        yield from _index_statements(name, path, "integer")
    yield f"PRAGMA application_id = {APPLICATION_ID}"
    yield f"PRAGMA user_version = {VERSION}"
    yield _RELOAD_STATISTICS


class Indexes:
    """Indexes of one store file, created when a query first uses a property of a large table."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: set[tuple[str, str]] = set()
        self.reload()

    def __len__(self) -> int:
        return len(self._known)

    def reload(self) -> None:
        """Reload the list of indexes."""
        rows = self._db.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
        self._known = {(table, name.removeprefix(f"{table}.")) for table, name in rows}

    def ensure(self, entity: str, path: str, kind: str) -> None:
        """Create an index on a property that a query filters or sorts by, if worthwhile."""
        if (entity, path) in self._known or not is_table(entity):
            return
        rows = self._db.execute(f'SELECT max(rowid) FROM "{entity}"').fetchone()[0] or 0  # noqa: S608 a known name
        if rows < _INDEXED_FROM or sum(table == entity for table, _ in self._known) >= _MAX_INDEXES:
            return
        try:
            for statement in (*_index_statements(entity, path, kind), _RELOAD_STATISTICS):
                self._db.execute(statement)
        except sqlite3.OperationalError:
            return  # another process is writing: this query runs without the index
        self._known.add((entity, path))


def _index_statements(entity: str, path: str, kind: str) -> Iterator[str]:
    name = f"{entity}.{path}"
    yield f'CREATE INDEX "{name}" ON "{entity}" (company, {column(path, kind)}, id)'
    yield _statistics(entity, name, "1000000 1000000 10 1")


def _statistics(entity: str, name: str, numbers: str) -> str:
    """Return the statement that sets planner statistics: one Company has all rows, each value few."""
    return f"INSERT INTO sqlite_stat1 VALUES ('{entity}', '{name}', '{numbers}')"  # noqa: S608 known names
