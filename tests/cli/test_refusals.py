"""What the command line refuses: one line that names the value and what is allowed, and exit code 2."""

import os
import subprocess
import sys

import pytest

SMALL = ("--grid", "64")


def test_a_recording_that_is_none_is_one_line(call, tmp_path, islands):
    code, _, err = call("render", "--replay", islands, "--out", tmp_path / "a.npz")
    assert code == 2
    assert "recording" in err
    assert err.count("\n") == 1, err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--grid", "1"), "grid 1: allowed are whole numbers from 2 to 8192"),
        (("--grid", "many"), "many"),
        (("--wave-speed", "nan"), "wave speed nan"),
        (("--wave-speed", "-1"), "0 to"),
        (("--damping", "inf"), "damping inf"),
        (("--steps-per-second", "0"), "steps per second 0"),
        (("--stencil", "hexagon"), "five-point, nine-point, isotropic"),
        (("--border", "beach"), "zero, "),
        (("--model", "lava"), "wave-equation"),
        (("--quality", "best"), "auto, low, medium, high"),
        (("--size-m", "-4"), "size -4 m: "),
        (("--size", "0x20"), "1 to 16384 pixels"),
        (("--size", "big"), "1280x720"),
        (("--fps", "nan"), "--fps nan"),
        (("--seconds", "1e9"), "--seconds 1e+09"),
        (("--seconds", "-1"), "--seconds -1"),
        (("--drop", "1"), "X,Z[,HEIGHT[,RADIUS[,TIME]]]"),
        (("--drop", "nan,0"), "finite"),
        (("--drop", "0,0,1,0"), "radius 0"),
        (("--drop", "0,0,1,1,-1"), "times"),
        (("--drop", "900,0"), "outside the water"),
        (("--body", "duk"), "did you mean 'duck'"),
        (("--body", "duck:heavy"), "density 'heavy'"),
        (("--body", "duck:300:900,0"), "outside"),
        (("--gauge", "A:900,0"), "'A' at 900, 0 lies outside the map"),
        (("--gauge", "A:12,9", "--gauge", "A:13,9"), "two gauges called 'A'"),
        (("--gauge", "A"), "NAME:X,Z[@map|@lonlat][:FILE]"),
        (("--gauge", "A:1"), "NAME:X,Z[@map|@lonlat][:FILE]"),
        (("--gauge", "A:nan,0"), "NAME:X,Z[@map|@lonlat][:FILE]"),
        (("--gauge", "A:1,2@mars"), "NAME:X,Z[@map|@lonlat][:FILE]"),
        (("--gauge", "A:1,2@lonlat"), "does not say where on Earth it lies"),
        (("--gauge", "A;B:1,2"), "letters, digits"),
        (("--gauge", "A:0,0:nowhere.csv"), "cannot read the series nowhere.csv"),
        (("--gauges-out", "a.txt"), "allowed endings are .csv, .nc"),
        (("--gauges-out", "a.csv"), "there are no gauges"),
        (("--gauge", "A:0,0"), "'A' at 0, 0 lies on land"),
        (("--gauge", "A:12,9", "--solver", "gpu"), "gauges or maxima; use cpu"),
        (("--maxima", "--solver", "gpu"), "gauges or maxima; use cpu"),
        (("--maxima-out", "a.txt"), "allowed endings are .tif, .csv"),
        (("--maxima-interval", "-1"), "interval -1"),
        (("--grid", "8192", "--seconds", "1e6", "--fps", "1e4"), "GB are free"),
        (("--surface", "nowhere.tif"), "nowhere.tif: there is no such file"),
        (("--flow-x", "nowhere.tif"), "nowhere.tif: there is no such file"),
        (("--drape", "nowhere.jpg"), "nowhere.jpg: there is no such file; allowed are .jpg"),
        (("--fault", "nowhere.toml"), "cannot be read"),
        (("--camera", "1,2"), "X,Z,DISTANCE"),
        (("--camera", "0,0,-5"), "above 0 m"),
        (("--camera", "0,0,5,0,95"), "-89 to 90"),
        (("--camera", "1e300,0,5"), "up to 1e+09"),
        (("--out", "a.jpg"), ".png, %04d.png"),
        (("--out", "a_%d_%d.png"), "one number"),
        (("--out", "a_%d.mp4"), "one .mp4; leave the number out"),
        (("--out", "a_%04d.npz"), "one .npz; leave the number out"),
        (("--out", "a_%d.zarr"), "one .zarr; leave the number out"),
        (("--out", "a_%c.png"), "one number"),
        (("--out", "a_%9999999999d.png"), "one number"),
        (("--out", "100%%.png"), "one number"),
        (("--out", "a.gif", "--fps", "60"), "at most 50"),
        pytest.param(("--out", "/proc/nowhere/a.mp4", "--size", "64x36"), "cannot write", marks=pytest.mark.slow),
        (("--supersample", "9"), "1 to 8"),
        (("--supersample", "9" * 400), "1 to 8"),
        (("--out", "/proc/nowhere/a.npz"), "cannot write"),
        (("--out", f"{'a' * 300}.npz"), "cannot write"),
        pytest.param(("--out", f"{'a' * 300}/a.mp4", "--size", "64x36"), "cannot write", marks=pytest.mark.slow),
        (("--colour", "red"), "--colour"),
        (("--model", "ocean", "--sea-size=1e-308"), "sea size 1e-308 m: allowed are 0 and 0.001 to 1e+07 m"),
        (("--camera", "1," * 3000), "X,Z,DISTANCE"),
    ],
)
def test_a_wrong_value_is_one_line_and_exit_code_2(call, tmp_path, monkeypatch, islands, arguments, words):
    monkeypatch.chdir(tmp_path)
    code, _, err = call("render", islands, "--seconds", "0.1", "--out", "a.npz", *arguments)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1, err
    assert not (tmp_path / "a.npz").exists()


