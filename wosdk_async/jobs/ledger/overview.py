"""Job overview: state, counts and remaining work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.journal import AuditResult, JobPlan, JobRun, Journal, State
from wosdk_async.jobs.journal.entries import as_last_given, had_workers
from wosdk_async.jobs.journal.lock import holder_of, is_held
from wosdk_async.jobs.journal.worker_tables import AuditState
from wosdk_async.jobs.ledger.undone import UndoState, undo_state
from wosdk_async.jobs.mapping.record_operations import operation_named
from wosdk_async.text.remedies import Remedy, Words

COUNTED: dict[str, State] = {
    "done": State.DONE,
    "found": State.FOUND,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
    "sending": State.SENDING,
    "not_started": State.PLANNED,
}
"""Name of each count, and the row state that it counts."""

UNDER_WAY = "in flight when the run ended"
"""Label of SENDING rows in a job that is not running."""


def why_no_audit(plan: JobPlan) -> str | None:
    """Return why a job cannot be audited; None if it can."""
    if operation_named(plan.operation).label != "created":
        return f"{plan.operation!r} creates no records to count"
    return None if plan.marker is not None else "without a marker, the records cannot be found"


async def audit_state_of(journal: Journal) -> AuditState:
    """Return a job's audit state."""
    if not journal.plan.rows:
        return "none"
    # A run with workers may have no grants, because this process sends the first row itself to verify the
    # marker, and the file may have only one row.
    if not had_workers(await journal.runs()) and not (await journal.grant_totals()).leases:
        return "none"
    if why_no_audit(journal.plan) is not None:
        return "impossible"
    result = await journal.audit()
    if result is None:
        return "due"
    return "clean" if result.clean else "not clean"


@attrs.frozen(kw_only=True)
class Overview:
    """A job's state, which can be read even while another process is working on the job."""

    folder: Path
    plan: JobPlan
    counts: Mapping[State, int]
    undone: UndoState | None
    """Progress of the undo; None without an undo."""
    running: str | None
    """The running process; None if the job is not running."""
    given: JobPlan
    """The plan with the last run's options, which a resumed job uses."""
    begun: bool = True
    """Whether a run has added a file's rows to the ledger, and so may have sent some."""
    audit: AuditState = "none"
    audit_found: AuditResult | None = None
    gone: Mapping[State, int] = attrs.field(factory=dict)
    """Rows of the ledger missing from the last file, by state."""
    gone_undone: int = 0
    """Undone rows missing from the last file."""
    unsent_elsewhere: tuple[int, int] = (0, 0)
    """Two counts of unsent rows missing from the last file.

    If the last file is a rejects file, the first counts rows of its original file. The second counts rows
    found only in earlier files.
    """

    @property
    def state(self) -> str:
        """The state shown by ``wosdk jobs list``."""
        if self.running is not None:
            return "running"
        if self.left or self.audit_left or not (self.begun or self.plan.rows):
            return "unfinished" if self.begun else "not begun"
        return "finished" if self.undone is None else self.undone.name

    @property
    def audit_left(self) -> bool:
        """Whether running the import again would audit all rows."""
        return self.audit in ("due", "not clean") and self.undone is None

    @property
    def left(self) -> int:
        """Number of rows to send or settle, including unsent rows in the original file of the rejects.

        Without a marker, rows in doubt cannot be settled.
        """
        to_settle = (State.SENDING, State.IN_DOUBT) if self.plan.marker else (State.SENDING,)
        return (
            self.counts[State.PLANNED]
            + self.unsent_elsewhere[0]
            + sum(counts.get(state, 0) for counts in (self.counts, self.gone) for state in to_settle)
        )

    def figures(self) -> dict[str, int]:
        """Return the counts by the names in :data:`COUNTED`."""
        return _named(self.counts)

    def as_dict(self) -> dict[str, Any]:
        """Return the overview as plain data."""
        return {
            "state": self.state,
            "rows": self.plan.rows,
            **self.figures(),
            "undone": self.undone.done if self.undone is not None else 0,
            "undo": str(self.undone) if self.undone is not None else None,
            "operation": self.plan.operation,
            "company": self.plan.company,
            "begun": self.plan.created_at,
            "folder": str(self.folder),
            "gone": sum(self.gone.values()),
            "gone_states": {name: count for name, count in _named(self.gone).items() if count},
            "gone_undone": self.gone_undone,
            "unsent": dict(zip(("original", "earlier"), self.unsent_elsewhere, strict=True)),
            "sheet": self.plan.sheet,
        }


def _named(counts: Mapping[State, int]) -> dict[str, int]:
    return {name: counts.get(state, 0) for name, state in COUNTED.items()}


async def overview(journal: Journal) -> Overview:
    """Return a job's overview."""
    runs, undone = await journal.runs(), await undo_state(journal)
    return Overview(
        folder=journal.folder,
        plan=journal.plan,
        counts=journal.counts(),
        gone=journal.counts(gone=True),
        gone_undone=undone.gone_done if undone is not None else 0,
        unsent_elsewhere=await journal.unsent_elsewhere(),
        undone=undone,
        audit=await audit_state_of(journal),
        audit_found=await journal.audit(),
        running=_running(journal),
        given=as_last_given(journal.plan, runs),
        begun=bool(runs and (journal.plan.rows or runs[-1].exit_status is not None)),
    )


def unsent_warnings(unsent: tuple[int, int], plan: JobPlan, folder: Path, words: Words) -> list[str]:
    """Return warnings about unsent rows missing from the last file; see ``Overview.unsent_elsewhere``."""
    original, earlier = unsent
    warnings = []
    if original:
        text = f"unsent rows in the file that the rejects came from: {original}"
        warnings.append(f"{text}; to send them, import that file again")
    if earlier:
        text = f"unsent rows of earlier files that are not in the last file: {earlier}"
        remedies = (Remedy.THAT_FOLDER, *([] if plan.key else [Remedy.NEW_ROWS]))
        remedy = "; ".join(words(each, {"folder": str(folder)}) for each in remedies)
        warnings.append(
            f"{text}; unless you have corrected or sent them since, import their file and {remedy}"
        )
    return warnings


def end_details(error: WosdkError) -> dict[str, Any]:
    """Return an error's kind, remedies and facts for the run details."""
    facts = {
        name: fact
        for name, fact in error.facts.items()
        if isinstance(fact, str | int) and not hasattr(WosdkError, name)
    }
    return {"kind": error.kind, "remedies": [each.name for each in error.remedies], "facts": facts}


def stop_of(run: JobRun) -> RunStoppedError | None:
    """Return the reason, such as a signal, why a run stopped early; None if it did not stop early."""
    stopped = failure_of(run, "stopped")
    signal = {130: "Ctrl-C", 143: "SIGTERM"}.get(run.exit_status or 0)
    if stopped is not None and signal:
        stopped.args = (f"{stopped.message} ({signal})",)
    return stopped


def failure_of(run: JobRun, name: Literal["stopped", "error"] = "error") -> RunStoppedError | None:
    """Restore, from the run details, the error that ended the run; None if there was none."""
    text, kept = run.details.get(name), run.details.get(f"{name}_details")
    if not text:
        return None
    if not isinstance(kept, Mapping):
        return RunStoppedError(str(text))
    remedies = tuple(Remedy[each] for each in kept.get("remedies", ()) if each in Remedy.__members__)
    return RunStoppedError(str(text), kind=kept.get("kind"), remedies=remedies, **kept.get("facts", {}))


def _running(journal: Journal) -> str | None:
    if journal.is_writable:
        return None
    return (holder_of(journal.folder) or "another process") if is_held(journal.folder) else None
