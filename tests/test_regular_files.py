"""Files that this package writes, locks and parses: no link leads elsewhere, and no text takes long."""

from __future__ import annotations

import ast
import os
import re
import sqlite3
import stat
import time
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.journal.plans import a_journal
from tests.support.laws import each_of
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.exports import locked_folder
from wosdk_async.jobs.journal import FolderLock, Journal
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.regular_files import (
    connect_database,
    create_file,
    open_existing,
    open_or_create,
    parse_toml,
    publish,
    read_regular,
    recreate_file,
    replace_file,
    sync_file,
)
from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.storage.store import Store

PACKAGE = Path(__file__).parents[1] / "wosdk_async"

# --- who opens files for writing ------------------------------------------------------------

TEMPORARY = {"mkstemp", "NamedTemporaryFile"}  # those of the others have no name
COPIES = {"copyfile", "copy2", "copytree"}
PATHS = {"write_text", "write_bytes", "touch"}
OTHERS = {"ParquetWriter", "Workbook"}
OPENERS = {"open", "fdopen", "FileIO", "OSFile"}
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}
NAMES = {"connect", *OPENERS, *PATHS, *OTHERS, *TEMPORARY, *COPIES}
MODE = re.compile(r"(?=.*[wax+])[rwaxbt+]{1,4}")


def opens_for_writing(call: ast.Call) -> bool:
    """Whether a call opens a file for writing, or lets another library do so by its path."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in NAMES:
        return False
    inside = list(ast.walk(call))
    owner = getattr(getattr(call.func, "value", None), "id", "")
    texts = {each.value for each in inside if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    if name in OPENERS:
        flags = {each.attr for each in inside if isinstance(each, ast.Attribute)}
        return bool(flags & FLAGS) if owner == "os" else any(map(MODE.fullmatch, texts))
    if name == "connect" and owner == "sqlite3":
        return not texts & {"", ":memory:"}
    if name in PATHS:
        return isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Call)
    if name in OTHERS:  # these take files that are open, too
        return getattr(call.args[0], "id", "") != "file"
    return name in TEMPORARY | COPIES


def test_one_module_opens_files_for_writing() -> None:
    named = re.compile(rf"\b(?:{'|'.join(NAMES)})\(")  # a tenth of the files: the others are not parsed
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if named.search(text := path.read_text(encoding="utf-8"))
        for each in ast.walk(ast.parse(text))
        if isinstance(each, ast.Call) and opens_for_writing(each)
    ]
    assert found == ["regular_files.py"] * 4  # create_file, _open, open_user_path and connect_database


@each_of(
    "code",
    [
        "path.open('w')",
        "open(path, mode='r+b')",
        "os.open(path, os.O_RDWR)",
        "path.write_text('')",
        "tempfile.mkstemp()",
        "shutil.copyfile(a, b)",
        "sqlite3.connect(path)",
        "arrow.OSFile(path, 'wb')",
        "xlsxwriter.Workbook(str(path))",
    ],
)
def test_a_module_that_opens_a_file_for_writing_is_found(code: str) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert opens_for_writing(call)


# --- what another user may have put there ---------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file of the user that nobody may change."""
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    return path


def symbolic(path: Path, kept: Path) -> None:
    path.symlink_to(kept)


def hard(path: Path, kept: Path) -> None:
    path.hardlink_to(kept)


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


Plant = Callable[[Path, Path], None]
plants = pytest.mark.parametrize("plant", [symbolic, hard, pipe])


@plants
def test_a_lock_is_a_regular_file_with_one_name(tmp_path: Path, kept: Path, plant: Plant) -> None:
    """Of an import, and of an export of changes: what leads to another file is refused, and not truncated."""
    folder = tmp_path / "job"
    folder.mkdir()
    plant(folder / "lock", kept)
    locks: list[Callable[[Path], FolderLock]] = [FolderLock, lambda each: locked_folder(each, lambda _: None)]
    for lock in locks:
        with pytest.raises((JournalError, OutputError)):
            lock(folder)
    assert kept.read_bytes() == b"before"
    assert not is_held(folder)
    (folder / "lock").unlink()
    FolderLock(folder).release()


