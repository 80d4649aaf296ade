"""Report of a job: ``facts.py`` reads it from the journal, ``page.py`` shows it."""
