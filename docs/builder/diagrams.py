"""Drawings of the call chain, the verdicts and the journal; ``python -m docs.builder.diagrams`` writes them.

A drawing is 360 units wide, so that a phone shows it at its size. Its colours follow the reader's system
where it stands alone; the site puts it into the page, where ``styles/site.css`` gives the colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from attrs import define, field

from wosdk_async.protocol import verdicts as v

__all__ = ["DRAWINGS", "Drawing"]

IMAGES = Path(__file__).parents[1] / "images"
WIDTH = 360
STYLE = """<style>
.diagram text{font:13px system-ui,sans-serif;fill:#1f2933}.diagram .small{font-size:11px}
.diagram .strong{font-size:12.5px;font-weight:600}
.diagram rect,.diagram path{fill:none;stroke:#52606d}.diagram .frame{stroke-dasharray:4 3}
.diagram .box{fill:#f0f4f8}
.diagram .good{fill:#d8f3dc}.diagram .again{fill:#dceefb}.diagram .bad{fill:#fde2e1}
.diagram .doubt{fill:#fff3c4}
.diagram .head{fill:#52606d;stroke:none}
@media (prefers-color-scheme:dark){.diagram text{fill:#e4e7eb}.diagram rect,.diagram path{stroke:#9aa5b1}
.diagram .box{fill:#28313b}.diagram .good{fill:#1d4028}.diagram .again{fill:#16354f}
.diagram .bad{fill:#52211f}
.diagram .doubt{fill:#4d3f0c}.diagram .head{fill:#9aa5b1}}
</style>"""


@define
class Drawing:
    """Boxes, frames and arrows from top to bottom."""

    title: str
    parts: list[str] = field(factory=list)
    height: int = 0

    def box(self, x: int, y: int, width: int, lines: Iterable[str], kind: str = "box") -> int:
        """Draw a box with a title and smaller lines; return where it ends."""
        texts = list(lines)
        height = 12 + 16 * len(texts)
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>')
        for number, text in enumerate(texts):
            size = "strong" if number == 0 else "small"
            self.text(x + width // 2, y + 19 + 16 * number, text, size)
        self.height = max(self.height, y + height + 8)
        return y + height

    def frame(self, x: int, y: int, width: int, height: int, label: str) -> None:
        """Draw a dashed frame with its name at the top left."""
        self.parts.append(f'<rect class="frame" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>')
        self.text(x + 10, y + 17, label, "small", "start")
        self.height = max(self.height, y + height + 8)

    def text(self, x: int, y: int, text: str, size: str = "small", anchor: str = "middle") -> None:
        """Write a line."""
        self.parts.append(
            f'<text class="{size}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
        )

    def arrow(self, *points: tuple[int, int]) -> None:
        """Draw a line through ``points`` with a head at the last one."""
        (x0, y0), (x, y) = points[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        path = "M" + " L".join(f"{a} {b}" for a, b in points)
        wings = f"{x - 7 * dx - 4 * dy} {y - 7 * dy - 4 * dx} {x - 7 * dx + 4 * dy} {y - 7 * dy + 4 * dx}"
        self.parts.append(f'<path d="{path}"/><path class="head" d="M{x} {y} L{wings} Z"/>')

    def svg(self) -> str:
        """Return the drawing as a file."""
        body = "\n".join(self.parts)
        return (
            f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'role="img" aria-label="{escape(self.title)}">\n{STYLE}\n{body}\n</svg>\n'
        )


def call_chain() -> Drawing:
    """Draw one call from the program to the service and back."""
    drawing = Drawing("One call: deadline, retries, slot, session, request, response")
    end = drawing.box(60, 8, 240, ["company.run(command)", "checked, then made a Call"])
    top = end + 20
    drawing.arrow((170, end), (170, top + 68))
    steps = (
        ("slot", "waits its turn in the Company's queue"),
        ("session", "token and host, renewed once for all"),
        ("request", "token and host go in here, not before"),
        ("engine.send", "bytes out, bytes in"),
        ("read the response", "believed only if it is for this call"),
    )
    y = top + 68
    for number, lines in enumerate(steps):
        end = drawing.box(50, y, 240, lines)
        if number < len(steps) - 1:
            drawing.arrow((170, end), (170, end + 14))
        y = end + 14
    drawing.frame(30, top + 26, 308, end - top - 16, "retry: each attempt")
    drawing.frame(12, top, 336, end - top + 20, "deadline: the whole call")
    drawing.arrow((290, end - 22), (318, end - 22), (318, top + 90), (290, top + 90))
    below = end + 48
    drawing.arrow((100, end), (100, below))
    drawing.arrow((255, end), (255, below))
    drawing.box(12, below, 162, ["a result", "typed, extra fields kept"], "good")
    drawing.box(186, below, 162, ["an error", "says what to do next"], "bad")
    return drawing


def verdict_tree() -> Drawing:
    """Draw how an attempt gets its verdict."""
    drawing = Drawing("What became of an attempt: questions from top to bottom, and the verdict of each")
    drawing.text(100, 18, "one attempt, asked from the top", "small")
    asked = (
        (["Did a byte leave?"], "no", v.NEVER_SENT.name, "sent again", "again"),
        (["A result, to this call?"], "yes", "done", "returned", "good"),
        (["401? A code of token", "or host?"], "yes", v.SESSION_REFUSED.name, "renewed, sent again", "again"),
        (["429? Its own 503?", "a code of waits=?"], "yes", v.WAIT.name, "waits, sent again", "again"),
        (["A code of repeats=?"], "yes", v.REPEAT.name, "sent again", "again"),
        (["Unknown command,", "with a second path?"], "yes", v.OTHER_PATH.name, "sent there", "again"),
        (
            ["Its error, to this call?", "4xx, or ErrorInfo in a success"],
            "yes",
            v.REFUSED.name,
            "raised: nothing done",
            "bad",
        ),
    )
    y = 28
    for lines, answer, verdict, then, kind in asked:
        height = 12 + 16 * len(lines)
        end = drawing.box(8, y, 176, lines)
        other = drawing.box(218, y + height // 2 - 22, 134, [verdict, then], kind)
        drawing.arrow((184, y + height // 2), (218, y + height // 2))
        drawing.text(200, y + height // 2 - 5, answer)
        bottom = max(end, other) + 14
        drawing.arrow((96, end), (96, bottom + 4))
        drawing.text(110, end + 13, "no" if answer == "yes" else "yes", "small", "start")
        y = bottom + 4
    drawing.frame(8, y, 344, 112, v.IN_DOUBT.name)
    drawing.box(
        18, y + 26, 104, ["repeatable", "safe to repeat:", "sent again, then", "NoAnswerError"], "again"
    )
    drawing.box(
        128, y + 26, 104, ["has a marker", "looked up by its", "key: done, or", "sent again"], "again"
    )
    drawing.box(238, y + 26, 104, ["neither", "InDoubtError:", "look before", "you repeat it"], "doubt")
    return drawing


def journal() -> Drawing:
    """Draw the states of a row of a job."""
    drawing = Drawing("States of a row in the journal of a job")
    end = drawing.box(90, 8, 180, ["planned", "nothing of it was sent"])
    drawing.arrow((180, end), (180, end + 40))
    drawing.text(190, end + 24, "written to the disk first", "small", "start")
    drawing.arrow((90, 30), (50, 30), (50, end + 40))
    found = drawing.box(8, end + 40, 84, ["found", "its key was", "there before"], "good")
    sending = drawing.box(110, end + 40, 242, ["sending", "the request may leave, or has left"])
    split = max(found, sending) + 28
    for x in (60, 180, 300):
        start = max(x, 130)
        drawing.arrow((start, sending), (start, found + 10), (x, found + 10), (x, split))
    drawing.box(8, split, 108, ["done", "a response, or", "found by its key"], "good")
    drawing.box(126, split, 108, ["refused", "it had", "no effect"], "bad")
    low = drawing.box(244, split, 108, ["in doubt", "sent, and no", "word of it"], "doubt")
    drawing.arrow((298, low), (298, low + 34), (62, low + 34), (62, low))
    drawing.text(180, low + 28, "looked up by its key: it is there")
    drawing.text(180, low + 58, "A refused row is planned again by --retry refused.")
    drawing.height = low + 70
    return drawing


DRAWINGS = {"call-chain.svg": call_chain, "verdicts.svg": verdict_tree, "journal.svg": journal}
"""File of ``docs/images`` -> what draws it."""

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (IMAGES / name).write_text(draw().svg(), encoding="utf-8")
