"""Profiles of the settings file: read, and replaced one at a time; comments and all else stay as they are."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import attrs

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.regular_files import create_file, read_regular, replace_file
from wosdk_async.text.strict_toml import parse_toml

__all__ = ["ProfileFile", "create_private", "require_profile_name", "write_private"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # also a bare key of TOML, and part of a file name
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() also splits texts at other characters
_TABLE = re.compile(r"\s*\[")
_KEY = re.compile(r"\s*(?P<key>[A-Za-z0-9_-]+)\s*=")
_PRIVATE = 0o600
_MAX_SIZE = 1 << 20  # bytes; a settings file has a few hundred


def require_profile_name(name: str) -> None:
    """Raise CliError for a name that cannot be that of a profile."""
    if not _NAME.fullmatch(name):
        raise CliError(f"--profile {name!r}: a profile is named by letters, digits, - and _, 64 at the most")


@attrs.frozen
class ProfileFile:
    """A settings file with its text; one that is not there yet is empty."""

    path: Path
    text: str = attrs.field(repr=False)  # it may hold a secret
    _data: dict[str, Any] = attrs.field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a settings file.

        Raises:
            CliError: it cannot be read, or is not TOML. The message holds nothing of the file.
        """
        text = _text_of(path)
        try:
            return cls(path, text, parse_toml(text))
        except ValueError:
            pass  # not in the handler: the error may hold a secret
        raise CliError(f"{path} is not TOML; correct it, or move it away")

    @property
    def profiles(self) -> dict[str, Any]:
        """The profiles by their names."""
        found = self._data.get("profiles")
        return found if isinstance(found, dict) else {}

    def profile(self, name: str) -> dict[str, Any]:
        """Return the keys of a profile; none when there is no such profile."""
        found = self.profiles.get(name)
        return found if isinstance(found, dict) else {}

    def replaced(self, name: str, changes: Mapping[str, str | None]) -> str:
        """Return the text with a changed profile, a new one at the end. None removes a key.

        Raises:
            CliError: the profile is written in a way in which this would change more than the profile.
        """
        text = "".join(_changed(_LINE.findall(self.text), name, changes))
        wanted = copy.deepcopy(self._data)
        profile = {**self.profile(name), **changes}
        wanted.setdefault("profiles", {})
        try:
            wanted["profiles"][name] = {key: value for key, value in profile.items() if value is not None}
            if parse_toml(text) == wanted:
                return text
        except (ValueError, TypeError, RecursionError):
            pass  # not in the handler: the error may hold a secret
        raise CliError(
            f"{self.path}: profile {name!r} cannot be changed there without touching the rest; give it a "
            f"section [profiles.{name}] of its own, or write it by hand"
        )

    def require_unchanged(self) -> None:
        """Raise CliError if somebody changed the file since it was read."""
        if _text_of(self.path) != self.text:
            raise CliError(f"{self.path} was changed meanwhile; give the command again")

    def write(self, text: str) -> None:
        """Write ``text`` in one step, for its owner only.

        Raises:
            CliError: the file cannot be written, or somebody changed it since it was read.
        """
        self.require_unchanged()
        write_private(self.path, text)


def _text_of(path: Path) -> str:
    try:
        return read_regular(path, _MAX_SIZE)[0].decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        why = error.strerror or str(error)
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    raise CliError(f"{path} cannot be read: {why}")


def _changed(lines: list[str], name: str, changes: Mapping[str, str | None]) -> list[str]:
    """Return the lines of a file with a changed profile."""
    header = re.compile(rf"""\s*\[\s*profiles\s*\.\s*(["']?){re.escape(name)}\1\s*\]\s*(#.*)?""")
    start = next((i for i, line in enumerate(lines) if header.fullmatch(line.rstrip())), None)
    left = {key: value for key, value in changes.items() if value is not None}
    if start is None:
        blank = [] if not lines or not lines[-1].strip() else ["\n"]
        return [*_ended(lines), *blank, f"[profiles.{name}]\n", *_entries(left)]
    end = next((i for i in range(start + 1, len(lines)) if _TABLE.match(lines[i])), len(lines))
    section: list[str] = []
    for line in _ended(lines[start + 1 : end]):
        found = _KEY.match(line)
        key = found["key"] if found else ""
        if key in left:
            section += _entries({key: left.pop(key)})
        elif key not in changes:
            section.append(line)
    last = max((i + 1 for i, line in enumerate(section) if line.strip()), default=0)
    section[last:last] = _entries(left)
    return [*_ended(lines[: start + 1]), *section, *lines[end:]]


def _ended(lines: list[str]) -> list[str]:
    """Return lines of which the last one has an end, too."""
    return [*lines[:-1], f"{lines[-1].rstrip(chr(10))}\n"] if lines else []


def _entries(values: Mapping[str, str]) -> list[str]:
    # A text of JSON is one of TOML, but for DEL, which TOML wants escaped.
    texts = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    return [f"{key} = {text}\n".replace("\x7f", "\\u007f") for key, text in texts.items()]


def create_private(path: Path, text: str) -> None:
    """Create a file for its owner only.

    Raises:
        CliError: there is one already, or it cannot be written; then nothing of it is left.
    """
    with _writing(path), create_file(path, _PRIVATE) as file:
        try:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def write_private(path: Path, text: str) -> None:
    """Write a file in one step, for its owner only; a link stays, and what it names is replaced.

    Raises:
        CliError: it cannot be written; the old one is still there.
    """
    target = Path(os.path.realpath(path))
    with _writing(target), replace_file(target, mode=_PRIVATE, named_by_user=True) as file:
        file.write(text.encode())


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise CliError(f"{path} cannot be written: {error.strerror or error}") from error
