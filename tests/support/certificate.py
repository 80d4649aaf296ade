"""Certificate of the https servers, created by openssl."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

_NEW = "openssl req -x509 -nodes -days 2 -subj /CN=bench"
_P_256 = "ec -pkeyopt ec_paramgen_curve:P-256"
# Rust's TLS does not accept an authority's certificate for a server.
_NO_AUTHORITY = "basicConstraints=critical,CA:FALSE"


@functools.cache
def certificate(names: tuple[str, ...] = ("IP:127.0.0.1",), key: str = _P_256) -> Path:
    """Return a file with key and certificate, created once per process.

    Args:
        names: names to certify, in openssl's syntax.
        key: kind of the key, as for openssl's ``-newkey``.
    """
    folder = tempfile.TemporaryDirectory(prefix="benchmark-certificate-")
    path = Path(folder.name) / "server.pem"
    extensions = ["-addext", f"subjectAltName={','.join(names)}", "-addext", _NO_AUTHORITY]
    files = ["-keyout", str(path), "-out", str(path.with_suffix(".cert"))]
    command = [*_NEW.split(), "-newkey", *key.split(), *extensions, *files]
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_suffix(".cert").read_bytes())
    _kept.append(folder)
    return path


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that are removed when this process exits."""
