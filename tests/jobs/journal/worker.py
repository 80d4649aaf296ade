"""A process that works on a journal and says on stdout what it knows to be on the disk, until it is killed.

``python -m tests.jobs.journal.worker FOLDER``: each line is ``begun ROW``, ``done ROW`` or ``made``.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.jobs.journal.plans import a_journal
from wosdk_async.jobs.journal import Journal, RowRecord, State

ROWS = 3000
GROUP = 8


def say(*words: object) -> None:
    sys.stdout.write(f"{' '.join(map(str, words))}\n")
    sys.stdout.flush()


async def work(folder: Path) -> None:
    new = not (folder / "journal.db").exists()
    journal = a_journal(folder, ROWS) if new else Journal.open(folder)
    say("made")
    planned = await journal.rows_in(State.PLANNED, limit=ROWS)

    async def one_of_several(first: int) -> None:
        """Send every fourth group: commits overlap with outcomes that are queued meanwhile."""
        for at in range(first * GROUP, len(planned), 4 * GROUP):
            group = [row.row for row in planned[at : at + GROUP]]
            await journal.begin(group)
            for row in group:
                say("begun", row)
                journal.record(RowRecord(row, State.DONE, id=row))
            await journal.flush()
            for row in group:
                say("done", row)

    await asyncio.gather(*(one_of_several(first) for first in range(4)))
    await journal.close()
    say("end")


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1])))
