"""HTTP engines: one request out, one response in.

engine.py     the interface
selection.py  which engine sends a request
native/       our own engine
httpx/        adapters of httpx: proxies, HTTP/2, a program's own client, mocks
"""
