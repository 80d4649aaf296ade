"""Jobs on several Dask workers, in local processes or a cluster.

The rules do no I/O: ``leases.py``, ``allocator.py`` (coordinator side) and ``leased_rows.py`` (worker side).
``coordinator.py`` exchanges the messages of ``messages.py``, writes grants to the journal, and gives each
claim one outcome. ``worker.py`` is the actor behind ``dask.py`` and ``processes.py``; ``job_workers.py`` runs
an import's workers. Imports, undo and the command line import this package; it depends on the journal and the
map, not on imports.

A worker *returns* an unsent row, which is queued again. A grant that was not sent is *withdrawn*. A row is
*lost* when its lease expires without a report: the row is in doubt and is looked up.
"""
