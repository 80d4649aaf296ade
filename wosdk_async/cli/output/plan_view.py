"""What an import does with its rows, in one line, and why it does nothing, with the options that help."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wosdk_async.cli.output.cells import counted

if TYPE_CHECKING:
    from wosdk_async.jobs.ledger.decision import Plan, Refusal, Remedy

__all__ = ["plan_text", "refusal_text"]


def plan_text(plan: Plan, label: str) -> str:
    """Return what an import does with the rows of its file.

    Args:
        plan: what is decided.
        label: what a row is afterwards, such as ``created``.
    """
    from wosdk_async.jobs.ledger.decision import Action, Standing

    counts = {each: plan.counts.get(each, 0) for each in Standing}
    send = plan.rows(Action.SEND)
    texts = [f"{counted(send, 'row')} to send" if send else "nothing to send"]
    if plan.doubts:
        texts.append(f"{plan.doubts} in doubt to look up first")
    if left := plan.rows(Action.LEAVE):
        texts.append(f"{left} in doubt, which cannot be looked up")
    if done := counts[Standing.DONE] + (counts[Standing.DONE_CHANGED] if plan.skips_changed else 0):
        changed = counts[Standing.DONE_CHANGED] if plan.skips_changed else 0
        note = f", {changed} of them changed after being sent" if changed else ""
        texts.append(f"{done} {label} before{note}")
    if kept := plan.rows(Action.KEEP):
        texts.append(f"{kept} refused before and unchanged (--retry-refused sends them)")
    if counts[Standing.UNDONE] and plan.actions[Standing.UNDONE] is Action.SKIP:
        texts.append(f"{counts[Standing.UNDONE]} undone (--retry-undone sends them)")
    if counts[Standing.REPEATED]:
        texts.append(f"{counts[Standing.REPEATED]} with the key of an earlier row")
    if not plan.rejects and (gone := sum(plan.gone.values())):
        texts.append(f"{counted(gone, 'earlier row')} not in the file")
    return "; ".join(texts)


def refusal_text(refusal: Refusal) -> str:
    """Return why an import does nothing, and what can be done."""
    from wosdk_async.jobs.ledger.refusals import remedies_in, what_is_wrong

    return f"{what_is_wrong(refusal)}. {remedies_in(_words(refusal), refusal)}"


def _words(refusal: Refusal) -> Mapping[Remedy, str]:
    from wosdk_async.jobs.ledger.decision import Remedy
    from wosdk_async.jobs.ledger.refusals import GIVE_A_KEY

    folder = shlex.quote(str(refusal.folder))
    return {
        Remedy.NEW_ROWS: "if the unknown rows are new, add --new-rows",
        Remedy.AGAIN: "to send all rows once more, add --again",
        Remedy.SAME_COMMAND: "give the command without --again: it sends the remaining rows",
        Remedy.SETTLE: f"decide the rows in doubt with wosdk jobs settle {folder}",
        Remedy.KEY: GIVE_A_KEY,
        Remedy.SAME_MAP: "use the map and the marker as they were",
        Remedy.OTHER_FOLDER: "name another folder with --job DIR",
        Remedy.THAT_FOLDER: f"add --job {folder}"
        if refusal.folder is not None
        else "add --job with its folder",
        Remedy.EXPORT_REJECTS: "take the rows from rejects.csv of their job, and leave the columns _job and "
        "_row as they are; wosdk jobs rejects writes that file again",
    }
