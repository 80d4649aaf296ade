"""Queries, built as Python expressions and paged past the row cap::

    fields.py, properties.py    ``fields(WorkOrder).customer.name``: paths, checked by places.py
    conditions.py, values.py    comparisons, groups and orders; values as the text that is sent
    builder.py, plan.py         ``Query`` and what it is made of; plan.py writes the QueryExpression
    paging.py                   pages by key or by offset, the next one fetched while one is read

``fields.pyi`` is written from the catalogue: it tells editors the properties of each entity.
"""
# facts 4
