"""One job on many workers: processes of this machine, or those of a cluster.

A coordinator keeps the journal and grants leases; workers send the rows. Nothing of the guarantees rests on
the engine that starts the workers::

    messages.py        what coordinator and workers say to each other
    budget.py          shares of the Company's rate and concurrency; no I/O
    leases.py          which worker may send which row, until when; no I/O
    waiting.py         rows that wait, and which of them are granted together; no I/O
    reached_worker.py  one worker, as its reports show it; no I/O
    cluster_run.py     claims in, one outcome for each out
    granting.py        rows from the run to the workers, and back with their outcomes
    coordinator.py     orders to the workers, and their reports; the steps of a row
    sessions.py        token and host for workers, which have no id and no secret
    outcomes.py        outcomes of rows, from reports and losses
    ledger.py          what the journal implements
    pool.py            what the engines implement
    job_workers.py     the workers of an import, with their share of its rate
    worker.py          rows of the leases, sent; reports of what became of them: row_calls.py carries one out,
                       fenced.py stops requests after the end of a lease, pushed_sessions.py has the token
    processes.py       workers in processes of this machine, each begun by process_main.py
    spool.py           results that such a process could not deliver
    dask.py            workers in a Dask cluster; dask_worker.py is the part that runs there
"""

__all__: list[str] = []
