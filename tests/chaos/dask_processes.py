"""A Dask cluster of real processes on this machine, for tests and measurements."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import attrs

from tests.support.preloaded import Preloaded

_MODULES = ("distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "dask.__main__")
_DASK = """
import os, sys, threading
import dask
from distributed.config import initialize_logging

def end_with_parent():
    os.read(0, 1)  # returns when the parent has ended, however it did
    os._exit(1)

threading.Thread(target=end_with_parent, daemon=True).start()
dask.config.refresh()  # it was read before the fork
initialize_logging(dask.config.config)
from dask.__main__ import main
main()
sys.exit()
"""


@attrs.define(eq=False)
class DaskProcesses:
    """A scheduler, and workers from :meth:`add_worker`. All processes end with their parent.

    Args:
        folder: directory for the logs.
        variables: additional environment variables.
        options: additional options of the scheduler and workers.
    """

    folder: Path
    variables: dict[str, str] = attrs.field(factory=dict)
    options: list[str] = attrs.field(factory=list)
    workers: list[subprocess.Popen[bytes]] = attrs.field(factory=list)
    scheduler: subprocess.Popen[bytes] = attrs.field(init=False)

    def __enter__(self) -> Self:
        self.scheduler = self._start("scheduler", "--port", "0")
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.communicate()  # also closes the standard input

    @property
    def address(self) -> str:
        """The scheduler's address. The property waits until there is one."""
        return self._log("scheduler", "Scheduler at:")

    def add_worker(self) -> str:
        name = f"worker{len(self.workers)}"
        self.workers.append(
            self._start("worker", self.address, "--no-nanny", "--nthreads", "1", "--name", name, log=name)
        )
        return self._log(name, "Start worker at:")

    def replace_worker(self, process: int) -> None:
        """Kill the worker with this process id, and start another worker."""
        for number, worker in enumerate(self.workers):
            if worker.pid == process:
                self.kill_worker(number)
                self.add_worker()

    def kill_worker(self, number: int) -> None:
        self.workers[number].kill()
        self.workers[number].wait()

    def logs(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def _start(self, kind: str, *arguments: str, log: str = "scheduler") -> subprocess.Popen[bytes]:
        command = [kind, *arguments, "--host", "127.0.0.1", "--no-dashboard", *self.options]
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        own = {"PYTHONPATH": paths, "DASK_LOGGING__DISTRIBUTED": "info"}  # the logs are parsed
        with (self.folder / f"{log}.log").open("wb") as file:
            return Preloaded(
                command,
                modules=_MODULES,
                code=_DASK,
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=os.environ | own | self.variables,
            )

    def _log(self, name: str, text: str) -> str:
        """Wait for a log line with ``text``, and return the rest of the line."""
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            for line in (self.folder / f"{name}.log").read_text().splitlines():
                if text in line:
                    return line.partition(text)[2].strip()
            time.sleep(0.05)
        raise TimeoutError(self.logs())
