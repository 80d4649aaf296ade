"""Values that are part of other objects.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Record
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.assets import AssetInfo
    from wosdk_async.model.contact_details import Address2
    from wosdk_async.model.enums import CurrencyType, EntityType, JurisdictionType


@define(kw_only=True, eq=False, repr=False)
class Money(Record):
    """Amount with its currency."""

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code."""
    value: Decimal | None = field(default=None, metadata=wire("Value", "number"))
    """Decimal amount. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class EntitySpecifier(Record):
    """The service's ``EntitySpecifier``."""

    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """Entity type."""
    id: int | None = field(default=None, metadata=wire("Id", "integer"))
    """Record identifier. Responses for records with optimistic locking may add ConcurrencyId."""
    concurrency_id: int | None = field(default=None, metadata=wire("ConcurrencyId", "integer"))
    """Version counter used for optimistic locking. Only in the subclass EntityWithOptimisticLockSpecifier."""


@define(kw_only=True, eq=False, repr=False)
class ErrorInfo(Record):
    """The service's ``ErrorInfo``."""

    number: int | None = field(default=None, metadata=wire("Number", "integer"))
    """Error number."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Text of the error."""
    type: str | None = field(default=None, metadata=wire("Type", "string"))
    """``Type`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GetDocDownloadUrl(Record):
    """The service's ``GetDocDownloadUrl``."""

    document_id: int | None = field(default=None, metadata=wire("DocumentId", "integer"))
    """``DocumentId`` on the wire. In the 2023 OpenAPI description only."""
    url: str | None = field(default=None, metadata=wire("Url", "string"))
    """``Url`` on the wire. In the 2023 OpenAPI description only."""
    file_name: str | None = field(default=None, metadata=wire("FileName", "string"))
    """File name. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class LicensedProvider(Record):
    """The service's ``LicensedProvider``."""

    order_idx: int | None = field(default=None, metadata=wire("OrderIdx", "integer"))
    """``OrderIdx`` on the wire."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    employee_name: str | None = field(default=None, metadata=wire("EmployeeName", "string"))
    """``EmployeeName`` on the wire."""
    coverage_type_name: str | None = field(default=None, metadata=wire("CoverageTypeName", "string"))
    """``CoverageTypeName`` on the wire."""
    coverage_type_id: int | None = field(default=None, metadata=wire("CoverageTypeId", "integer"))
    """``CoverageTypeId`` on the wire."""
    license_type_id: int | None = field(default=None, metadata=wire("LicenseTypeId", "integer"))
    """``LicenseTypeId`` on the wire."""
    license_type_name: str | None = field(default=None, metadata=wire("LicenseTypeName", "string"))
    """``LicenseTypeName`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class NestedEntityOperationResult(Record):
    """The service's ``NestedEntityOperationResult``."""

    entity_path: str | None = field(default=None, metadata=wire("EntityPath", "string"))
    """``EntityPath`` on the wire."""
    entity_specifier: EntitySpecifier | None = field(
        default=None, metadata=wire("EntitySpecifier", "object", "EntitySpecifier")
    )
    """``EntitySpecifier`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class NewUnitSpecifier(Record):
    """The service's ``NewUnitSpecifier``."""

    building_name: str | None = field(default=None, metadata=wire("BuildingName", "string"))
    """Name of the building."""
    building_floor_plan: str | None = field(default=None, metadata=wire("BuildingFloorPlan", "string"))
    """Building-level asset template name."""
    floor_name: str | None = field(default=None, metadata=wire("FloorName", "string"))
    """Name of the floor."""
    floor_floor_plan: str | None = field(default=None, metadata=wire("FloorFloorPlan", "string"))
    """Floor-level asset template name."""
    unit_name: str | None = field(
        default=None, metadata=wire("UnitName", "string", max_length=64, max_length_source="doc")
    )
    """Name of the unit. At most 64 characters. Length limit from a vendor sample."""
    unit_floor_plan: str | None = field(default=None, metadata=wire("UnitFloorPlan", "string"))
    """Unit-level asset template name."""
    street_address: Address2 | None = field(default=None, metadata=wire("StreetAddress", "ref", "Address2"))
    """Address of the unit."""
    unit_info: AssetInfo | None = field(default=None, metadata=wire("UnitInfo", "ref", "AssetInfo"))
    """Extra details of the unit asset."""
    space_name: str | None = field(default=None, metadata=wire("SpaceName", "string"))
    """``SpaceName`` on the wire. In the 2023 OpenAPI description only."""
    space_floor_plan: str | None = field(default=None, metadata=wire("SpaceFloorPlan", "string"))
    """``SpaceFloorPlan`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureStepDocument(Record):
    """The service's ``ProcedureStepDocument``."""

    document_id: int | None = field(default=None, metadata=wire("DocumentId", "integer"))
    """``DocumentId`` on the wire."""
    url: str | None = field(default=None, metadata=wire("Url", "string"))
    """``Url`` on the wire."""
    procedure_step_id: int | None = field(default=None, metadata=wire("ProcedureStepId", "integer"))
    """``ProcedureStepId`` on the wire."""
    document_created_utc: datetime | None = field(
        default=None, metadata=wire("DocumentCreatedUtc", "datetime-utc")
    )
    """``DocumentCreatedUtc`` on the wire. UTC."""


@define(kw_only=True, eq=False, repr=False)
class PropertySet(Record):
    """The service's ``PropertySet``."""

    properties: list[str] | None = field(default=None, metadata=wire("Properties", "string", many=True))
    """Property names or paths; * for all scalar properties."""


@define(kw_only=True, eq=False, repr=False)
class TaxDetail(Record):
    """The service's ``TaxDetail``."""

    juris_type: JurisdictionType | None = field(
        default=None, metadata=wire("JurisType", "enum", "JurisdictionType")
    )
    """Kind of jurisdiction."""
    juris_name: str | None = field(default=None, metadata=wire("JurisName", "string"))
    """Name of the jurisdiction."""
    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Tax rate. Exact decimal."""
    tax_calculated: Decimal | None = field(default=None, metadata=wire("TaxCalculated", "number"))
    """Tax amount. Exact decimal."""
    money_id: int | None = field(default=None, metadata=wire("MoneyId", "integer"))
    """Currency code of the money values."""
    tax_date: datetime | None = field(default=None, metadata=wire("TaxDate", "datetime-local"))
    """``TaxDate`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class UserSignInInfo(Record):
    """The service's ``UserSignInInfo``."""

    id: int | None = field(default=None, metadata=wire("ID", "integer"))
    """``ID`` on the wire. In the 2023 OpenAPI description only."""
    created_date: datetime | None = field(default=None, metadata=wire("CreatedDate", "datetime-local"))
    """``CreatedDate`` on the wire. Local time without a zone. In the 2023 OpenAPI description only."""
    last_sign_in_date: datetime | None = field(
        default=None, metadata=wire("LastSignInDate", "datetime-local")
    )
    """``LastSignInDate`` on the wire. Local time without a zone. In the 2023 OpenAPI description only."""
    sign_in_count: int | None = field(default=None, metadata=wire("SignInCount", "integer"))
    """``SignInCount`` on the wire. In the 2023 OpenAPI description only."""
