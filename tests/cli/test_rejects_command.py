"""The command that imports the rejects: the import shows it, and it fits the file that is there."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

from tests.cli.conftest import Wosdk

MAP = """
operation = "create Customer"
marker = "tenant_code"
[entity]
name = "{name}"
display_as = "{name}"
dba = "{name}"
tenant_code = "{code}"
tax_exempt = false
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
by = "display_as"
from = "{zone}"
"""


def test_the_command_for_the_rejects_fits_the_file(tmp_path: Path, wosdk: Wosdk) -> None:
    file, map_file = tmp_path / "a.jsonl", tmp_path / "m.toml"
    file.write_text('{"code": "NB-1", "name": "North Bakery", "zone": "Nowhere"}\n')
    map_file.write_text(MAP)
    first = wosdk("import", file, "--map", map_file, "--sandbox", tmp_path / "s.db")
    assert first.exit_code == 1
    said = re.search("after correcting them: (wosdk .*)\n", first.stderr)
    assert said is not None, first.stderr
    folder = tmp_path / "a.jsonl.job"
    rejects = folder / "rejects.csv"
    assert shlex.split(said[1])[:3] == ["wosdk", "import", str(rejects)]
    assert wosdk("jobs", "rejects", folder, "--csv-for-excel", "semicolon").exit_code == 0
    shown = re.search(
        "<code>(wosdk import [^<]*rejects.csv[^<]*)</code>", (folder / "report.html").read_text()
    )
    assert shown is not None
    map_file.write_text(
        MAP.replace('by = "display_as"\nfrom = "{zone}"\n', "where = { is_offline = false }\n")
    )
    again = wosdk(*shlex.split(html.unescape(shown[1]))[1:])
    assert again.exit_code == 0, again.stderr
