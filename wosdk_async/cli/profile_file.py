"""Profiles in the settings file, and their secret files."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import attrs

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.runner import NOT_A_TERMINAL, require_yes
from wosdk_async.regular_files import create_file, parse_toml, read_regular, replace_file
from wosdk_async.settings.profiles import ADDRESSES, CREDENTIALS, DEFAULT, NAMES, PREFIX

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # valid as a bare TOML key and in a file name
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # not str.splitlines(), because it also splits at other characters
_TABLE = re.compile(r"\s*\[")
_KEY = re.compile(r"\s*(?P<key>[A-Za-z0-9_-]+)\s*=")
_PRIVATE = 0o600
_MAX_SIZE = 1 << 20  # bytes; a typical file has a few hundred


def require_profile_name(name: str) -> None:
    """Raise CliError for an invalid profile name."""
    if not _NAME.fullmatch(name):
        raise CliError(f"--profile {name!r} is not a valid name; use 1 to 64 letters, digits, - and _")


@attrs.frozen
class ProfileFile:
    """A settings file and its text, which is empty if there is no file."""

    path: Path
    text: str = attrs.field(repr=False)  # may contain a secret
    _data: dict[str, Any] = attrs.field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a settings file. Errors never quote the file's text."""
        text = _text_of(path)
        try:
            return cls(path, text, parse_toml(text))
        except ValueError:
            pass  # an error raised here would contain this one, which may hold a secret
        raise CliError(f"{path} is not valid TOML; fix or remove the file")

    @property
    def profiles(self) -> dict[str, Any]:
        """The profiles by name."""
        found = self._data.get("profiles")
        return found if isinstance(found, dict) else {}

    def profile(self, name: str) -> dict[str, Any]:
        """Return a profile's keys; empty if there is no such profile."""
        found = self.profiles.get(name)
        return found if isinstance(found, dict) else {}

    def replaced(self, name: str, changes: Mapping[str, str | None]) -> str:
        """Return the file's text with ``changes`` to a new or existing profile; the value None removes a key.

        Raises CliError if the change would affect other parts of the file.
        """
        text = "".join(_change_lines(_LINE.findall(self.text), name, changes))
        wanted = copy.deepcopy(self._data)
        profile = {**self.profile(name), **changes}
        wanted.setdefault("profiles", {})
        try:
            wanted["profiles"][name] = {key: value for key, value in profile.items() if value is not None}
            if parse_toml(text) == wanted:
                return text
        except (ValueError, TypeError, RecursionError):
            pass  # an error raised here would contain this one, which may hold a secret
        raise CliError(
            f"{self.path}: profile {name!r} cannot be edited automatically; move it to its "
            f"own section [profiles.{name}], or edit the file by hand"
        )

    def write(self, text: str) -> None:
        """Replace the owner-only file atomically. Raises CliError if it has changed since it was read."""
        if _text_of(self.path) != self.text:
            raise CliError(f"{self.path} has changed since it was read; run the command again")
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


def _change_lines(lines: list[str], name: str, changes: Mapping[str, str | None]) -> list[str]:
    header = re.compile(rf"""\s*\[\s*profiles\s*\.\s*(["']?){re.escape(name)}\1\s*\]\s*(#.*)?""")
    start = next((i for i, line in enumerate(lines) if header.fullmatch(line.rstrip())), None)
    new = {key: value for key, value in changes.items() if value is not None}
    if start is None:
        blank = [] if not lines or not lines[-1].strip() else ["\n"]
        return [*_with_final_break(lines), *blank, f"[profiles.{name}]\n", *_entries(new)]
    end = next((i for i in range(start + 1, len(lines)) if _TABLE.match(lines[i])), len(lines))
    section: list[str] = []
    for line in _with_final_break(lines[start + 1 : end]):
        found = _KEY.match(line)
        key = found["key"] if found else ""
        if key in new:
            section += _entries({key: new.pop(key)})
        elif key not in changes:
            section.append(line)
    last = max((i + 1 for i, line in enumerate(section) if line.strip()), default=0)
    section[last:last] = _entries(new)
    return [*_with_final_break(lines[: start + 1]), *section, *lines[end:]]


