"""``wosdk attach``: attach local files to a work order."""

from __future__ import annotations

from pathlib import Path

import click

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.input.records import RecordTexts, by_option
from wosdk_async.cli.options import change_options
from wosdk_async.cli.order_changes import OrderPlan, change_of, id_or_name, read_orders
from wosdk_async.cli.record_changes import ChangeResult, ChangeSession
from wosdk_async.cli.texts import counted
from wosdk_async.model import DocumentType, WorkOrder
from wosdk_async.resources.files import media_type, stored_type

_MAX_SIZE = 20 * 1024 * 1024  # bytes
_AT_ONCE = 2  # concurrent uploads; few, because each keeps its whole file in memory


@click.command("attach", no_args_is_help=True)
@click.argument("order", metavar="ORDER")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False, readable=True),
    metavar="FILE...",
)
@click.option("--title", metavar="TEXT", help="Title (default: the file name).")
@click.option("--type", "type_name", metavar="NAME|ID", help="Document type; not for images and PDFs.")
@by_option
@click.pass_context
@change_options
def attach_command(
    ctx: click.Context,
    order: str,
    files: tuple[Path, ...],
    title: str | None,
    type_name: str | None,
    by: str | None,
    **options: bool,
) -> None:
    """Attach files to a work order, up to 20 MB each.

    The file suffix determines the type of images and PDFs; for other files, use --type (default: PDF).

    ORDER is a number such as RSC000005, or an id. Use id:2903 or number:2903 for ambiguous digits.

    \b
      wosdk attach RSC000005 before.jpg after.jpg
      wosdk attach RSC000005 permit.pdf --title 'Permit until May'
    """
    if title is not None and len(files) > 1:
        raise click.UsageError("--title applies to one file; attach one file at a time")
    for file in files:
        if not file.is_file():
            raise CliError(f"{file} is not a regular file")
        if (size := file.stat().st_size) > _MAX_SIZE:
            raise CliError(
                f"{file} is {size:,} bytes, over the limit of {_MAX_SIZE:,}; attach a smaller file"
            )
    named = RecordTexts.read(WorkOrder, [order], by)
    with ChangeSession.open(ctx, **options) as session:
        company = session.runner.company
        type_id = None if type_name is None else id_or_name(type_name)
        if isinstance(type_id, str):
            type_id = session.runner.run(company.resolve(DocumentType, display_as=type_id)).id
        ((id, record),) = session.runner.run(read_orders(company, named)).items()
        changes = [change_of(_plan(file, title, type_id), id, record) for file in files]
        for change, file in zip(changes, files, strict=True):
            shown_size = counted(file.stat().st_size, "byte")
            change.shown = (f"{change.label}  {file.name}  {shown_size}  {_type_shown(file, type_name)}",)
            change.facts["file"] = file.name
        label = changes[0].label
        session.carry_out(f"attach to {label}", f"Attach to {label}?", changes, at_once=_AT_ONCE)


def _type_shown(file: Path, chosen: str | None) -> str:
    media = media_type(file.name)
    if (stored := stored_type(media)) is not None:
        name = stored.get("display_as", "PDF")
        return f"{name}, from the file suffix; --type is ignored" if chosen else name
    return f"type {chosen}" if chosen else f"PDF (fallback for {media}); --type selects another type"


def _plan(file: Path, title: str | None, type_id: int | None) -> OrderPlan:
    return OrderPlan(
        what="attach",
        act=lambda acme, order: acme.documents.attach(order, file, title=title, doc_type=type_id),
        result_of=lambda _, document: ChangeResult(
            f"{file.name} attached, document {document.id or '?'}", {"document": document.id}
        ),
        shows="Documents.*",
    )
