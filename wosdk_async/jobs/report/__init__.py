"""Job report. ``facts.py`` reads the journal, and ``outputs.py`` renders the report."""
