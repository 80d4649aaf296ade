"""All input and output.

One call goes down these files, and its response comes back up::

    transport.py    the client's side: state of each event loop, sessions, hooks before a call
    loop_state.py   connections, limiter and deadlines of one event loop
    dispatcher.py   deadline -> retry( limiter slot -> session -> engine.send -> protocol.responses.read )
    attempts.py     attempts of one call: slot, session, request, response
    retry.py        what happens after a failed attempt: send again, or give up with which error
    limiter/        who may send now; adaptive.py lowers and raises the limit
    session/        token and host of a Company in one frozen pair, renewed by one caller for all
    telemetry/      observers, OpenTelemetry, traces, statistics
    http/           bytes out, bytes in: the only package that knows an HTTP library
    download.py     files of documents, without a session
    clock.py        time, and the deadlines of all calls by one timer
    fork_safety.py  what happens in a forked child

Nothing here knows an entity or a command: it takes a :class:`~wosdk_async.protocol.wire.Call`.
"""
