"""Faults on command.

middleware.py    requests on their way to the application
script.py        rules, and which requests each applies to; checks.py
target.py        how a rule names a request        moved_hosts.py   Companies that moved
kinds.py         what each fault does               exchange.py      to one request and its response
connection.py    breaking a connection              admin.py         the script over HTTP
rules.py         the script in force, and what was done by it
"""
