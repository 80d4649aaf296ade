"""Builder of the documentation site: ``python -m docs.builder``."""
