"""Drawings of the call chain, the verdicts and the ledger; ``python -m docs.builder.diagrams`` writes them.

A drawing is 360 units wide, so that a phone shows it at its size. Its colours follow the reader's system
where it stands alone; the site puts it into the page, where ``styles/site.css`` gives the colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        height = _height(texts)
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


def _height(lines: Sequence[str]) -> int:
    """Return the height of a box with these lines."""
    return 12 + 16 * len(lines)


def call_chain() -> Drawing:
    """Draw one call from the program to the service and back: a column of boxes in two frames."""
    drawing = Drawing("One call: deadline, retries, slot, session, request, response")
    middle, left, width = 170, 50, 240  # of the arrows between the steps; of the boxes of the steps
    right = left + width
    end = drawing.box(60, 8, width, ["company.run(command)", "checked, then made a Call"])
    top = end + 20  # of the outer frame
    first = top + 68  # top of the first step: below the names of both frames
    drawing.arrow((middle, end), (middle, first))
    steps = (
        ("slot", "waits its turn in the Company's queue"),
        ("session", "token and host, renewed once for all"),
        ("request", "token and host go in here, not before"),
        ("engine.send", "bytes out, bytes in"),
        ("read the response", "believed only if it is for this call"),
    )
    y = first
    for number, lines in enumerate(steps):
        end = drawing.box(left, y, width, lines)
        if number < len(steps) - 1:
            drawing.arrow((middle, end), (middle, end + 14))
        y = end + 14
    drawing.frame(30, top + 26, 308, end - top - 16, "retry: each attempt")  # ends 10 below the last step
    drawing.frame(12, top, 336, end - top + 20, "deadline: the whole call")  # ends 10 below the inner frame
    # Another attempt: from the middle of the last step, between boxes and frame, to the middle of the first
    last, beside = end - 22, right + 28
    drawing.arrow((right, last), (beside, last), (beside, first + 22), (right, first + 22))
    below = end + 48  # the frames end 20 below the last step, and arrows need some room
    drawing.arrow((100, end), (100, below))
    drawing.arrow((255, end), (255, below))
    drawing.box(12, below, 162, ["a result", "typed, extra fields kept"], "good")
    drawing.box(186, below, 162, ["an error", "says what to do next"], "bad")
    return drawing


def verdict_tree() -> Drawing:
    """Draw how an attempt gets its verdict: questions at the left, verdicts at the right, doubt below all."""
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
    left, width = 8, 176  # of a question
    right, verdicts = left + width, 218  # where a question ends, and its verdict begins
    y = 28
    for lines, answer, verdict, then, kind in asked:
        middle = y + _height(lines) // 2  # of the question and of its verdict
        end = drawing.box(left, y, width, lines)
        other = drawing.box(verdicts, middle - _height([verdict, then]) // 2, 134, [verdict, then], kind)
        drawing.arrow((right, middle), (verdicts, middle))
        drawing.text(200, middle - 5, answer)  # above that arrow
        y = max(end, other) + 18  # of the next question
        drawing.arrow((left + width // 2, end), (left + width // 2, y))
        drawing.text(110, end + 13, "no" if answer == "yes" else "yes", "small", "start")  # beside that arrow
    drawing.frame(8, y, 344, 112, v.IN_DOUBT.name)
    inside = y + 26  # below the name of the frame
    drawing.box(
        18, inside, 104, ["repeatable", "safe to repeat:", "sent again, then", "NoAnswerError"], "again"
    )
    drawing.box(
        128, inside, 104, ["has a marker", "looked up by its", "key: done, or", "sent again"], "again"
    )
    drawing.box(238, inside, 104, ["neither", "InDoubtError:", "look before", "you repeat it"], "doubt")
    return drawing


def journal() -> Drawing:
    """Draw the states of a row of a job."""
    drawing = Drawing("States of a row in the ledger of a job")
    end = drawing.box(90, 8, 180, ["planned", "nothing of it was sent"])
    second = end + 40  # top of the second row of boxes
    drawing.arrow((180, end), (180, second))
    drawing.text(190, end + 24, "written to the disk first", "small", "start")
    drawing.arrow((90, 30), (50, 30), (50, second))  # from the left side of "planned", down to "found"
    found = drawing.box(8, second, 84, ["found", "its key was", "there before"], "good")
    sending = drawing.box(110, second, 242, ["sending", "the request may leave, or has left"])
    third = max(found, sending) + 28  # top of the third row
    for x in (60, 180, 300):  # from "sending" to the middles of the boxes below
        # The first box is left of "sending": its arrow begins inside it, and turns below "found".
        start = max(x, 130)
        drawing.arrow((start, sending), (start, found + 10), (x, found + 10), (x, third))
    drawing.box(8, third, 108, ["done", "a response, or", "found by its key"], "good")
    drawing.box(126, third, 108, ["refused", "it had", "no effect"], "bad")
    low = drawing.box(244, third, 108, ["in doubt", "sent, and no", "word of it"], "doubt")
    back = low + 34  # the way from "in doubt" back to "done": low enough for the text above it
    drawing.arrow((298, low), (298, back), (62, back), (62, low))
    drawing.text(180, back - 6, "looked up by its key: it is there")
    drawing.text(180, back + 24, "A refused row is planned again once it changed.")
    drawing.height = back + 36
    return drawing


DRAWINGS = {"call-chain.svg": call_chain, "verdicts.svg": verdict_tree, "journal.svg": journal}
"""File of ``docs/images`` -> what draws it."""

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (IMAGES / name).write_text(draw().svg(), encoding="utf-8")