@pytest.mark.parametrize("flag", ["--record", "--replay"])
def test_runs_on_the_graphics_card_are_neither_recorded_nor_replayed(call, tmp_path, islands, flag):
    code, _, err = call("view", islands, *SMALL, "--solver", "gpu", flag, tmp_path / "run.jsonl")
    assert code == 2
    assert "--solver gpu" in err and "neither recorded nor replayed" in err
    assert err.count("\n") == 1, err
    assert sorted(tmp_path.iterdir()) == [islands]


@pytest.mark.parametrize("threads", ["0", "-1", "abc", "", "1000000", "2.5"])
def test_a_number_of_threads_that_cannot_be_is_one_line_and_exit_code_2(call, monkeypatch, threads):
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    code, _, err = call("models")
    assert code == 2 and "NUMBA_NUM_THREADS" in err and err.count("\n") == 1


def test_a_very_long_name_is_not_repeated_whole(call):
    for name in ("x" * 4000, "x " * 4000):
        code, _, err = call("render", name)
        assert code == 2 and "there is no such file" in err and len(err) < 1300


@pytest.mark.parametrize("command", ["view", "render", "inspect"])
def test_a_missing_file_is_one_line_and_exit_code_2(call, command):
    code, _, err = call(command, "nowhere.tif")
    assert code == 2
    assert "nowhere.tif" in err
    assert err.count("\n") == 1, err


def test_no_display_is_one_line_and_exit_code_2(call, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code, _, err = call("view", "basin", *SMALL)
    assert code == 2
    assert "no display" in err
    assert err.count("\n") == 1, err


@pytest.mark.slow
def test_no_opengl_is_one_line_and_exit_code_2(tmp_path, islands):
    # Mesa told to look for a driver that does not exist.
    broken = "import os; os.environ.update(GLCONTEXT_LINUX_LIBX11='/nowhere', EGL_PLATFORM='device', "
    broken += "__EGL_VENDOR_LIBRARY_FILENAMES='/nowhere.json')"
    program = f"{broken}; import sys; from waterview.cli import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "render", islands, *SMALL, "--seconds", "0", "--out", tmp_path / "a.png"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "OpenGL 3.3" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.slow
def test_what_a_terminal_cannot_show_is_told_in_escapes(tmp_path, islands):
    odd = islands.rename(tmp_path / "høh\udcff.npy")
    command = [sys.executable, "-m", "waterview", "inspect", odd]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "1"}
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, env=environment)
    assert rb"h\xf8h\udcff.npy" in done.stdout
    assert rb"41 \xd7 31" in done.stdout


def test_a_camera_path_that_is_none_is_one_line(call, tmp_path, islands):
    code, _, error = call("render", islands, "--out", tmp_path / "a.png", "--camera-path", tmp_path / "nowhere.toml")
    assert code == 2 and error.count("\n") == 1 and "cannot read the camera path" in error
