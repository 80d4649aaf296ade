"""HTTP/1.1 engine of our own, for asyncio."""
