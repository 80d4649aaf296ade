"""Job report. ``facts.py`` reads the journal, and ``page.py`` renders the report."""
