"""Run the import of the README in a terminal, and draw what it shows: ``python -m tests.docs.terminal``.

It writes a light and a dark picture, ``docs/images/import-*.svg``, and needs the extra ``all``.
"""

from __future__ import annotations

import io
import os
import pty
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
from rich.text import Text

IMAGES = Path(__file__).parents[2] / "docs" / "images"
COMMAND = "wosdk import docs/examples/requests.csv --map docs/examples/sf311.toml --sandbox"
COLUMNS = 92
THEMES = {"light": DEFAULT_TERMINAL_THEME, "dark": SVG_EXPORT_THEME}


def run(command: str) -> bytes:
    """Run a command in a terminal; return all that it writes there."""
    parts: list[bytes] = []

    def keep(terminal: int) -> bytes:
        parts.append(os.read(terminal, 4096))
        return parts[-1]

    pty.spawn(command.split(), keep)
    return b"".join(parts)


def last_screen(written: bytes) -> str:
    """Return the last state of each line: a progress bar erases and rewrites its own."""
    lines = written.decode().replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\x1b[2K")[2] for line in lines)


def picture(name: str, screen: str) -> str:
    """Return an SVG of a screen, without the fonts that rich would load from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(screen))
    svg = console.export_svg(title="", theme=THEMES[name], unique_id=f"import-{name}")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    os.environ |= {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    screen = f"\x1b[1m$ {COMMAND}\x1b[0m\n{last_screen(run(COMMAND))}".rstrip()
    for name in THEMES:
        (IMAGES / f"import-{name}.svg").write_text(picture(name, screen), encoding="utf-8")
