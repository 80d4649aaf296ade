"""A value typed on the command line, as the type that the catalogue says the property has."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.model.metadata import Wire

__all__ = ["typed"]


def typed(text: str, meta: Wire, where: str) -> Any:
    """``text`` as a value for the property that ``meta`` describes. Raises CliError with the remedy."""
    read = _READERS.get(meta["type"])
    return text if read is None else read(text, meta, where)


def _integer(text: str, _: Wire, where: str) -> int:
    if text.isascii() and text.removeprefix("-").isdigit():
        return int(text)
    raise CliError(f"{where} takes a whole number, not {text!r}")


def _number(text: str, _: Wire, where: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite() and text.isascii() and "_" not in text:
        return number
    raise CliError(f"{where} takes a number such as 12.50, not {text!r}")


def _boolean(text: str, _: Wire, where: str) -> bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    raise CliError(f"{where} takes true or false, not {text!r}")


def _enum(text: str, meta: Wire, where: str) -> str:
    from wosdk_async.cli.input.names import near
    from wosdk_async.model import registry

    names = [str(member) for member in registry.resolve(meta["of"])]
    if text in names:
        return text
    guess = near(text, names) or f"; wosdk describe {meta['of']} lists them."
    raise CliError(f"{where}: {meta['of']} has no value {text!r}{guess} --unchecked sends it as it is")


def _moment(text: str, where: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise CliError(f"{where} takes a time such as 2026-03-01T08:00, not {text!r}") from None


def _local(text: str, _: Wire, where: str) -> datetime:
    moment = _moment(text, where)
    if moment.tzinfo is not None:
        raise CliError(f"{where} is local time of the site; leave the zone of {text!r} out")
    return moment


def _utc(text: str, _: Wire, where: str) -> datetime:
    moment = _moment(text, where)
    if moment.tzinfo is None:
        raise CliError(f"{where} is UTC; add Z to {text!r}, or its offset such as +02:00")
    return moment


_READERS: dict[str, Callable[[str, Wire, str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "datetime-local": _local,
    "datetime-utc": _utc,
}
