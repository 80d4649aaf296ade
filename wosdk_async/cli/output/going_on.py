"""What an import says of the job that is there: that it goes on, or what can be done with a finished one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import counted
from wosdk_async.cli.output.job_view import brief_text, figures_text, overviews_of_rejects, shown_time

if TYPE_CHECKING:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.overview import Overview

__all__ = ["say_earlier"]


async def say_earlier(journal: Journal, label: str, retried: int = 0) -> None:
    """Say on stderr that an import goes on with a job, or that the job is finished and what can be done.

    Args:
        journal: the journal of the job.
        label: what a row is afterwards, such as ``created``.
        retried: how many rows that were refused are sent again.
    """
    from wosdk_async.jobs.job_places import jobs_within
    from wosdk_async.jobs.overview import overview

    seen = await overview(journal)
    figures, folder = seen.figures(), shlex.quote(str(seen.folder))
    done = f"{figures['done']} of {counted(seen.plan.rows, 'row')} {label}"
    others = figures_text(seen.as_dict() | {"done": 0})
    done += f", {others}" if others else ""
    if seen.undone is not None:
        say(f"the job in {seen.folder} was {seen.undone}; nothing is sent")
        say("to import the file again, as a new job: --again")
        return
    if seen.left or seen.audit_left or retried:
        more = f"; {counted(retried, 'row')} that failed: sent again" if retried else ""
        begun = shown_time(seen.plan.created_at)
        say(f"going on with the job in {seen.folder}, begun {begun}: {done}{more}")
        return
    say(f"the job in {seen.folder} is finished ({done}): nothing is sent")
    say("to import the file again, as a new job: --again")
    again = await overviews_of_rejects(seen.folder)
    for job in again:
        whose = "its rejects" if job.parent == seen.folder else f"the rejects of {job.parent}"
        say(f"{whose} were imported by the job in {job.folder}, {brief_text(job.as_dict())}")
    for job in (seen, *again):
        # What a job of its rejects created would be created twice.
        if job.figures()["failed"] and job.undone is None and not jobs_within(job.folder):
            _say_rejects(job, await _ways_to_retry(journal) if job is seen else [])
    if figures["in_doubt"]:
        say(f"to settle the rows of {folder}/in_doubt.csv: wosdk jobs settle {folder} --row N ...")
    say(f"to write the report again: wosdk jobs report {folder}")


async def _ways_to_retry(journal: Journal) -> list[str]:
    """Return the options that send the refused rows of a job again, and what each is for."""
    from wosdk_async.jobs.going_on import tells_rows_by_keys

    mended = "--continue after you mended the file"
    continued = [mended] if await tells_rows_by_keys(journal) else []
    return ["--retry refused after you mended the map", *continued]


def _say_rejects(job: Overview, ways: Sequence[str]) -> None:
    from wosdk_async.jobs.job_commands import rejects_command, rejects_of

    rejects = rejects_of(job.folder)
    command = rejects_command(job.given, rejects)
    mend = f"mend {shlex.quote(str(rejects))} and {f'give: {command}' if command else 'import it'}"
    say(f"to send the rows again that failed: {', or '.join([*ways, mend])}")
