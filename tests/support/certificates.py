"""Self-signed certificates with any names and dates."""

from __future__ import annotations

import subprocess
from pathlib import Path

VALID = ("20200101000000Z", "20990101000000Z")
FUTURE = ("20980101000000Z", "20990101000000Z")
PAST = ("20200101000000Z", "20200102000000Z")

_AUTHORITY = """
[ca]
default_ca = own
[own]
database = {folder}/index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = optional
[names]
subjectAltName = {names}
[req]
distinguished_name = any
"""


def certificate_file(path: Path, names: str, dates: tuple[str, str] = VALID) -> Path:
    """Write a key and its certificate to ``path``; ``names`` as in ``DNS:a,IP:127.0.0.1``."""
    folder = path.with_suffix(".made")
    folder.mkdir()
    (folder / "index").touch()
    (folder / "conf").write_text(_AUTHORITY.format(folder=folder, names=names))
    new = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test -config conf"
    sign = f"openssl ca -batch -notext -selfsign -config conf -startdate {dates[0]} -enddate {dates[1]}"
    for command in (f"{new} -keyout key -out request", f"{sign} -keyfile key -in request -out cert"):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    path.write_bytes((folder / "key").read_bytes() + (folder / "cert").read_bytes())
    return path
