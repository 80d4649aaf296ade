"""Build the package as users get it, and use it: ``python .ci/wheel.py FOLDER [EXTRA ...]``.

The sdist and the wheel are built, and their files are compared with those of the repository. Then the wheel
is installed with each extra into an empty environment of its own, and a program of ``.ci/uses/`` does there
what the extra promises. The programs find a Company in their environment: ``wosdk sandbox serve`` from the
wheel.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
USES = Path(__file__).parent / "uses"
OUR_OWN = {"bench", "browser", "dev", "docs", "frames", "fuzz", "tests", "web"}
"""Extras for work on this repository: other parts of CI install them."""
PLACES = {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "SECURITY.md", "pyproject.toml"}
"""What an sdist has beside the package."""
LARGE = 500_000  # bytes
SECRETS = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|eyJ[\w-]{30,}\.[\w-]{10,}\.")


def run(*words: str | Path, **options: object) -> str:
    """Run a command and return what it prints; end with its words if it fails."""
    done = subprocess.run(words, text=True, capture_output=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def project() -> dict[str, Any]:
    """Return what ``pyproject.toml`` says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def extras() -> dict[str, list[str]]:
    """Return the extras of the package."""
    return dict(project()["project"]["optional-dependencies"])


def pip(*words: str | Path) -> None:
    """Run pip."""
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *words)


def environment(folder: Path, package: str, *options: str | Path) -> Path:
    """Make an empty environment, install a package into it, and return its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    pip("--python", python, "install", "-q", "--no-compile", *options, package)
    return python


def download(folder: Path, wheel: Path, extras: list[str]) -> tuple[str | Path, ...]:
    """Download once what all environments need; return the options of pip that take it from there."""
    pip("download", "-q", "-d", folder / "wheels", f"{wheel}[{','.join(extras)}]")
    return "--no-index", "--find-links", folder / "wheels"


def build(folder: Path) -> tuple[Path, Path]:
    """Build sdist and wheel from the tree, and a wheel from the sdist; return sdist and wheel.

    Raises:
        SystemExit: the two wheels differ, or there is something in them that should not be.
    """
    (backend,) = project()["build-system"]["requires"]
    python = environment(folder / "build", backend)
    run(python, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", folder / "dist", cwd=ROOT)
    (sdist,), (wheel,) = ((folder / "dist").glob(each) for each in ("*.tar.gz", "*.whl"))
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "sdist", filter="data")
    (tree,) = (folder / "sdist").iterdir()
    run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "again", cwd=tree)
    tracked = run("git", "ls-files", "wosdk_async", cwd=ROOT).split()
    found = mistakes(files(wheel), files(folder / "again" / wheel.name), files(sdist), set(tracked))
    if found:
        raise SystemExit("\n".join(found))
    return sdist, wheel


def files(archive: Path) -> dict[str, bytes]:
    """Return the files of a wheel, or of an sdist without its folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(archive) as sdist:
        members = [member for member in sdist.getmembers() if member.isfile()]
        return {each.name.partition("/")[2]: sdist.extractfile(each).read() for each in members}  # type: ignore[union-attr]


def mistakes(
    wheel: dict[str, bytes], again: dict[str, bytes], sdist: dict[str, bytes], tracked: set[str]
) -> list[str]:
    """Return what is wrong with the files of a release.

    Args:
        wheel: files of the wheel from the tree.
        again: files of the wheel from the sdist.
        sdist: files of the sdist.
        tracked: the files of the package that git knows.
    """
    code = {name for name in wheel if ".dist-info/" not in name}
    found = [f"not in the wheel: {name}" for name in sorted(tracked - code)]
    found += [f"in the wheel, and not in the repository: {name}" for name in sorted(code - tracked)]
    found += [
        f"the wheels from the tree and from the sdist differ: {name}"
        for name in sorted(wheel.keys() | again.keys())
        if wheel.get(name) != again.get(name)
    ]
    strange = {name for name in sdist if name not in PLACES and name not in tracked}
    found += [f"in the sdist: {name}" for name in sorted(strange)]
    found += [f"not in the sdist: {name}" for name in sorted((tracked | PLACES) - sdist.keys())]
    for name, content in sorted((wheel | sdist).items()):
        if len(content) > LARGE:
            found.append(f"{name} has {len(content):,} bytes")
        if SECRETS.search(content):
            found.append(f"{name} holds something like a secret")
    return found


def use(
    folder: Path, wheel: Path, extra: str, variables: dict[str, str], options: tuple[str | Path, ...]
) -> str:
    """Install the wheel with an extra into an empty environment, and run what uses it."""
    began = time.monotonic()
    name = extra or "base"
    python = environment(folder / name, f"{wheel}[{extra}]" if extra else str(wheel), *options)
    installed = time.monotonic() - began
    folders = (python.parents[1] / "lib").glob("python*/site-packages")
    size = sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
    place = folder / f"{name}-work"
    place.mkdir()
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("WOSDK", "PY"))}
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    variables = mine | variables | {"PATH": path, "ROOT": str(ROOT)}
    run(python, "-P", "-W", "error", USES / f"{name}.py", cwd=place, env=variables, timeout=120)
    used = time.monotonic() - began - installed
    return f"{name}: {size / 1e6:.0f} MB, installed in {installed:.0f} s, used in {used:.0f} s"


@contextlib.contextmanager
def company(folder: Path, wheel: Path, from_wheels: tuple[str | Path, ...]) -> Iterator[dict[str, str]]:
    """Serve a Company from the wheel; give the variables that lead to it."""
    python = environment(folder / "company", f"{wheel}[cli,sandbox]", *from_wheels)
    lines = folder / "company.env"
    options = ["--store", folder / "company.db", "--port", "0", "--env-file", lines]
    command = [python.parent / "wosdk", "sandbox", "serve", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            while not lines.exists() or "WOSDK" not in lines.read_text(encoding="utf-8"):
                if server.poll() is not None:
                    raise SystemExit("wosdk sandbox serve has ended")
                time.sleep(0.1)
            words = shlex.split(lines.read_text(encoding="utf-8"), comments=True)
            yield dict(word.split("=", 1) for word in words if "=" in word)
        finally:
            server.terminate()


def main() -> None:
    """Build, look, install and use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="an empty folder, where everything is built and installed")
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="only these; `base` is none")
    arguments = parser.parse_args()
    wanted = arguments.extras or ["base", *sorted(set(extras()) - OUR_OWN)]
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    _, wheel = build(folder)
    print("built:", wheel.name, flush=True)
    names = ["" if each == "base" else each for each in wanted]
    options = download(folder, wheel, [*filter(None, names), "cli", "sandbox"])
    print(f"downloaded: {len(list((folder / 'wheels').iterdir()))} packages", flush=True)
    failed = False
    with company(folder, wheel, options) as variables, ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(use, folder, wheel, extra, variables, options) for extra in names]
        for name, task in zip(wanted, tasks, strict=True):
            error = task.exception()
            failed = failed or error is not None
            print(f"{name}: FAILED\n{error}" if error else task.result(), flush=True)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
