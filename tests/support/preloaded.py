"""``wosdk`` in a process that starts immediately: a fork of a process that has imported the package.

Python's imports take most of a second before a command starts. Here, one process imports once, and each
command is a fork with its own streams, signals and exit status. Tests of the start itself, such as of imports
or closed streams, run ``COMMAND`` instead. Outside Linux, each command is a new Python process.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import ctypes
import fcntl
import functools
import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_SERVE = "from tests.support.preloaded import serve; serve()"
_PR_SET_CHILD_SUBREAPER = 36
_LATE = (
    "anyio._backends._asyncio",
    "encodings.idna",
    "jinja2",
    "opentelemetry.metrics",
    "opentelemetry.trace",
    "tomllib",
)
"""Modules that commands import when they run."""


class Preloaded(subprocess.Popen[Any]):
    """A ``wosdk`` command, used like any ``subprocess.Popen``.

    Args:
        arguments: the command's arguments.
        modules: modules to import before the fork, if installed; later commands inherit them.
        code: code to run in the new process before the command.
        options: options of ``Popen``.
    """

    def __init__(
        self, arguments: Sequence[str | Path], *, modules: Sequence[str] = (), code: str = "", **options: Any
    ) -> None:
        self._modules, self._code = list(modules), code
        super().__init__([str(each) for each in arguments], **options)

    def _execute_child(self, args: list[str], *rest: Any) -> None:
        """Fork instead of starting a program, the only difference from ``subprocess.Popen``."""
        if sys.platform != "linux":
            program = f"{self._code}\nfrom wosdk_async.cli import main; main()"
            super()._execute_child([sys.executable, "-c", program, *args], *rest)  # type: ignore[misc]
            return
        _, _, _, pass_fds, cwd, env, *_ = rest
        pipes = stdin, _, _, stdout, _, stderr = rest[9:15]
        streams = [file if file >= 0 else own for own, file in enumerate((stdin, stdout, stderr))]
        request = {
            "arguments": args,
            "modules": self._modules,
            "code": self._code,
            "cwd": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "targets": [0, 1, 2, *pass_fds],
            "new_session": rest[20],
        }
        self.pid = _fork(json.dumps(request).encode(), [*streams, *pass_fds])
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def python(code: str, *arguments: str | Path, **options: Any) -> Preloaded:
    """Run Python code as a program instead of a command."""
    return Preloaded(arguments, code=f"{code}\nraise SystemExit", **options)


def run_pytest(folder: Path, *options: str, environ: Mapping[str, str] | None = None) -> str:
    """Run pytest in ``folder`` with the usual plugins, warnings as errors, and return its output."""
    plugins = ("pytest_asyncio.plugin", "respx.plugin", "wosdk_async.testing.plugin")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "WOSDK"))}
    process = python(
        "import pytest; raise SystemExit(pytest.main())",
        *("-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", folder),
        *(part for name in plugins for part in ("-p", name)),
        *options,
        modules=["pytest"],
        cwd=folder,
        env={**own, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(environ or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return str(process.communicate(timeout=120)[0])


_SCRIPT = """\
#!{python} -IS
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = repr((sys.argv[1:], os.getcwd(), dict(os.environ)))
socket.send_fds(server, [request.encode()], [0, 1, 2])
sys.exit(int(server.recv(8) or 1))
"""


@contextlib.contextmanager
def script(folder: Path) -> Iterator[str]:
    """Put a ``wosdk`` for other programs into a new folder; yield the PATH that leads there."""
    folder.mkdir()
    with socket.create_server(str(folder / "socket"), family=socket.AF_UNIX) as server:
        address = server.getsockname()
        (folder / "wosdk").write_text(_SCRIPT.format(python=sys.executable, address=address), "utf-8")
        (folder / "wosdk").chmod(0o755)
        thread = threading.Thread(target=_serve_script, args=[server])
        thread.start()
        try:
            yield f"{folder}{os.pathsep}{os.environ['PATH']}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve_script(server: socket.socket) -> None:
    """Start a command for each connection, until the socket is shut down."""
    with contextlib.suppress(OSError):
        while True:
            client, _ = server.accept()
            request, files, *_ = socket.recv_fds(client, 1 << 18, 3)
            arguments, cwd, environment = ast.literal_eval(request.decode())
            stdin, stdout, stderr = files
            command = Preloaded(
                arguments, cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
            )
            for file in files:
                os.close(file)
            threading.Thread(target=_answer_script, args=(client, command)).start()


def _answer_script(client: socket.socket, command: Preloaded) -> None:
    """Send the exit status of a command."""
    with client, contextlib.suppress(OSError):  # the script may have been killed
        client.send(str(command.wait()).encode())


def _fork(request: bytes, files: list[int]) -> int:
    """Return the process id of a request: a child of this process, although another process forks it."""
    with _FORKING:
        control = _server()
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(control, [request], files)
            process = int(control.recv(32))
            control.recv(32)  # its parent has exited, so it is now a child of this process
        finally:
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    return process


_FORKING = threading.Lock()  # some tests start commands in several threads


@functools.cache
def _server() -> socket.socket:
    """Return the connection to the process with the imported package, which exits with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-c", _SERVE]
    # Its stdout is neither a terminal nor a file, as for the commands.
    _keep.append(subprocess.Popen(command, cwd=_ROOT, stdin=theirs.fileno(), stdout=subprocess.PIPE))
    theirs.close()
    return ours


_keep: list[object] = []


def serve() -> None:
    """Import the package, and fork for each request on stdin; a fork returns when its command has ended."""
    sys.path[0] = str(_ROOT)  # not the folder of each command
    atexit.register(_keep_modules, {*sys.modules})  # registered before others, so that it is called last
    for package in ("cli", "jobs", "sandbox"):
        found = import_module(f"wosdk_async.{package}")
        for module in pkgutil.walk_packages(found.__path__, f"{found.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    for name in _LATE:
        import_module(name)
    import_module("wosdk_async.sandbox").open_store(":memory:").close()  # reads the catalogue

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=0)
    while True:
        message, files, *_ = socket.recv_fds(control, 1 << 18, 64)
        if not message:
            return
        request = json.loads(message)
        for name in request["modules"]:
            with contextlib.suppress(ImportError):
                import_module(name)
        gc.freeze()
        between = os.fork()
        if not between and not (command := os.fork()):
            break
        if not between:
            control.send(str(command).encode())
            os._exit(0)
        os.waitpid(between, 0)
        control.send(b"forked")
        for file in files:
            os.close(file)
    control.detach()
    _become(request, files)


def _keep_modules(needed: set[str]) -> None:
    """Let a fork exit without clearing its shared modules, which takes longer than most commands."""
    kept = [sys.modules.pop(name) for name in {*sys.modules} - needed]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Run a request like a newly started process."""
    targets = request["targets"]
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, max(targets) + 1) for file in files]
    for file in files:
        os.close(file)
    for file, target in zip(moved, targets, strict=True):
        os.dup2(file, target)
        os.close(file)
    if request["new_session"]:
        os.setsid()
    sys.stdout.reconfigure(line_buffering=os.isatty(1), write_through=False)  # type: ignore[union-attr]
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    exec(request["code"], {})  # noqa: S102 - of the test
    from wosdk_async.cli import main

    main()