def test_a_copy_by_hard_links_does_not_hide_who_holds_a_lock(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    (tmp_path / "copy").hardlink_to(tmp_path / "lock")
    assert is_held(tmp_path)
    lock.release()


@plants
def test_files_that_are_made_anew_replace_what_is_there(tmp_path: Path, kept: Path, plant: Plant) -> None:
    for number, write in enumerate((recreate_file, replace_file)):
        path = tmp_path / f"file{number}"
        plant(path, kept)
        with write(path) as file:
            file.write(b"new")
        assert stat.S_ISREG(path.lstat().st_mode)
        assert (path.read_bytes(), path.stat().st_nlink) == (b"new", 1)
    assert kept.read_bytes() == b"before"


@plants
def test_what_was_put_in_place_of_the_draft_is_not_written(tmp_path: Path, kept: Path, plant: Plant) -> None:
    plant(tmp_path / "file.part", kept)
    with replace_file(tmp_path / "file") as file:
        file.write(b"new")
    assert ((tmp_path / "file").read_bytes(), kept.read_bytes()) == (b"new", b"before")


@plants
def test_a_new_file_and_a_lock_refuse_what_is_there(tmp_path: Path, kept: Path, plant: Plant) -> None:
    path = tmp_path / "file"
    plant(path, kept)
    with pytest.raises(FileExistsError):
        create_file(path)
    with pytest.raises(OSError, match=str(path)):
        os.close(open_or_create(path))
    if plant is not hard:
        with pytest.raises(OSError, match=str(path)):
            sync_file(path)
    assert kept.read_bytes() == b"before"


@plants
def test_a_database_is_a_regular_file_with_one_name(tmp_path: Path, plant: Plant) -> None:
    """Unless it is only read: a backup may have hard links. Nothing that is missing is made."""
    real, path = tmp_path / "real.db", tmp_path / "file.db"
    with closing(sqlite3.connect(real)) as db:
        db.execute("CREATE TABLE a (b)")
    before = real.read_bytes()
    plant(path, real)
    with pytest.raises(OSError, match=r"file\.db"):
        connect_database(path)
    if plant is pipe:
        with pytest.raises(OSError, match=r"file\.db"):
            connect_database(path, access="mode=ro")
    else:
        with closing(connect_database(path, access="mode=ro")) as db:
            assert db.execute("SELECT count(*) FROM a").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError):
        connect_database(tmp_path / "missing.db")
    assert (real.read_bytes(), (tmp_path / "missing.db").exists()) == (before, False)


@plants
@pytest.mark.parametrize("beside", ["wal", "shm", "journal"])
def test_a_file_beside_a_database_is_its_own(tmp_path: Path, kept: Path, plant: Plant, beside: str) -> None:
    """SQLite writes these in place. It writes shared memory for a reader, too, and a pipe would stop that."""
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE a (b)")
    plant(tmp_path / f"file.db-{beside}", kept)
    with pytest.raises(OSError, match=f"file.db-{beside}"):
        connect_database(path)
    if beside == "shm" or plant is pipe:
        with pytest.raises(OSError, match=f"file.db-{beside}"):
            connect_database(path, access="mode=ro")
    assert kept.read_bytes() == b"before"


@plants
async def test_a_journal_that_leads_elsewhere_is_refused(tmp_path: Path, plant: Plant) -> None:
    """It is written in place: one of another folder would be."""
    other, job = tmp_path / "other", tmp_path / "job"
    other.mkdir()
    job.mkdir()
    a_journal(other, 2).abandon()
    plant(job / "journal.db", other / "journal.db")
    with pytest.raises(JournalError):
        Journal.open(job)
    (job / "journal.db").unlink()
    async with Journal.open(other) as journal:
        assert sum(journal.counts().values()) == 2


def test_the_store_of_a_sandbox_may_be_named_by_a_link(tmp_path: Path) -> None:
    """The user named it. What the link leads to is made for its owner only; a second name is refused."""
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    Store(tmp_path / "link.db").close()
    assert stat.S_IMODE((tmp_path / "real.db").stat().st_mode) == 0o600
    (tmp_path / "second.db").hardlink_to(tmp_path / "real.db")
    with pytest.raises(StoreError):
        Store(tmp_path / "second.db")


@plants
def test_a_snapshot_does_not_write_what_is_in_place_of_its_draft(
    tmp_path: Path, kept: Path, plant: Plant
) -> None:
    plant(tmp_path / "copy.db.part", kept)
    store = Store(tmp_path / "store.db")
    store.take_snapshot(tmp_path / "copy.db")
    store.close()
    assert kept.read_bytes() == b"before"
    assert stat.S_IMODE((tmp_path / "copy.db").lstat().st_mode) == 0o600


