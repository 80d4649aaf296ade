"""The pages and their parts: files of the package, under a policy that lets nothing else in."""

from __future__ import annotations

from importlib import resources

from starlette.responses import Response

__all__ = ["PARTS", "page"]

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_HEADERS = {
    # Scripts and styles come from files of this origin alone, and no text can become markup
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

PARTS = frozenset(
    file.name for file in resources.files(__package__).joinpath("static").iterdir() if "." in file.name
)


def page(name: str) -> Response:
    """A file of ``static/``, which is one of ``PARTS``."""
    content = resources.files(__package__).joinpath("static", name).read_bytes()
    return Response(content, headers=_HEADERS, media_type=_TYPES[name.rpartition(".")[2]])
