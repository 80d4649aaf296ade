"""HTTP layer of the sandbox: service routes and log-in, admin routes, OpenAPI."""
