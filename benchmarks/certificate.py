"""Certificate of the servers that speak https, made by openssl."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

__all__ = ["certificate"]

_NEW = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=bench"
# Rust's TLS takes no certificate of an authority for one of a server.
_EXTENSIONS = ("subjectAltName=IP:127.0.0.1", "basicConstraints=critical,CA:FALSE")


@functools.cache
def certificate() -> Path:
    """Return a file with key and certificate for 127.0.0.1; there is one for this process."""
    folder = tempfile.TemporaryDirectory(prefix="benchmark-certificate-")
    path = Path(folder.name) / "server.pem"
    extensions = [word for each in _EXTENSIONS for word in ("-addext", each)]
    command = [*_NEW.split(), *extensions, "-keyout", str(path), "-out", str(path.with_suffix(".cert"))]
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_suffix(".cert").read_bytes())
    _kept.append(folder)
    return path


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that are removed when this process ends."""