def test_a_device_is_refused_before_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening one may already do something, such as rewind a tape."""
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda path, *_: opened.append(path))
    for opener in (open_existing, open_or_create):
        with pytest.raises(OSError, match="it is a device"):
            opener("/dev/null")
    assert opened == []


def test_a_file_that_is_too_long_is_not_read_in_part(tmp_path: Path, kept: Path) -> None:
    assert read_regular(kept, 6)[0] == b"before"
    with pytest.raises(OSError, match="it is larger than 5 bytes"):
        read_regular(kept, 5)
    assert read_regular(kept, 5, cut=True)[0] == b"befor"


@pytest.mark.parametrize("old", [0o600, 0o444])
def test_a_published_file_replaces_another_one_when_it_is_on_the_disk(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, old: int
) -> None:
    kept.chmod(old)
    part = tmp_path / "part"
    part.write_bytes(b"new")
    part.chmod(0o644)
    seen: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(kept.read_bytes()))
    publish(part, kept)
    assert seen == [b"before", b"new"]  # of the file, and of its folder
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644 & (old | 0o700)


# --- paths that the user named --------------------------------------------------------------


def test_a_link_that_the_user_named_stays_and_its_target_is_replaced(tmp_path: Path, kept: Path) -> None:
    """With the mode that is given. Of two processes that write at the same time, the last one wins."""
    link = tmp_path / "link"
    link.symlink_to(kept)
    with replace_file(link, mode=0o600, named_by_user=True) as first:
        first.write(b"first")
        with replace_file(link, named_by_user=True) as second:
            second.write(b"second")
        assert kept.read_bytes() == b"second"
    assert (link.is_symlink(), kept.read_bytes()) == (True, b"first")
    assert sorted(os.listdir(tmp_path)) == ["kept", "link"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("old", "new"), [(0o600, 0o600), (0o640, 0o640), (0o444, 0o644), (0o666, 0o644)])
def test_a_file_is_not_readable_for_more_users_than_the_one_it_replaces(
    tmp_path: Path, kept: Path, named: bool, old: int, new: int
) -> None:
    """From the first byte on; and no file that others planted makes it writable for them."""
    kept.chmod(old)
    before = os.umask(0o022)
    try:
        with replace_file(kept, named_by_user=named) as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == new
    finally:
        os.umask(before)
    assert stat.S_IMODE(kept.stat().st_mode) == new


def test_a_pipe_that_the_user_named_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"), replace_file(tmp_path / "pipe", named_by_user=True):
        pass
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("named", [True, False])
def test_a_file_that_is_not_written_to_its_end_changes_nothing(
    tmp_path: Path, kept: Path, named: bool
) -> None:
    with pytest.raises(RuntimeError), replace_file(kept, named_by_user=named) as file:
        file.write(b"new")
        raise RuntimeError
    assert (kept.read_bytes(), os.listdir(tmp_path)) == (b"before", ["kept"])


# --- TOML -----------------------------------------------------------------------------------

STRINGS = [
    '"a.b.c"',
    "'a.b'",
    '"""a."b".\n.c"""',
    "'''a.\n.b'''",
    '"\\"."',
    '""',
    '"""."" \\""". """',
    "'''.'. '' .'''''",
]
BETWEEN = ["1.5", "# a.b", "\n", " ", "= ", "a.", "[a]", "{c.d=1.5}", ",", "x", "\\", '"', '"""', "'''"]


@given(st.lists(st.sampled_from(STRINGS + BETWEEN), max_size=30))
def test_toml_is_read_as_tomllib_reads_it(parts: list[str]) -> None:
    """Dots in strings, comments and numbers do not count."""
    text = "".join(parts)
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(ValueError):  # noqa: PT011 - of tomllib, or of ours
            parse_toml(text)
    else:
        assert parse_toml(text) == expected


@pytest.mark.parametrize("value", ["0x1" + "0" * 16, str(1 << 63), f"-{(1 << 63) + 1}", "0x" + "F" * 6_000])
def test_an_integer_has_64_bits(value: str) -> None:
    for text in (f"a = {value}", f"a = [{{b = {value}}}]"):
        with pytest.raises(ValueError, match="64 bits"):
            parse_toml(text)
    assert parse_toml(f"a = [{(1 << 63) - 1}, {-(1 << 63)}]") == {"a": [(1 << 63) - 1, -(1 << 63)]}


@each_of("string", STRINGS)
def test_any_number_of_dots_may_be_in_a_text(string: str) -> None:
    text = f"a = [{', '.join([string] * 40)}] # {'.' * 40}\nb = {string}\nc.{'d'} = {string}"
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " = 1"),
        ("[", "]"),
        ("[[", "]]"),
        ("x = {", " = 1}"),
        ('x = ["""\n""", {', ' = ""}]'),
        ('x = """ \\"""""" # """\n', ' = ""'),
        ('"\\"".', ' = ""'),
        ("x = '''\n''''' # '\n", " = ''"),
        ("'#'.", " = 1"),
    ],
)
@pytest.mark.parametrize("part", ["b", '"b"', "' '", '"\\""', " b "])
def test_a_key_of_many_parts_is_refused(before: str, part: str, after: str) -> None:
    """tomllib takes 28 s for one of 64 KB. A few parts are read, wherever the key is."""
    parse_toml(f"{before}a.a{f'.{part}' * 20}{after}")
    with pytest.raises(ValueError, match="more than 32 parts"):
        parse_toml(f"{before}a.a{f'.{part}' * 200}{after}")


@pytest.mark.parametrize("unit", ['"""\\', "'''a\n", '\\"', "#", "[", "{a=", "'a'.\n", '"'])
def test_toml_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """Four times the length takes less than nine times as long; quadratic time would be sixteen."""

    def seconds(size: int) -> float:
        taken = []
        for _ in range(3):
            begun = time.process_time()
            with pytest.raises(ValueError):  # noqa: PT011 - of tomllib
                parse_toml("a = " + unit * size + "\\")
            taken.append(time.process_time() - begun)
        return min(taken)

    assert seconds(20_000) < 9 * seconds(5_000) + 0.02
