"""Rows of several Companies in one SQLite file.

store.py          rows, companies and counters
database.py       the file, its tables, what is indexed
group_commit.py   a response leaves once its writes are kept
snapshots.py      copies of the store and the ways back
files.py          files of documents, and their addresses
"""
