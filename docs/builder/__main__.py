"""Build the site strictly: ``python -m docs.builder [FOLDER]`` writes ``FOLDER/site``; FOLDER is ``build``.

It needs the extra ``docs`` and no network. The exit status is 1 when a link or an anchor leads nowhere, a
page is not in the nav, or the site would load something from elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from docs.builder.check import mistakes
from docs.builder.machines import write_for_machines
from docs.builder.search import add_names
from docs.builder.stage import ROOT, nav_pages, stage, write_config


def main(build: Path) -> int:
    """Build into a folder, which has to be in the repository; return the exit status."""
    build.mkdir(parents=True, exist_ok=True)
    _say("writing the pages of catalogue, commands, options and API")
    pages = stage(build / "pages")
    nav = nav_pages(write_config(build))
    command = [
        sys.executable,
        "-m",
        "zensical",
        "build",
        "--strict",
        "--clean",
        "-f",
        str(build / "mkdocs.yml"),
    ]
    _say(f"making HTML of {len(pages)} pages, which takes minutes")
    if status := subprocess.run(command, cwd=ROOT).returncode:  # noqa: S603 - our own words
        return status
    site = build / "site"
    _say("writing Markdown and llms.txt")
    write_for_machines(site, pages, nav)
    _say("adding names to the search")
    add_names(site, pages)
    _say("checking links and what pages load")
    found = list(mistakes(site, {path for _, path in nav}, set(pages)))
    print("\n".join(found) or f"{len(pages)} pages in {site}", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


def _say(stage: str) -> None:
    print(f"{stage} ...", flush=True)  # before what the stage prints itself, also into a pipe


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()))
