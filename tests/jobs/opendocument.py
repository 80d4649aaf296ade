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
_SPACES += ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'


def write_document(
    path: Path, rows: str, columns: str = "<table:table-column/>", *, styles: str = "", more: str = ""
) -> Path:
    """Write a sheet; ``more`` are further ones."""
    content = (
        f'<office:document-content {_SPACES} office:version="1.3">{styles}<office:body><office:spreadsheet>'
        f'<table:table table:name="Data">{columns}{rows}</table:table>{more}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", content)
    return path


def read_document(path: Path, rows: str, *columns: str, **others: str) -> ConvertedFile:
    """Write a sheet, and read it in this process."""
    return read_here(workbook, write_document(path, rows, *columns, **others))


def text_cells(*texts: str) -> str:
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    return "".join(map(cell.format, texts))


def row(cells: str, repeated: int = 1) -> str:
    attribute = f' table:number-rows-repeated="{repeated}"' if repeated > 1 else ""
    return f"<table:table-row{attribute}>{cells}</table:table-row>"


def text_row(*texts: str) -> str:
    return row(text_cells(*texts))
