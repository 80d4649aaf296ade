"""One job on many workers, which Dask runs: processes of this machine, or a cluster.

The rules have no I/O: ``leases.py``, ``desk.py`` (the coordinator's side) and ``held_rows.py`` (the
worker's). ``coordinator.py`` carries the messages of ``messages.py``, writes grants, and has one outcome for
each claim; ``worker.py`` is the actor behind ``dask.py`` and ``processes.py``; ``job_workers.py`` is what an
import has. Imports, undo and the command line import it; it knows the journal and the map, not the import.

A worker *gives back* a row that it did not send: it waits again. A grant that was not sent is *withdrawn*.
A row is *lost* when its lease is over without a report: it is in doubt, and looked up.
"""
