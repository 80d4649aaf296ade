"""An HTTP/1.1 engine of our own, for asyncio. A request goes down these files::

    engine.py         a request to bytes, a response to a Response
    request.py        the bytes of a request, its head remembered
    pool.py           which connection takes it: by origin, the one used last first, waiters in their order
    write_batcher.py  what is about to leave: the requests of one turn of the loop, together
    socket_reader.py  what has come: all sockets that can be read, in one go
    connect.py        new connections: resolve the host, race its addresses, TLS
    connection.py     one socket: one request out, one response in
    parser.py         bytes to a response, with llhttp; no input, no output

It costs a tenth of httpx: one future for a request, no locks, one buffer for all that is received, and
one timer for all that is waited for. HTTP/2 and proxies are left to httpx.
"""

from wosdk_async.transport.http.native.engine import NativeEngine

__all__ = ["NativeEngine"]
