"""HTTP/1.1 engine of our own, for asyncio. Only ``selection.py`` and the test kit import it."""