def _with_final_break(lines: list[str]) -> list[str]:
    return [*lines[:-1], f"{lines[-1].rstrip(chr(10))}\n"] if lines else []


def _entries(values: Mapping[str, str]) -> list[str]:
    # JSON strings are valid TOML except for DEL, which must be escaped in TOML.
    texts = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    return [f"{key} = {text}\n".replace("\x7f", "\\u007f") for key, text in texts.items()]


def create_private(path: Path, text: str) -> None:
    """Create an owner-only file; remove the file on failure."""
    with _writing(path), create_file(path, _PRIVATE) as file:
        try:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def write_private(path: Path, text: str) -> None:
    """Write an owner-only file atomically. If ``path`` is a symbolic link, replace its target."""
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


ADDRESS_KEYS, CREDENTIAL_KEYS, PROFILE_KEYS = (
    tuple(map(str.lower, names)) for names in (ADDRESSES, CREDENTIALS, NAMES)
)

_SUFFIX = ".secret"
_HIDDEN = {"client_secret": "(a secret)", "credentials_command": "(a command)"}


def variable_of(key: str) -> str:
    """Return a key's environment variable."""
    return f"{PREFIX}{key.upper()}"


def text_of(profile: Mapping[str, Any], key: str) -> str:
    """Return a profile value as text; join lists with commas."""
    value = profile.get(key, "")
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def write_profile(file: ProfileFile, name: str, values: Mapping[str, str], *, ask: bool) -> None:
    """Write the profile, and the secret if the user typed one.

    With ``ask``, prompt before changing an existing profile. Keys missing from ``values`` are removed. The
    secret gets a new file. The old file is removed last, so that the old profile works until then.
    """
    secret, secret_file = values.get("client_secret"), None
    changes: dict[str, str | None] = dict.fromkeys(PROFILE_KEYS) | dict(values) | {"client_secret": None}
    if secret is not None:
        secret_file = file.path.parent.absolute() / f"{name}{_SUFFIX}"
        if os.path.lexists(secret_file):
            secret_file = secret_file.with_name(f"{name}.{token_hex(4)}{_SUFFIX}")
        changes["client_secret_file"] = str(secret_file)
    old = file.profile(name)
    changes = {key: value for key, value in changes.items() if text_of(old, key) != (value or "")}
    text = file.replaced(name, changes)  # report file errors before prompting
    if old and changes:
        _confirm(name, file.path, old, changes, ask=ask)
    if changes:
        if secret_file is not None:
            create_private(secret_file, f"{secret}\n")
        try:
            file.write(text)
        except CliError:
            if secret_file is not None:
                secret_file.unlink(missing_ok=True)
            raise
    _remove_old_secret(file.path, name, text_of(old, "client_secret_file"), changes)
    named = "" if name == DEFAULT else f" --profile {name}"
    say(f"saved profile {name!r} in {file.path}; to test it again, run wosdk check{named}")
    if found := [variable for variable in map(variable_of, PROFILE_KEYS) if os.environ.get(variable)]:
        say(
            f"environment variables override the profile: {', '.join(found)}; unset them, or pass "
            f"--profile {name}"
        )


def _remove_old_secret(settings: Path, name: str, old: str, changes: Mapping[str, str | None]) -> None:
    """Remove the secret file of an earlier log-in if the profile no longer uses it."""
    old_file = Path(old)
    own = re.fullmatch(rf"{re.escape(name)}(\.[0-9a-f]{{8}})?{re.escape(_SUFFIX)}", old_file.name)
    if "client_secret_file" in changes and own and old_file.parent == settings.parent.absolute():
        with suppress(OSError):  # not reported, because the new profile does not need the file
            old_file.unlink()


def _confirm(
    name: str,
    path: Path,
    old: Mapping[str, Any],
    changes: Mapping[str, str | None],
    *,
    ask: bool,
) -> None:
    say(f"changes to profile {name!r} in {path}:")
    for key, value in changes.items():
        before, after = (text and _HIDDEN.get(key, text) for text in (text_of(old, key), value))
        say(f"{key}: {before or 'not set'} -> {after or 'not set'}")
    if ask:
        require_yes("Change it?", f"{NOT_A_TERMINAL}; add --yes to change it anyway", "nothing was written")
