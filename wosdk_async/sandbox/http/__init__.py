"""Requests and responses of the sandbox: the routes of the service, log-in, admin addresses, OpenAPI."""
