"""Build the site: ``python -m docs.builder [FOLDER]`` writes ``FOLDER/site`` (default: ``build``).

It needs the extra ``docs`` and no network. The exit status is 1 when a link or an anchor leads nowhere, a
page is not in the nav, or the site would load something from elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from docs.builder.check import mistakes
from docs.builder.search import add_names
from docs.builder.stage import ROOT, stage, write_config


def main(build: Path) -> int:
    """Build into a folder at the top of the repository; return the exit status."""
    pages = stage(build / "pages")
    nav = write_config(build)
    print(f"making HTML of {len(pages)} pages, which takes minutes ...", flush=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", f"{build}/mkdocs.yml"]
    if status := subprocess.run(command, cwd=ROOT).returncode:  # noqa: S603 - our own words
        return status
    site = build / "site"
    add_names(site, pages)
    found = list(mistakes(site, set(nav), set(pages)))
    print("\n".join(found) or f"{len(pages)} pages in {site}", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()))
