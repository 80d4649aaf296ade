"""The completion note of a work order (facts 5, WoCompleteCommand)."""

from __future__ import annotations

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.registry import Arguments
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.write import create

__all__ = ["completion_note"]


def completion_note(context: RequestContext, order: Record, arguments: Arguments) -> None:
    """Let the ``Comment`` be the note, as ``CompletionNoteOption`` says; Ignore is the default.

    The options mean what their names say (assumed): Replace overwrites, FillEmpty only fills in.
    """
    comment = arguments.get("Comment", "")
    option = arguments.get("CompletionNoteOption", "Ignore")
    if option == "Ignore" or not comment:
        return
    note = context.find("WoNote", order["CompletionNote"]["Id"]) if "CompletionNote" in order else None
    if note is None:
        body = {"Body": comment, "NoteTypeId": "Completion"}
        create(context, schemas()["WoNote"], body, {"WorkOrderId": order["Id"]})
    elif option == "Replace" or not note["Body"]:
        note["Body"] = comment
        context.replace(schemas()["WoNote"], note)
