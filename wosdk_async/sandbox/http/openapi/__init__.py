"""OpenAPI description of the sandbox."""
