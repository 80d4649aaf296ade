"""Service behaviour, independent of HTTP: a function raises `Refusal` if the service refuses the request."""
