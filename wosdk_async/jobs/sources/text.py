"""Text files and their encodings.

The default encoding is that of the byte order mark, or else UTF-8. It is never guessed.
"""

from __future__ import annotations

import codecs
import contextlib
import importlib
import io
import os
import re
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.readers.program import MAX_LINE
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.remedies import Remedy

_CHUNK = 1 << 16  # bytes
_NON_ASCII = bytes(range(0x80, 0x100))
_END_MARK = "\x1a"  # Ctrl-Z, the DOS end-of-file mark
_TAIL = 16  # bytes at the end of the file in which to search for the mark

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # must precede UTF-16, whose mark is a prefix of this mark
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_BINARY = {
    b"PK\x03\x04": "a zip or Excel file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a compressed file; unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"%PDF": "a PDF file; export the data as comma-separated UTF-8",
}
"""Magic bytes of binary files. Excel and Parquet files are opened as text only if ``format`` requires it."""


class TextFile:
    """Text file with its encoding. Opening or reading a file that is not text raises ImportMapError."""

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self.path = path
        require_file(path)
        with _os_errors(self.path), path.open("rb") as file:
            self.sha256 = sha256_of(path)
            head = file.read(4096)
            file.seek(-min(_TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
            self._may_have_mark = _END_MARK.encode() in file.read()
            self.encoding = self._checked_encoding(encoding, head)
        self._check_text(head)

    def lines(self, newline: str = "") -> Generator[str]:
        r"""Yield lines with their line endings (LF, CR LF or CR; with ``newline="\n"``, only LF)."""
        lines = self._lines(newline)
        return _without_end_mark(lines) if self._may_have_mark else lines

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield non-blank lines without their line endings, with line numbers from 1."""
        for number, line in enumerate(self.lines(), 1):
            if not line.isspace():
                yield number, line.rstrip("\r\n")

    def _lines(self, newline: str) -> Generator[str]:
        with _os_errors(self.path), self.path.open("rb") as file:
            text = io.TextIOWrapper(file, self.encoding, newline=newline)
            try:  # lines are limited, because a file without line breaks must not fill the memory
                for number, line in enumerate(iter(partial(text.readline, MAX_LINE), ""), 1):
                    if "\0" in line or len(line) == MAX_LINE:
                        raise ImportMapError(
                            f"{self.path}, line {number}: not text; export the data as comma-separated UTF-8"
                        )
                    yield line if number > 1 else line.removeprefix("\ufeff")
            except UnicodeError:  # the base class, as raised for UTF-16 without a byte order mark
                raise self._undecodable() from None

    def _checked_encoding(self, encoding: str | None, head: bytes) -> str:
        marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
        if encoding is None:
            return marked or "utf-8"
        try:
            io.TextIOWrapper(io.BytesIO(), encoding)  # rejects codecs that are not text encodings
            name = codecs.lookup(encoding).name
        except (LookupError, ValueError):
            raise ImportMapError(
                f"{self.path}: unknown encoding {encoding!r}; use a name such as cp1252, latin-1 or utf-16"
            ) from None
        if marked is None:
            if _has_one_byte(name) and self._is_utf8():
                raise ImportMapError(
                    f"{self.path}: the file is valid UTF-8, so {encoding} probably garbles its text (if "
                    f"{encoding} is right, save the file as UTF-8)",
                    remedies=(Remedy.LEAVE_OUT,),
                    option="encoding",
                )
            return name
        if not marked.startswith(name[:5]):
            raise ImportMapError(
                f"{self.path}: the byte order mark is for {marked.removesuffix('-sig')}, not {encoding}",
                remedies=(Remedy.LEAVE_OUT,),
                option="encoding",
            )
        return marked

    def _is_utf8(self) -> bool:
        """Return whether the file is valid UTF-8 with non-ASCII characters."""
        with contextlib.suppress(UnicodeDecodeError), self.path.open(encoding="utf-8", newline="") as file:
            return False in [text.isascii() for text in iter(partial(file.read, _CHUNK), "")]
        return False

    def _check_text(self, head: bytes) -> None:
        for first, what in _BINARY.items():
            if head.startswith(first):
                remedies = () if ";" in what else (Remedy.LEAVE_OUT,)
                raise ImportMapError(
                    f"{self.path}, line 1: not text, but {what}", remedies=remedies, option="format"
                )
        if b"\0" in head and not self.encoding.startswith(("utf-16", "utf-32")):
            line = head[: head.index(b"\0")].count(b"\n") + 1
            raise ImportMapError(f"{self.path}, line {line}: not text", remedies=(Remedy.UTF_16,))

    def _undecodable(self) -> ImportMapError:
        """Reread the file to find the first invalid byte."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        breaks = io.IncrementalNewlineDecoder(None, translate=True)
        line, column, offset = 1, 1, 0
        name = self.encoding.removesuffix("-sig").upper()
        with self.path.open("rb") as file:
            for chunk in iter(partial(file.read, _CHUNK), b""):
                before = decoder.getstate()
                try:
                    text = decoder.decode(chunk)
                except UnicodeError as error:
                    text, index, bad = "", 0, chunk[0]
                    if isinstance(error, UnicodeDecodeError):
                        index, bad = len(chunk) - len(error.object) + error.start, error.object[error.start]
                        decoder.setstate(before)
                        with contextlib.suppress(UnicodeError):  # raised again without a byte order mark
                            text = decoder.decode(chunk[: max(index, 0)])
                    line, column = _advance(line, column, breaks.decode(text))
                    sample = chunk[max(0, index - 4096) :] + file.read(_CHUNK)
                    return ImportMapError(
                        f"{self.path}, line {line}, column {column}: byte {bad:#04x} at offset "
                        f"{offset + index} is not {name}",
                        **self._remedy(sample),
                    )
                offset += len(chunk)
                line, column = _advance(line, column, breaks.decode(text))
        return ImportMapError(
            f"{self.path}, line {line}: the file ends within a {name} character; save or copy it again"
        )

    def _remedy(self, sample: bytes) -> dict[str, Any]:
        if self.encoding.startswith(("utf-16", "utf-32")):
            return {"remedies": (Remedy.COPY_AGAIN,)}
        encoding = _suggested(sample)
        remedy = Remedy.SOME_ENCODING if encoding is None else Remedy.ENCODING
        return {"remedies": (remedy,), "encoding": encoding}


def _without_end_mark(lines: Iterator[str]) -> Generator[str]:
    line = next(lines, "")
    for following in lines:
        yield line
        line = following
    body = line.rstrip("\r\n")
    if body := body.removesuffix(_END_MARK) if body.endswith(_END_MARK) else line:
        yield body


def _has_one_byte(encoding: str) -> bool:
    """Return whether an encoding has one byte for each character, and so decodes nearly any file."""
    return not encoding.startswith("utf") and len(_NON_ASCII.decode(encoding, "replace")) == len(_NON_ASCII)


@contextlib.contextmanager
def _os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ImportMapError(f"{path}: {error.strerror or error}") from None


def _advance(line: int, column: int, text: str) -> tuple[int, int]:
    """Return the line and column after ``text``, whose line breaks are LF."""
    breaks = text.count("\n")
    if not breaks:
        return line, column + len(text)
    return line + breaks, len(text) - text.rindex("\n")


def _suggested(sample: bytes) -> str | None:
    western = sample.decode("cp1252", "replace")
    is_western = "\ufffd" not in western and not _NOT_PLAIN.search(western)
    if is_western and _PLAIN.fullmatch(western):  # first, because other encodings may also fit a short sample
        return "cp1252"
    special = [character for character in western if character > "\x7f"]
    likely = sum(character.isalpha() or character in "‘’“”–—…€£§°«»©®\xa0" for character in special)
    is_western = is_western and 2 * likely > len(special)
    try:
        normalizer = importlib.import_module("charset_normalizer")
    except ImportError:
        return "cp1252" if is_western else None
    matches = normalizer.from_bytes(sample)
    best = matches.best()
    if best is None:
        return None
    # If several encodings are equally likely, suggest the most common one.
    equal = {name for match in matches if match.chaos <= best.chaos for name in match.could_be_from_charset}
    is_western = is_western and bool(equal & {"cp1252", "latin_1"})
    return "cp1252" if is_western else str(best.encoding).replace("_", "-")


_LETTERS = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ"
_SIGNS = "‘‚“”„€£§°«»©®™•·½±²×µ¿¡ªº"
# The last five characters, unlike _SIGNS, may be inside words.
_PLAIN = re.compile(f"[\\x00-\x7f{_LETTERS}{_SIGNS}’–—…\xa0]*")
_NOT_PLAIN = re.compile(
    rf"(?<![^\W\d_])[{_LETTERS}]{{2,}}(?![^\W\d_])|(?<=[^\W\d_])[{_SIGNS}](?=[^\W\d_])"
    rf"|(?<![0-9.])[ªº]|[¿¡](?!.?[A-Za-z])|\A[^{_LETTERS}]*[A-Za-z]\xa0[a-z][^{_LETTERS}]*\Z"
)
"""Words without ASCII letters, or with symbols inside, which suggest another script or a DOS encoding.

In text without accented letters, a no-break space within a word is probably an á in a DOS encoding.
"""
