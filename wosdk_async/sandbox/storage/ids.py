"""Ids in the paths of pages: as many digits as a row's id can have, so that reading one never fails."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor

__all__ = ["ID"]

ID = "id"  # as in a route: f"/rows/{{row:{ID}}}"


class _Convertor(Convertor[int]):
    """A longer number is a path that is not there."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor(ID, _Convertor())
