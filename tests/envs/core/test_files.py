"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from duelgym.envs.core.files import check_writable, write_atomically


def test_new_and_replaced_files(tmp_path: Path):
    path = tmp_path / "data"
    for content in (b"first", b"second", b""):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["data"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path):
    write_atomically(tmp_path / "ours", b"")
    (tmp_path / "plain").write_bytes(b"")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")}
    assert len(modes) == 1


def test_interrupted_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(source, target):
        raise KeyboardInterrupt

    path = tmp_path / "data"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["data"]


def test_a_link_stays_one(tmp_path: Path):
    (tmp_path / "real").write_bytes(b"old")
    link = tmp_path / "link"
    try:
        link.symlink_to(tmp_path / "real")
    except OSError:
        pytest.skip("this system does not let us make links")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_writable(pipe)
        write_atomically(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("write", [check_writable, lambda path: write_atomically(path, b"data")])
@pytest.mark.parametrize("place", ["missing/data", "file/data", "folder"])
def test_errors_name_the_path_that_was_asked_for(tmp_path: Path, write, place: str):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=place):
        write(tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
