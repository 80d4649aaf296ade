"""One job on many workers: processes of this machine, or those of a cluster.

A coordinator keeps the journal and grants leases; workers send the rows. Nothing of the guarantees rests on
the engine that starts the workers::

    messages.py        what coordinator and workers say to each other; strict_reading.py refuses what is none,
                       row_bodies.py has the records in them, frames.py puts them on a stream
    options.py         times, rate and concurrency, as a coordinator takes them
    clocks.py          the clock of leases
    budget.py          shares of the Company's rate and concurrency; no I/O
    leases.py          which worker may send which row, until when; no I/O
    waiting.py         rows that wait, and which of them are granted together; no I/O
    reached_worker.py  one worker, as its reports show it; no I/O
    cluster_run.py     claims in, one outcome for each out; intake.py fetches the claims
    granting.py        rows from the run to the workers, and back with their outcomes
    worker_group.py    all workers: what a report of one changes, and what its loss means
    conversation.py    orders to one worker, and its reports
    coordinator.py     opens the workers, runs claims on them, ends them; the steps of a row
    sessions.py        token and host for workers, which have no id and no secret
    outcomes.py        outcomes of rows, from reports and losses
    ledger.py          what the journal implements
    pool.py            what the engines implement
    job_workers.py     the workers of an import, with their share of its rate
    worker.py          obeys orders and reports: granted_rows.py starts the rows of its leases, row_calls.py
                       carries one out, fenced.py stops requests after the end of a lease, pushed_sessions.py
                       has the token
    processes.py       workers in processes of this machine: process_link.py reaches one, process_main.py is
                       its program; undelivered_file.py keeps the results that it could not deliver, and
                       undelivered_reader.py reads them
    dask.py            workers in a Dask cluster: dask_link.py is the link to one, dask_worker.py runs there,
                       dask_settings.py has addresses and settings, dask_scheduler.py asks the scheduler,
                       dask_wire.py reads what arrives, without pickle, and dask_errors.py has the words

"Run" has two meanings. The run of a *job* is one start of the program, with a number in the journal:
``Setup.run``, ``GrantRecord.run``, ``UndeliveredReport.run``, ``Granting.job_run``. In it the coordinator
makes some :class:`~wosdk_async.jobs.cluster.cluster_run.ClusterRun`, one after another: the first sends all
rows, and each further one the rows that were in doubt and are not there. ``Granting.run`` is the current one.

One word for each step::

    fetch              a run fetches claims; those that no lease holds wait for the next batch of a worker
    grant, accept      the coordinator grants a batch, the worker accepts the grant
    withdraw, requeue  a grant that was not sent is withdrawn, and its rows wait again
    give back          a worker reports a row as not sent, so it waits again
    pop                rows and leases are removed from the book of leases, each once, and returned
    receive            a report arrives, with results; what comes after the end of a lease is late
    undelivered        a result that no coordinator confirmed; it is kept when the worker ends
    collect            the next run writes undelivered results into the journal, and they are forgotten there
    drain              a worker ends its calls and starts no further one
"""

__all__: list[str] = []
