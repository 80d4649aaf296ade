"""Faults on command: a script of rules decides what goes wrong.

``http/``, the console and the servers import it, and ``wosdk_async.testing``. It imports ``service/`` to tell
which command a request names.
"""
