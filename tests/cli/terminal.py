"""A command on a terminal: what it shows, and what a person types."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import termios
from contextlib import suppress

from tests.cli.conftest import spawn


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._leader, follower = pty.openpty()
        self.process = spawn(
            *arguments,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read what is shown until ``text`` comes."""
        start = len(self.shown)
        while text not in self.shown[start:]:
            self.shown += os.read(self._leader, 4096).decode()

    def type(self, line: str) -> None:
        """Type a line. What comes between a hidden question and the end of the echo is thrown away there."""
        if self.shown.endswith(("not shown):", "not shown): ")):
            while termios.tcgetattr(self._leader)[3] & termios.ECHO:
                os.sched_yield()
        os.write(self._leader, f"{line}\n".encode())

    def answer(self, *answers: tuple[str, str]) -> None:
        """Wait for each question, and type its answer."""
        for question, line in answers:
            self.until(question)
            self.type(line)

    def interrupt(self) -> None:
        """Press Ctrl-C; once more if it came just before the process began to read, which Python misses."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(2)

    def end(self) -> int:
        """Read the rest, and return the exit status."""
        while True:
            try:
                self.shown += os.read(self._leader, 4096).decode()
            except OSError:  # the other side is closed
                break
        os.close(self._leader)
        return self.process.wait(20)
