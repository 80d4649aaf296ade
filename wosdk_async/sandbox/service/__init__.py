"""What the service does with a request.

crud.py        create, retrieve, update, delete (write.py, update.py, rules.py)
query/         criteria as SQL, and what a row shows
commands/      one small function for each command
relations.py   which record belongs to which; owner_checks.py
dialect.py     where a release differs from the specification, one switch for each place
"""
