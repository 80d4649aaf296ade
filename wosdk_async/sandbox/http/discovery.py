"""Where a Company is served (spec 4.1, facts 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wosdk_async.sandbox.errors import Refusal, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import enumeration
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["asks_where", "found_at"]

_VERSION = "9.21.4.118"  # a dotted version (spec 4.1); the value is the sample's
_SOAP = "wsdk/CorrigoService.asmx"  # facts 2: below /wsdk/; the name is assumed


def asks_where(segments: Sequence[str]) -> bool:
    """Whether a path is discovery's: it is answered at every host, for it tells the right one (facts 2)."""
    name = segments[-1] if segments[2].lower() == "cmd" else segments[2]
    return name.lower() in ("getcompanywsdkurlcommand", "corrigoservice")


def found_at(context: RequestContext, name: object, sent: Mapping[str, Any]) -> Record:
    """The answer about the Company of this name. Its Protocol is the one asked for.

    Args:
        sent: the members of the command.

    Raises:
        Refusal: no name, or that of no Company here.
    """
    if not isinstance(name, str):
        raise required("CompanyName")
    if name.strip().lower() != context.company.name.lower():
        raise Refusal(400, "DATABASE_VERSION_MISMATCH", f"There is no Company '{name}' here.")
    kind = enumeration("ApiTypes").name_of(get_ignore_case(sent, "ApiType"))
    soap = kind == "SOAP" or (kind is None and context.dialect.soap_url)
    return {
        "Url": context.company.address(context.root) + (_SOAP if soap else ""),
        "CompanyName": context.company.name,
        "Protocol": enumeration("Protocols").name_of(get_ignore_case(sent, "Protocol")) or "HTTPS",
        "CompanyVersion": _VERSION,
        "CompanyId": context.company.id,
    }
