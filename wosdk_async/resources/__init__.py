"""Resources with the most common operations: ``company.work_orders``, ``.documents`` and others.

This package never imports a Company: a Protocol in ``resource.py`` lists the verbs it needs.
"""
