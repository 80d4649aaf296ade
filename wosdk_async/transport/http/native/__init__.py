"""Built-in HTTP/1.1 engine for asyncio. Only ``selection.py`` and the test kit import it."""
