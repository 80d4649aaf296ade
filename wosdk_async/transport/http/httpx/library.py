"""The only module that imports httpx; all others take it from here, and only when it is to send.

Its fork httpx2 has the same API: to change over means to change this line.
"""

import httpx

__all__ = ["httpx"]
