"""Requests and responses of the sandbox: routes and log-in of the service, admin addresses, OpenAPI."""
