"""The small Company a new store starts with: the rows of ``seed.json``."""

from __future__ import annotations

import json
import secrets
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

from .body import Row
from .desk import Desk
from .shape import Shape, shapes
from .store import Company, Store
from .times import Now
from .write import blank, recognised

__all__ = ["open_store", "plant"]


def open_store(path: str | Path, company: str | None = None) -> Store:
    """The store in this file; a new one holds one seeded Company.

    Args:
        company: its name, if the store is new.

    Raises:
        StoreError: the file cannot be used.
    """
    store = Store(path)
    if store.fresh:
        plant(store, company)
    return store


def plant(store: Store, name: str | None = None) -> Company:
    """Write the seeded Company, with a secret of its own that stays with the store."""
    data = json.loads(resources.files(__package__).joinpath("seed.json").read_bytes(), parse_float=Decimal)
    company = Company(
        id=data["Company"]["Id"],
        name=name or data["Company"]["Name"],
        client_id="sandbox-client",
        client_secret=f"sandbox-{secrets.token_urlsafe(24)}",
    )
    with store.transaction():
        store.add_company(company)
        desk = Desk(store, company, Now(0))
        for entity, rows in data["Rows"].items():
            for members in rows:
                _place(desk, shapes()[entity], members)
    return company


def _place(desk: Desk, shape: Shape, members: dict[str, Any]) -> None:
    row: Row = blank(shape, recognised(shape, members)) | {"Id": members["Id"]}
    desk.place(shape, row)
    desk.store.raise_counter(shape.name, members["Id"])
