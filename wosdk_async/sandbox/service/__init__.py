"""Service behaviour, independent of HTTP. A function raises `Refusal` if the service refuses a request."""
