"""Our classes in Pydantic, FastAPI and Litestar. Nothing here is loaded unless it is used."""
