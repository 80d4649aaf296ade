"""Write ``model/`` and ``query/fields.pyi`` from the catalogue."""
