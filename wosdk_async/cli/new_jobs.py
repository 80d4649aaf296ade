"""``wosdk import --again`` beside an unfinished job: easily taken for "go on", it would send rows twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.output.cells import counted
from wosdk_async.cli.output.job_view import figures_text
from wosdk_async.cli.runner import is_interactive

if TYPE_CHECKING:
    from wosdk_async.jobs.earlier_job import EarlierJob

__all__ = ["confirm_new_job", "why_no_new_job"]

_INSIST = "to begin anew all the same, add --abandon"


def why_no_new_job(unfinished: EarlierJob) -> str:
    """Return why ``--again`` is refused while the job of the same file is unfinished, and what to do."""
    return f"{_consequence(unfinished)}; {_go_on(unfinished)}; {_INSIST}"


def confirm_new_job(unfinished: EarlierJob, *, ask: bool) -> None:
    """Ask on a terminal whether a new job is meant. Raise CliError when it is not, or when nobody can say.

    Args:
        unfinished: the job that would be left as it is.
        ask: whether questions are asked at all.
    """
    if not ask or not is_interactive():
        raise CliError(why_no_new_job(unfinished))
    say(f"{_consequence(unfinished)}; {_go_on(unfinished)}")
    if not click.confirm("Leave that job as it is, and send all rows once more?", err=True):
        raise CliError("nothing was sent", Exit.SOME)


def _go_on(unfinished: EarlierJob) -> str:
    if unfinished.is_unchanged:
        return "to go on, give the command without --again"
    if unfinished.has_same_keys:
        return "to go on with the changed file, add --continue and no --again"
    return "to go on, put the file back as it was, and give the command without --again"


def _consequence(unfinished: EarlierJob) -> str:
    seen = unfinished.overview
    figures = figures_text(seen.as_dict())
    twice = "what that job has done would be done twice"
    if unfinished.has_same_keys:
        twice = "those that are there already fail, or are skipped with --if-exists skip"
    return (
        f"--again does not go on: the job in {seen.folder} is not finished ({figures}), and a new job "
        f"sends all {counted(seen.plan.rows, 'row')} once more: {twice}"
    )
