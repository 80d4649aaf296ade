"""Rows of a sheet of Excel."""

import zipfile

from wosdk_async.jobs import open_source

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATED = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
SHEET = {
    "_rels/.rels": f'<Relationships {RELATED}><Relationship Id="r" Type="{OFFICE}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f'<Relationships {RELATED}><Relationship Id="r" Type="{OFFICE}/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": f'<worksheet {MAIN}><sheetData><row r="1"><c r="A1" t="inlineStr"><is>'
    '<t>key</t></is></c></row><row r="2"><c r="A2"><v>7</v></c></row></sheetData></worksheet>',
}

with zipfile.ZipFile("rows.xlsx", "w") as book:
    for name, text in SHEET.items():
        book.writestr(name, text)
(row,) = open_source("rows.xlsx")
assert row.cells["key"] == "7", row
