"""Checks of the built site: no dead links, no external resources, every page in the nav."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Document(HTMLParser):
    """Anchors and links of one page, and the resources that a browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the anchors and targets of one element."""
        values = {name: value for name, value in attrs if value}
        self.anchors.add(values.get("id", ""))
        if values.get("rel") in ("canonical", "prev", "next"):
            return
        for target in (values.get("href"), values.get("src")):
            if target:
                (self.links if tag == "a" else self.loads).append(target)


def mistakes(site: Path, nav: set[str], staged: set[str]) -> Iterator[str]:
    """Yield the mistakes of a site; ``nav`` and ``staged`` are the paths that it lists and was built from."""
    yield from (f"{page}: not in the nav" for page in sorted(staged - nav))
    yield from (f"mkdocs.yml: the nav names {page}, which does not exist" for page in sorted(nav - staged))
    documents = {path.resolve(): Document(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for page in sorted(nav & staged):
        if (site / page).with_suffix(".html").resolve() not in documents:
            yield f"{page}: was not built"
    for path, document in sorted(documents.items()):
        name = path.relative_to(site.resolve())
        for target in document.loads:
            if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
                yield f"{name}: loads {target} from elsewhere"
        for target in (*document.links, *document.loads) if name.name != "404.html" else ():
            if not _leads(path, target, documents):  # those of 404.html begin at the root of a server
                yield f"{name}: a link to nowhere: {target}"


def _leads(page: Path, target: str, documents: dict[Path, Document]) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return True
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    path = path / "index.html" if path.is_dir() else path
    anchor = unquote(parts.fragment)
    known = path not in documents or anchor in documents[path].anchors or anchor.startswith("__")
    return path.exists() and (not anchor or known)
