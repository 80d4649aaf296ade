"""OpenDocument sheets, written as XML."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.jobs.readers import read_here
from wosdk_async.jobs.sources.converted import ConvertedFile
from wosdk_async.readers import workbook

_NAMES = {each: each for each in ("office", "table", "text", "style", "drawing")} | {"number": "datastyle"}
_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"' for name, space in _NAMES.items()
)


def read_document(
    path: Path, rows: str, columns: str = "<table:table-column/>", *, styles: str = "", more: str = ""
) -> ConvertedFile:
    """Write a sheet, and read it; ``more`` are further ones."""
    content = (
        f'<office:document-content {_SPACES} office:version="1.3">{styles}<office:body><office:spreadsheet>'
        f'<table:table table:name="Data">{columns}{rows}</table:table>{more}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", content)
    return read_here(workbook, path)


def text_row(*texts: str) -> str:
    cells = (
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f"<table:table-row>{''.join(cells)}</table:table-row>"
