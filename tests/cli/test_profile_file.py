"""Profiles of the settings file: one is changed, and all else stays, comments too."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import full_disk
from tests.support.laws import examples
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.profile_file import ProfileFile, create_private, write_private

FILE = """\
# our Companies
title = "kept"

[profiles.stage]  # the one for tests
company = "Acme Stage"  # soon another
region = "emea"
client_secret = "old-secret-value"
# a note

[profiles.live]
company = "Acme"
trusted_hosts = ["a.example", "b.example"]
"""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.sampled_from(["stage", "live", "new-1"])
keys = st.sampled_from(["company", "region", "client_id", "client_secret", "trusted_hosts"])


def read(folder: Path, text: str) -> ProfileFile:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return ProfileFile.read(path)


def test_a_changed_profile_keeps_comments_and_other_profiles(tmp_path: Path) -> None:
    """Only the lines of the keys that change are others."""
    file = read(tmp_path, FILE)
    made = file.replaced("stage", {"company": 'New "Stage"', "client_secret": None, "client_id": "id-1"})
    expected = FILE.replace('company = "Acme Stage"  # soon another', r'company = "New \"Stage\""')
    expected = expected.replace('client_secret = "old-secret-value"\n', "")
    assert made == expected.replace("# a note\n", '# a note\nclient_id = "id-1"\n')


@examples(60)
@given(name=names, changes=st.dictionaries(keys, st.none() | texts), ends=st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_back_is_what_was_changed(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: dict[str, str | None], ends: str
) -> None:
    """Whatever the texts are; twice the same change is one."""
    folder = tmp_path_factory.mktemp("config")
    file = read(folder, FILE.replace("\n", ends))
    file.write(file.replaced(name, changes))
    again = ProfileFile.read(file.path)
    given_values = {key: value for key, value in changes.items() if value is not None}
    old = {key: value for key, value in file.profile(name).items() if key not in changes}
    assert again.profile(name) == old | given_values
    assert {**again.profiles, name: 0} == {**file.profiles, name: 0}
    assert tomllib.loads(again.text)["title"] == "kept"
    assert again.text.count("# our Companies") == again.text.count("# the one for tests") == 1
    assert again.replaced(name, changes) == again.text


@pytest.mark.parametrize(
    "text",
    [
        'profiles = {stage = {company = "Acme"}}\n',
        'profiles.stage.company = "Acme"\n',
        '[profiles]\nstage = "no table"\n',
        '[profiles.stage]\ncompany = """\n[profiles.live]\n"""\n',
        '[profiles.stage]\n"company" = "Acme"\n',
        "profiles = 1\n",
    ],
)
def test_a_file_that_cannot_be_changed_safely_stays_as_it_is(tmp_path: Path, text: str) -> None:
    """The message says what to do, and holds nothing of the file."""
    file = read(tmp_path, text)
    with pytest.raises(CliError, match=r"edit the file by hand") as caught:
        file.replaced("stage", {"company": "New"})
    assert "Acme" not in caught.value.message
    assert file.path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("content", [b"[profiles.stage\n", b"secret = \xff", b"#" * (1 << 20) + b"##"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    """Broken TOML, no UTF-8, or too large."""
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(CliError, match=r"config\.toml (is not valid TOML|cannot be read)"):
        ProfileFile.read(tmp_path / "config.toml")


def test_a_file_that_somebody_changed_is_not_written(tmp_path: Path) -> None:
    """Their change stays."""
    file = read(tmp_path, FILE)
    file.path.write_text("other = 1\n", encoding="utf-8")
    with pytest.raises(CliError, match="changed since it was read"):
        file.write(file.replaced("stage", {"company": "New"}))
    assert file.path.read_text(encoding="utf-8") == "other = 1\n"


def test_a_private_file_is_for_its_owner_and_a_link_stays(tmp_path: Path) -> None:
    """Folders are made, and no other file stays beside it."""
    real, link = tmp_path / "dotfiles" / "config.toml", tmp_path / "config.toml"
    link.symlink_to(real)
    before = os.umask(0)
    try:
        write_private(link, "a = 1\n")
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "a = 1\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert stat.S_IMODE(real.parent.stat().st_mode) == 0o700
    assert os.listdir(real.parent) == ["config.toml"]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A folder where a file is; nothing is left behind."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(CliError, match="cannot be written"):
        write_private(tmp_path / "file" / "config.toml", "a = 1\n")
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(CliError, match="cannot be written"):
        write_private(tmp_path / "config.toml", "a = 1\n")
    assert sorted(os.listdir(tmp_path)) == ["config.toml", "file"]


def test_what_is_not_a_regular_file_is_not_replaced(tmp_path: Path) -> None:
    """A device such as /dev/null must stay what it is; a pipe stands for it here."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(CliError, match="pipe cannot be written: it is a pipe, not a regular file"):
        write_private(pipe, "a = 1\n")
    with pytest.raises(CliError, match="pipe cannot be read: it is a pipe, not a regular file"):
        ProfileFile.read(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_created_file_replaces_none(tmp_path: Path) -> None:
    """It may be the secret of a profile that works; and nothing of a file that cannot be written stays."""
    create_private(tmp_path / "new" / "secret", "a\n")
    assert stat.S_IMODE((tmp_path / "new" / "secret").stat().st_mode) == 0o600
    with pytest.raises(CliError, match="cannot be written: File exists"):
        create_private(tmp_path / "new" / "secret", "b\n")
    assert (tmp_path / "new" / "secret").read_text(encoding="utf-8") == "a\n"
    with full_disk(), pytest.raises(CliError, match="cannot be written: File too large"):
        create_private(tmp_path / "new" / "other", "b\n")
    assert os.listdir(tmp_path / "new") == ["secret"]
