"""Resources with the most common operations: ``company.work_orders``, ``.documents`` and others.

``company.py`` imports this package; jobs and the command line import it for names and files. The package
never imports a Company: the verbs that it needs are a Protocol in ``resource.py``.
"""
