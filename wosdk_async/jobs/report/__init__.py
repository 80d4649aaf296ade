"""Job report: ``facts.py`` reads the journal, ``page.py`` renders the report."""
