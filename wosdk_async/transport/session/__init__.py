"""Token and host of a Company.

manager.py      the current session, renewed by one caller for all, and the cache of sessions
login.py        a token for the credentials, then the host from the locator
credentials.py  who logs in, and where
hosts.py        which addresses may see the token, and where files are fetched from
"""
