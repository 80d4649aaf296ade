"""Initial rows of new Companies, from ``seed.json``."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.sandbox.errors import SettingError
from wosdk_async.sandbox.schema.bodies import dump
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.service.write import blank_record, known_members
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

_FIRST_ID = 46  # id of a store's first Company, as in seed.json


def open_store(path: str | Path, *companies: str, empty: bool = False) -> Store:
    """Open a store file, and create missing Companies. Without names, a new store gets a default Company.

    Args:
        path: SQLite file, or ``:memory:``.
        companies: Company names.
        empty: whether to create Companies without initial records.

    Raises:
        StoreError: the file is unusable.
        ValueError: a name is invalid.
    """
    store = Store(path)
    if not companies and not store.companies():  # a process killed during its first start leaves none
        companies = (_data()["Company"]["Name"],)
    try:
        for name in companies:
            create_company(store, name, seeded=not empty, exists_ok=True)
    except BaseException:
        store.close()
        raise
    return store


def create_company(
    store: Store,
    name: str,
    *,
    host: str = "",
    live: bool = False,
    seeded: bool = True,
    verification: bool = True,
    exists_ok: bool = False,
) -> StoredCompany:
    """Add a Company with new credentials to a store. With ``exists_ok``, an existing Company is returned.

    Raises ValueError for an invalid name or host, or a name already in use.
    """
    name = name.strip()
    if not name or not name.isascii() or not name.isprintable():  # the name is sent in a header
        text = f"{name!r} is not a valid Company name: use printable ASCII characters."
        raise SettingError(text, "company")
    if not re.fullmatch(r"[A-Za-z0-9.-]{0,253}", host, re.ASCII):
        raise ValueError(f"{host!r} is not a host name. Use a name such as acme.localhost, without a port.")
    with store.transaction():
        existing = store.companies()
        same = next((company for company in existing if company.name.lower() == name.lower()), None)
        if same is not None and exists_ok:
            return same
        if same is not None:
            raise ValueError(f"Company '{name}' already exists. Choose another name.")
        key = max((company.id for company in existing), default=_FIRST_ID - 1) + 1
        company = StoredCompany(
            id=key,
            name=name,
            client_id=f"sandbox-client-{key}" if existing else "sandbox-client",
            client_secret=f"sandbox-{secrets.token_urlsafe(24)}",
            host=host.lower(),
            live=live,
            seeded=seeded,
            verification=verification,
        )
        store.add_company(company)
        _insert_seed(store, company)
    return company


def set_verification(store: Store, companies: Iterable[StoredCompany], verification: bool) -> None:
    """Turn the verification step on or off for Companies; existing verifications stay."""
    with store.transaction():
        for company in companies:
            store.add_company(attrs.evolve(company, verification=verification))


def _insert_seed(store: Store, company: StoredCompany) -> None:
    for entity, rows in _rows().items() if company.seeded else ():
        store.insert_texts(company.id, entity, rows)
        store.counters.raise_to(company.id, entity, max(key for key, _ in rows))


def is_initial(company: StoredCompany, entity: str, key: int) -> bool:
    """Return whether an id belongs to an initial record, which a reset restores."""
    return company.seeded and any(key == known for known, _ in _rows().get(entity, ()))


def reset(store: Store, to: str | Path | None = None) -> None:
    """Restore a snapshot. Without one, give each Company its initial records again; credentials stay."""
    if to is not None:
        store.restore_snapshot(to)
        return
    with store.transaction():
        store.begin_generation()
        for company in store.companies():
            store.clear(company.id)
            _insert_seed(store, company)


@cache
def _data() -> Mapping[str, Any]:
    raw = resources.files(__package__).joinpath("seed.json").read_bytes()
    found: Mapping[str, Any] = json.loads(raw, parse_float=Decimal)
    return found


@cache
def _rows() -> dict[str, list[tuple[int, str]]]:
    """Return the initial rows of every Company by entity type, each as (id, JSON)."""
    return {
        entity: [(members["Id"], _text(entity, members)) for members in rows]
        for entity, rows in _data()["Rows"].items()
    }


def _text(entity: str, members: dict[str, Any]) -> str:
    schema = schemas()[entity]
    lock = {"ConcurrencyId": 1} if schema.versioned else {}
    known = known_members(schema, members)
    owned = {field.name: value for field, value in known if field.of in OWNED_OBJECTS}
    row = blank_record(schema, known) | owned | lock | {"Id": members["Id"]}
    return dump(row).decode()
