"""The create of a Document with a file in it: the file is written into the body as it comes."""

from __future__ import annotations

import binascii
import io
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import EntitySpecifier
from wosdk_async.protocol import wire
from wosdk_async.protocol.entities import create
from wosdk_async.protocol.wire import Call

if TYPE_CHECKING:
    from wosdk_async.model import Document

__all__ = ["Upload"]

_STEP = 3 * 256 * 1024  # bytes that are encoded at once; base64 goes by three
_ENTITY = b'{"Entity":{'


class Upload:
    """The body of one upload, and the only place where its file is held: as the base64 that is sent.

    A Document with a ``Blob`` in it would hold the text, the text in JSON and the body side by side.
    """

    def __init__(self, file_name: str, max_bytes: int) -> None:
        self.size = 0
        self._max_bytes = max_bytes
        self._rest = b""
        self._body = io.BytesIO()
        # facts 3.10; the blob comes first, so that a file is read before anything is asked of the service
        name = wire.body_of({"FileName": file_name}).removesuffix(b"}")
        self._body.write(_ENTITY + b'"Blob":' + name + b',"Body":"')

    def require_fit(self, size: int) -> None:
        """Raise InvalidCallError for a file of ``size`` bytes that is longer than it may be."""
        if size > self._max_bytes:
            raise InvalidCallError(
                f"the file has at least {size} bytes, and max_bytes is {self._max_bytes}; "
                "send a shorter one, or raise it if your Company takes more"
            )

    def write(self, piece: Any) -> None:
        """The next bytes of the file, however many. Raises InvalidCallError when it gets too long."""
        view = memoryview(piece)
        view = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
        self.size += len(view)
        self.require_fit(self.size)
        if self._rest:
            missing = 3 - len(self._rest)
            self._rest, view = self._rest + bytes(view[:missing]), view[missing:]
            if len(self._rest) < 3:
                return
            self._encode(self._rest)
        whole = len(view) - len(view) % 3
        for start in range(0, whole, _STEP):
            self._encode(view[start : min(start + _STEP, whole)])
        self._rest = bytes(view[whole:])

    def call(self, document: Document) -> Call[EntitySpecifier]:
        """The create of ``document``, once its file is written. Raises InvalidCallError for an empty file."""
        if not self.size:  # not shown; assumed: an empty Body makes a document without a file
            raise InvalidCallError("the file is empty, and whether the service keeps it is not known")
        self._encode(self._rest)
        call = create(document)
        self._body.write(b'"},' + (call.body or b"").removeprefix(_ENTITY))
        return attrs.evolve(call, body=self._body.getvalue())  # the buffer itself, not a copy

    def _encode(self, piece: bytes | memoryview) -> None:
        self._body.write(binascii.b2a_base64(piece, newline=False))
