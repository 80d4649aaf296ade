"""Jobs on many workers, which Dask runs: processes of this machine, or a cluster.

The rules have no I/O: ``leases.py``, ``allocator.py`` (the coordinator's side) and ``leased_rows.py`` (the
worker's). ``coordinator.py`` exchanges the messages of ``messages.py``, writes grants to the journal, and has
one outcome for each claim; ``worker.py`` is the actor behind ``dask.py`` and ``processes.py``;
``job_workers.py`` runs the workers of an import. Imports, undo and the command line import the package; it
knows the journal and the map, not the import.

A worker *returns* a row that it did not send: the row is queued again. A grant that was not sent is
*withdrawn*. A row is *lost* when its lease expires without a report: it is in doubt, and looked up.
"""
