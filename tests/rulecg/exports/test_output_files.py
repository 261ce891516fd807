"""A result is written whole or not at all, and what cannot be written is noticed beforehand."""

import os
import subprocess
import sys

import pytest

from rulecg.exports.output_files import check_writable, write_text
from rulecg_core import ConfigurationError


def test_a_file_that_grows_too_large_leaves_the_old_one(tmp_path):
    """As on a full disk: the file is what it was, and no half-written one lies beside it."""
    path = tmp_path / "report.html"
    path.write_text("before")
    program = f"from rulecg.exports.output_files import write_text; write_text({str(path)!r}, 'x' * 10**6)"
    limited = f"ulimit -f 8; exec {sys.executable} -c {program!r}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=60)
    assert "Cannot write" in done.stderr
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["report.html"]


def test_links_and_modes_survive(tmp_path):
    """Writing through a link changes what it points to; an existing file keeps who may read it."""
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "after")
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("place", ["missing/model.json", ".", "file/model.json", "with\0nul"])
def test_places_where_nothing_can_be_written_are_found_out_beforehand(place, tmp_path, monkeypatch):
    """A folder that is not there, a folder, a file taken for a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="Cannot write"):
        check_writable(place)


def test_checking_changes_nothing(tmp_path):
    """What is there stays, and nothing is left behind."""
    (tmp_path / "model.json").write_text("before")
    check_writable(tmp_path / "model.json")
    check_writable(tmp_path / "new.json")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"model.json": "before"}


def test_devices_are_written_to_directly():
    """/dev/null stays a device, and /dev/full says what is wrong."""
    write_text("/dev/null", "gone")
    assert not os.path.isfile("/dev/null")
    with pytest.raises(ConfigurationError, match="No space left"):
        write_text("/dev/full", "x")
