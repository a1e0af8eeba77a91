"""What is checked of a file before it is read, and how its format is recognised."""

import os
import socket
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from waterview.core.errors import TerrainError
from waterview.terrain.readers import ALLOWED, check_file, recognise


def message_of(action, *arguments):
    with pytest.raises(TerrainError) as refused:
        action(*arguments)
    message = str(refused.value)
    assert message.isprintable()
    return message


def test_a_missing_file_names_what_is_allowed(tmp_path):
    message = message_of(check_file, tmp_path / "no.png")
    assert "no.png: there is no such file" in message and ALLOWED in message


def test_a_path_through_a_file_is_missing_too(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    assert "there is no such file" in message_of(check_file, tmp_path / "a" / "b.png")


def test_names_no_file_can_have_are_missing(tmp_path):
    assert "there is no such file" in message_of(check_file, tmp_path / "zero\0byte.png")
    assert "there is no such file" in message_of(check_file, tmp_path / ("long" * 100))


def test_a_directory_is_refused(tmp_path):
    assert "is a directory" in message_of(check_file, tmp_path)


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "a.tif").touch()
    assert "is empty" in message_of(check_file, tmp_path / "a.tif")


def test_a_pipe_is_refused_without_opening_it(tmp_path):
    os.mkfifo(tmp_path / "a.png")  # opening it would wait for a writer for ever
    assert "is a pipe, socket or device" in message_of(check_file, tmp_path / "a.png")


def test_a_socket_and_a_device_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.png")
        assert "is a pipe, socket or device" in message_of(check_file, tmp_path / "s.png")
    assert "is a pipe, socket or device" in message_of(check_file, "/dev/zero")


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def as_anybody():
    """Root may read everything, so a test of rights must not be root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_file_without_the_right_to_read_is_refused(open_folder):
    path = open_folder / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    path.chmod(0)
    with as_anybody():
        assert "may not be read" in message_of(recognise, path)


def test_a_file_in_a_closed_folder_is_refused(open_folder):
    folder = open_folder / "closed"
    folder.mkdir()
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    folder.chmod(0)
    with as_anybody():
        message = message_of(check_file, folder / "a.png")
    folder.chmod(0o755)
    assert "may not be read" in message


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "PNG"),
        (b"II*\0....", "GTiff"),
        (b"MM\0*....", "GTiff"),
        (b"II+\0....", "GTiff"),
        (b"\x93NUMPY\x01\0", "npy"),
        (b"PK\x03\x04....", "zip"),
        (b"\x1f\x8b....", "gzip"),
        (b"CDF\x01....", "netCDF"),
        (b"\x89HDF\r\n\x1a\n....", "netCDF"),
        (b"EHFA_HEADER_TAG", "HFA"),
        (b"<VRTDataset rasterX", "VRT"),
        (b"LASF....", "LAS"),
        (b"ncols 3\nnrows 4\n", "AAIGrid"),
        (b"NCOLS 3\r\nNROWS 4\r\n", "AAIGrid"),
    ],
)
def test_the_content_decides_not_the_name(tmp_path, head, kind):
    (tmp_path / "a.dat").write_bytes(head)
    assert recognise(tmp_path / "a.dat").format == kind


def test_hgt_has_no_signature_so_its_name_decides(tmp_path):
    (tmp_path / "N10E010.HGT").write_bytes(b"\0\1\0\2")
    assert recognise(tmp_path / "N10E010.HGT").format == "SRTMHGT"


def test_unknown_kinds_are_reported_what_is_allowed(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    message = message_of(recognise, tmp_path / "a.jpg")
    assert "no heightmap of a known kind" in message and ALLOWED in message


def test_a_known_name_with_foreign_content_is_reported_so(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\xff\xd8\xff\xe0")
    assert "does not begin as a .png file does" in message_of(recognise, tmp_path / "a.png")
