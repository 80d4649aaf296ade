"""Addresses of the sandbox itself, which are not part of the service, and ids in paths."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor

__all__ = ["ID", "is_aside"]

ID = "id"  # as in a route: f"/orders/{{order:{ID}}}"
_FOLDERS = ("/_sandbox/", "/console/")
_PAGES = frozenset({"/console", "/docs", "/openapi.json"})


class _IdConvertor(Convertor[int]):
    """As many digits as an id can have, so that reading one never fails; a longer number is not found."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor(ID, _IdConvertor())


def is_aside(path: str, method: str) -> bool:
    """Return whether an address is the sandbox's own: it is not recorded and gets no faults.

    The root leads a browser to the console; any other request to it goes to the service.
    """
    return path in _PAGES or path.startswith(_FOLDERS) or (path == "/" and method in ("GET", "HEAD"))
