"""All input and output. One call goes down these files, and its answer comes back up::

    dispatch.py   deadline -> retry( gate slot -> session -> engine.send -> wire.read )
    deadline.py   the end of every call, by one timer
    retry.py      what to do after a failure: send again, renew, or give up, and with which error
    gate.py       who may send now; control.py learns how many may
    attempts.py   one attempt: slot, session, request, answer
    session.py    token and host of a Company, one frozen pair, renewed by one caller for all (login.py)
    hosts.py      which addresses may see the token, and where files are fetched from
    download.py   files of documents, outside of any session
    running.py    all of it within one event loop; transport.py holds them, and the sessions
    engine/       bytes out, bytes in: the only place that knows an HTTP library

Nothing here knows an entity or a command: it takes a :class:`~wosdk_async.protocol.wire.Call`.
"""
