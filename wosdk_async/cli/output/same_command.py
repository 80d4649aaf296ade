"""What a job's command would do now, asked without a write."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from wosdk_async.cli.command_words import message_of
from wosdk_async.cli.output.plan_view import plan_text, refusal_text

if TYPE_CHECKING:
    from wosdk_async.jobs.overview import Overview

__all__ = ["same_command_would"]


async def same_command_would(seen: Overview) -> str:
    """Return what the command of the last run would do, given again.

    The file and the map are read as the command would read them.
    """
    if seen.running is not None:
        return "refused while another process works on the job"
    from wosdk_async.errors import WosdkError

    try:
        would = await asyncio.to_thread(_decided, seen)
    except WosdkError as error:
        return f"refused: {message_of(error)}"
    if seen.audit_left:
        found = "is due" if seen.audit_found is None else f"found {seen.audit_found}"
        would += f"; the keys of all rows to look up: the audit {found}"
    return would


def _decided(seen: Overview) -> str:
    from pathlib import Path

    from wosdk_async.cli.job_context import source_of
    from wosdk_async.cli.kept_commands import import_parameters
    from wosdk_async.jobs import ImportMap, ImportOptions
    from wosdk_async.jobs.ledger.decision import Plan
    from wosdk_async.jobs.ledger.facts import preview_of
    from wosdk_async.jobs.operation_names import operation_named
    from wosdk_async.jobs.request import ImportRequest

    known = import_parameters(seen.given.options)
    if not known:
        return "run the program again that began the job"
    import_map = ImportMap.load(Path(known["map_file"]), operation=seen.plan.operation)
    options = ImportOptions(folder=seen.folder, resume=True, marker=known.get("marker"))
    request = ImportRequest(source=source_of(seen.given, seen.folder), import_map=import_map, options=options)
    with contextlib.closing(request.read()) as rows, preview_of(request, rows, seen.plan.company) as preview:
        decision = preview.decision
        if isinstance(decision, Plan):
            return plan_text(decision, operation_named(seen.plan.operation).label)
        return f"refused: {refusal_text(decision)}"
