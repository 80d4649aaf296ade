"""Service behaviour, independent of HTTP: a function raises `Refusal` where the service refuses a request."""
