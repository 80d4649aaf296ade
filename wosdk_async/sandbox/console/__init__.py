"""Pages for a browser on the same machine: what the sandbox holds, and the requests that it got.

``http/``, ``local.py`` and ``server.py`` import it; it reads what ``service/`` and ``storage/`` have.
"""
