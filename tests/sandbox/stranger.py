"""A client that is not ours: bytes over a socket, one connection, and requests sent as they are."""

from __future__ import annotations

import base64
import json
from http.client import HTTPConnection
from typing import Any, Self
from urllib.parse import urlsplit

StatusAndBody = tuple[int, dict[str, Any]]


class Stranger:
    """Client that changes nothing of a request: a path keeps its slashes and question marks."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self.http = HTTPConnection(urlsplit(variables["WOSDK_LOCATOR_URL"]).netloc)
        self.headers: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.http.close()

    def send(self, method: str, path: str, body: object = "", **headers: str) -> StatusAndBody:
        text = body if isinstance(body, str) else json.dumps(body)
        self.http.request(method, path, text.encode(), self.headers | headers)
        response = self.http.getresponse()
        return response.status, json.loads(response.read())

    def log_in(self) -> None:
        """Log in by HTTP Basic, as most requests of the vendor's collections want it (facts 1)."""
        pair = f"{self.variables['WOSDK_CLIENT_ID']}:{self.variables['WOSDK_CLIENT_SECRET']}"
        basic = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        status, response = self.send("POST", "/OAuth/Token", "grant_type=client_credentials", **basic)
        assert (status, response["token_type"]) == (200, "bearer")
        name = self.variables["WOSDK_COMPANY"].swapcase()  # facts 1: its letter case does not matter
        self.headers = {"Authorization": f"Bearer {response['access_token']}", "CompanyName": name}
