"""Jobs that run on several Dask workers, in local processes or in a cluster.

``leases.py`` (both sides) and ``allocator.py`` (coordinator side) apply the rules for leases and shares,
without I/O. ``coordinator.py`` exchanges the messages of ``messages.py``, writes grants to the journal, and
gives each claim one outcome. ``worker.py`` is the actor behind ``dask.py`` and ``processes.py``, and
``job_workers.py`` runs an import's workers. This package depends on the journal and the mapping, but not on
``imports``.

A row is *returned* when its worker reports it as unsent. If the run was not stopped, the row is queued again.
A grant is *withdrawn* if it is closed before being sent. A row is *lost* when its lease expires without a
report. A lost row is in doubt and is looked up.
"""
