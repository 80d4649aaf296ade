"""Request and response bodies.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model.base import Record
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import EntityType
    from wosdk_async.model.values import EntitySpecifier


@define(kw_only=True, eq=False, repr=False)
class ActionResponse(Record):
    """The service's ``ActionResponse``.

    Response to create, update and delete.
    """

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    entity_specifier: EntitySpecifier | None = field(
        default=None, metadata=wire("EntitySpecifier", "object", "EntitySpecifier")
    )
    """``EntitySpecifier`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class BatchChangeRequestItem(Record):
    """The service's ``BatchChangeRequestItem``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    properties: list[str] | None = field(default=None, metadata=wire("Properties", "string", many=True))
    """``Properties`` on the wire. In the 2023 OpenAPI description only."""
    entity: Any = field(default=None, metadata=wire("Entity", "object"))
    """``Entity`` on the wire. In the 2023 OpenAPI description only."""
    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """``EntityType`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class BatchCmdRequestItem(Record):
    """The service's ``BatchCmdRequestItem``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    command: Any = field(default=None, metadata=wire("Command", "object"))
    """``Command`` on the wire. In the 2023 OpenAPI description only."""
    command_name: str | None = field(default=None, metadata=wire("CommandName", "string"))
    """``CommandName`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class BatchEntityRequestItem(Record):
    """The service's ``BatchEntityRequestItem``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """``EntityType`` on the wire. In the 2023 OpenAPI description only."""
    id: Any = field(default=None, metadata=wire("ID", "object"))
    """``ID`` on the wire. In the 2023 OpenAPI description only."""
    properties: list[str] | None = field(default=None, metadata=wire("Properties", "string", many=True))
    """``Properties`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class BatchEntityResponseItem(Record):
    """The service's ``BatchEntityResponseItem``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    data: Any = field(default=None, metadata=wire("Data", "object"))
    """``Data`` on the wire. In the 2023 OpenAPI description only."""
    entity_type: EntityType | None = field(default=None, metadata=wire("EntityType", "enum", "EntityType"))
    """``EntityType`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class ChangeRequest(Record):
    """The service's ``ChangeRequest``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    properties: list[str] | None = field(default=None, metadata=wire("Properties", "string", many=True))
    """Properties to write. In the 2023 OpenAPI description only."""
    entity: Any = field(default=None, metadata=wire("Entity", "object"))
    """The entity. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class CmdRequest(Record):
    """The service's ``CmdRequest``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    command: Any = field(default=None, metadata=wire("Command", "object"))
    """``Command`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class CmdResponse(Record):
    """The service's ``CmdResponse``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    command_result: Any = field(default=None, metadata=wire("CommandResult", "object"))
    """``CommandResult`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class EntityResponse(Record):
    """The service's ``EntityResponse``.

    Envelope of a single retrieve per the OpenAPI description; the specification shows {Entities: [{Data}]}.
    """

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    data: Any = field(default=None, metadata=wire("Data", "object"))
    """``Data`` on the wire. In the 2023 OpenAPI description only, as an entity of the requested type."""


@define(kw_only=True, eq=False, repr=False)
class ErrorResponse(Record):
    """The service's ``ErrorResponse``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    error_message: str | None = field(default=None, metadata=wire("ErrorMessage", "string"))
    """Text of the error. In the 2023 OpenAPI description only."""
    error_code: str | None = field(default=None, metadata=wire("ErrorCode", "string"))
    """Error code; see the enum ErrorCode. In the 2023 OpenAPI description only."""
    time_stamp: datetime | None = field(default=None, metadata=wire("TimeStamp", "datetime-utc"))
    """``TimeStamp`` on the wire. UTC. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class QueryEntityResponse(Record):
    """The service's ``QueryEntityResponse``.

    Envelope of a query response; the specification shows the same shape for retrieve.
    """

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    entities: list[EntityResponse] | None = field(
        default=None, metadata=wire("Entities", "object", "EntityResponse", many=True)
    )
    """``Entities`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class QueryRequest(Record):
    """The service's ``QueryRequest``."""

    request_id: str | None = field(default=None, metadata=wire("RequestId", "string"))
    """``RequestId`` on the wire. In the 2023 OpenAPI description only."""
    query_expression: Any = field(default=None, metadata=wire("QueryExpression", "object"))
    """``QueryExpression`` on the wire. In the 2023 OpenAPI description only."""
