"""Commands and their results: documents.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.values import GetDocDownloadUrl, ProcedureStepDocument


@define(kw_only=True, eq=False, repr=False)
class CreateWoPrintoutResponse(CommandResult):
    """Result of CreateWoPrintoutCommand."""

    printout_body: str | None = field(default=None, metadata=wire("PrintoutBody", "string"))
    """``PrintoutBody`` on the wire."""
    filename: str | None = field(default=None, metadata=wire("Filename", "string"))
    """``Filename`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GetDocDownloadUrlTypeResponse(CommandResult):
    """Result of GetDocDownloadUrlCommand."""

    results: list[GetDocDownloadUrl] | None = field(
        default=None, metadata=wire("Results", "object", "GetDocDownloadUrl", many=True)
    )
    """``Results`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class GetProcedureStepsDocumentsResponse(CommandResult):
    """Result of GetProcedureStepsDocumentsRoutine."""

    documents: list[ProcedureStepDocument] | None = field(
        default=None, metadata=wire("Documents", "object", "ProcedureStepDocument", many=True)
    )
    """Attached documents."""


@define(kw_only=True, eq=False, repr=False)
class CreateWoPrintoutCommand(Command[CreateWoPrintoutResponse]):
    """Creates a printable file of a work order.

    Not safe to repeat.
    """

    path = "CreateWoPrintoutCommand"
    repeat = "unsafe"
    result_name = "CreateWoPrintoutResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order acted on."""
    printout_template_id: int | None = field(default=None, metadata=wire("PrintoutTemplateId", "integer"))
    """``PrintoutTemplateId`` on the wire."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id."""


@define(kw_only=True, eq=False, repr=False)
class GetDocDownloadUrlCommand(Command[GetDocDownloadUrlTypeResponse]):
    """Returns download addresses of documents.

    Safe to repeat.
    """

    path = "GetDocDownloadUrlCommand"
    repeat = "safe"
    result_name = "GetDocDownloadUrlTypeResponse"

    document_ids: list[int] | None = field(default=None, metadata=wire("DocumentIds", "integer", many=True))
    """``DocumentIds`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class GetProcedureStepsDocumentsRoutine(Command[GetProcedureStepsDocumentsResponse]):
    """Lists documents of procedure steps.

    Safe to repeat.
    """

    path = "GetProcedureStepsDocumentsRoutine"
    repeat = "safe"
    result_name = "GetProcedureStepsDocumentsResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order acted on."""
