"""One job on many workers: processes of this machine, or those of a cluster.

A coordinator keeps the journal and grants leases; workers send the rows. Nothing of the guarantees rests on
the engine that starts the workers::

    messages.py     what coordinator and workers say to each other
    budget.py       shares of the Company's rate and concurrency; no I/O
    leases.py       which worker may send which row, until when; no I/O
    coordinator.py  orders to the workers, outcomes from their reports
    worker.py       rows of the leases, sent; reports of what became of them: row_calls.py carries one out,
                    fenced.py stops requests after the end of a lease, pushed_sessions.py has the token
    processes.py    workers in processes of this machine, each begun by process_main.py
    spool.py        results that such a process could not deliver
    dask.py         workers in a Dask cluster; dask_worker.py is the part that runs there
"""

__all__: list[str] = []
