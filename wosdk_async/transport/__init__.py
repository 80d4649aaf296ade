"""All input and output. One call goes down these files, and its response comes back up::

    transport.py    the transports of all event loops, and the sessions
    loop_state.py   what belongs to one event loop
    dispatcher.py   deadline -> retry( limiter slot -> session -> engine.send -> protocol.responses.read )
    deadline.py     the end of every call, by one timer
    retry.py        what to do after a failure: send again, renew, or give up, and with which error
    limiter/        who may send now; adaptive.py learns how many may
    attempts.py     one attempt: slot, session, request, response
    session/        token and host of a Company, one frozen pair, renewed by one caller for all
    telemetry/      hooks, OpenTelemetry, traces, statistics
    http/           bytes out, bytes in: the only place that knows an HTTP library
    download.py     files of documents, outside of any session

Nothing here knows an entity or a command: it takes a :class:`~wosdk_async.protocol.wire.Call`.
"""
