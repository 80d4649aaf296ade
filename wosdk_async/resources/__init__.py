"""Resources with the most common operations: ``company.work_orders``, ``.documents`` and others.

``company.py`` imports it, and jobs and the command line for names and files. It never imports a Company: the
verbs that it needs are a Protocol in ``resource.py``.
"""
