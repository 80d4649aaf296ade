"""Commands and their results: company.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.enums import ApiTypes, Protocols


@define(kw_only=True, eq=False, repr=False)
class GetCompanyWsdkUrlResult(CommandResult):
    """Result of GetCompanyWsdkUrlCommand."""

    url: str | None = field(default=None, metadata=wire("Url", "string"))
    """Company host to use as base address. Existing clients append api/v1/... directly to this address, so it
    ends with a slash; without ApiType REST, the locator returns a SOAP address.
    """
    company_name: str | None = field(default=None, metadata=wire("CompanyName", "string"))
    """``CompanyName`` on the wire."""
    protocol: Protocols | None = field(default=None, metadata=wire("Protocol", "enum", "Protocols"))
    """``Protocol`` on the wire."""
    company_version: str | None = field(default=None, metadata=wire("CompanyVersion", "string"))
    """``CompanyVersion`` on the wire."""
    company_id: int | None = field(default=None, metadata=wire("CompanyId", "integer"))
    """``CompanyId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GetCompanyWsdkUrlCommand(Command[GetCompanyWsdkUrlResult]):
    """Finds the Company host.

    Safe to repeat. Sent to the regional locator host. The OpenAPI description also has GET
    v1/CorrigoService/GetCompanyWsdkUrl/{company}.
    """

    path = "GetCompanyWsdkUrlCommand"
    host = "locator"
    repeat = "safe"
    result_name = "GetCompanyWsdkUrlResult"

    company_name: str | None = field(default=None, metadata=wire("CompanyName", "string", required=True))
    """``CompanyName`` on the wire. Required."""
    protocol: Protocols | None = field(
        default=None, metadata=wire("Protocol", "enum", "Protocols", required=True)
    )
    """``Protocol`` on the wire. Required."""
    api_type: ApiTypes | None = field(
        default=None, metadata=wire("ApiType", "enum", "ApiTypes", required=True)
    )
    """``ApiType`` on the wire. Required. In the 2023 OpenAPI description only."""
