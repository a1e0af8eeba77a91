"""The command line as a user meets it: what it prints, what it writes, how it ends."""

import signal
import subprocess
import sys
import time

import av
import numpy as np
import pytest
from PIL import Image
from support.peers import open_zarr
from support.screen import until

from waterview.cli.help import BRIEF
from waterview.cli.options import declared_parameters
from waterview.core.commands import Drop, Pause, SetParameter, StepOnce
from waterview.output.recording import RecordingFile
from waterview.scene.replay import simulating
from waterview.scene.scene import USUAL, Scene, SceneParams
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.terrain.library import resolve
from waterview.waters import MODELS

pytestmark = pytest.mark.usefixtures("one_context")

SMALL = ("--grid", "64")
DRAWN = ("--size", "96x54", "--quality", "low")


@pytest.mark.slow
def test_version_and_help(call):
    code, out, _ = call("--version")
    assert (code, out.startswith("waterview ")) == (0, True)
    for command in ("view", "render", "inspect", "doctor"):
        code, out, _ = call(command, "--help")
        assert code == 0
        assert command in out
        assert call(command, "-h") == (0, out, "")
    assert call("-h") == call("--help")


def test_every_declared_parameter_is_a_flag_of_view_and_render(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("view", "render"):
        _, out, _ = call(command, "--help-all")
        for entry in declared_parameters():
            assert entry.flag in out, f"{command} lacks {entry.flag}"


def test_help_tells_the_defaults_that_are_taken(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = call("render", "--help-all")
    told = " ".join(out.split())
    assert [name for name in USUAL if f"Default: {USUAL[name]}." not in told] == []
    damping = told[told.index("--damping 1/s") :].partition(" --")[0].replace("- ", "-")  # lines end at hyphens, too
    assert "Default: 0.3; 0.15 (wave-particles)" in damping, "wave particles have another than the wave equation"
    assert "the same rain, sea and gusts" in told[told.index("--seed N") :].partition(" --")[0]


@pytest.mark.parametrize("command", ["view", "render", "bake"])
def test_help_is_short_and_names_the_sections_of_the_whole(call, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    _, short, _ = call(command, "--help")
    code, whole, _ = call(command, "--help-all")
    assert code == 0
    assert len(short.splitlines()) <= 18 < 200 < len(whole.splitlines())
    titles = [line[:-1] for line in whole.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[:2] == ["Options", "Scene and terrain"]
    assert f"sections: {'; '.join(titles[1:])}" in " ".join(short.split())
    assert [name for name in BRIEF[command] if name != "heightmap" and f"--{name}" not in short] == []
    flags = [line.split()[0] for line in whole.splitlines() if line.startswith("  --")]
    assert len(flags) == len(set(flags))


def test_two_runs_write_the_same_bytes(call, tmp_path, islands):
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path in paths:
        drops = ("--drop", "-12,5", "--drop", "10,-8,0.4,1.5,0.25")
        code, out, _ = call("render", islands, *SMALL, "--seconds", 1, "--fps", 10, *drops, "--out", path)
        assert code == 0
        assert str(path) in out
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with np.load(paths[0]) as data:
        assert data["heights"].shape == (11, *data["fixed"].shape)
        assert np.abs(data["heights"][-1]).max() > 1e-3
        assert data["times"] == pytest.approx(np.arange(11) / 10.0, abs=0.005)


def test_a_wake_across_the_coast_leaves_land_at_exactly_zero(call, tmp_path):
    path = tmp_path / "wake.npz"
    wake = [word for x in range(-150, 151, 10) for word in ("--drop", f"{x},{x // 3},2,8,{(x + 150) / 300:.3f}")]
    code, _, err = call("render", "bay", "--grid", 128, "--seconds", 3, "--fps", 5, *wake, "--out", path)
    assert code == 0, err
    with np.load(path) as data:
        assert 0.3 < data["fixed"].mean() < 0.8
        assert np.all(data["heights"][:, data["fixed"]] == 0.0)
        assert np.abs(data["heights"][:, ~data["fixed"]]).max() > 0.1


@pytest.mark.slow
def test_bodies_and_detail_go_by_their_flags(call, tmp_path, islands):
    path = tmp_path / "a.npz"
    drawn = []
    for options in ((), ("--bodies-displacement", 0), ("--bodies-gravity", 2)):
        dropped = ("--body", "sphere:900:-12,5", "--drop", "-12,0,1,3")
        code, _, err = call("render", islands, *SMALL, *dropped, *options, "--seconds", 1, "--fps", 1, "--out", path)
        assert code == 0, err
        with np.load(path) as data:
            drawn.append(data["heights"][-1])
    assert np.abs(drawn[0] - drawn[1]).max() > 1e-4 and np.abs(drawn[0] - drawn[2]).max() > 1e-4
    code, _, err = call("render", islands, *SMALL, "--detail-trail", 900, "--out", path)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "detail trail 900 s" in err and "0.01 to 60 s" in err


@pytest.mark.slow
def test_a_picture_and_numbered_pictures(call, tmp_path, islands):
    code, _, err = call(
        "render", islands, *SMALL, "--size", "160x90", "--seconds", 0.2, "--drop", "-12,0", "--out", tmp_path / "a.png"
    )
    assert code == 0, err
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (160, 90)
        assert np.asarray(picture).std() > 5.0
    code, _, err = call(
        "render", islands, *SMALL, *DRAWN, "--seconds", 0.3, "--fps", 10, "--out", tmp_path / "f_%03d.png"
    )
    assert code == 0, err
    assert sorted(path.name for path in tmp_path.glob("f_*")) == [f"f_{number:03d}.png" for number in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["mp4", "webm", "gif"])
def test_a_film_has_every_frame_at_its_time(call, tmp_path, islands, ending):
    out = tmp_path / f"a.{ending}"
    drop = ("--drop", "-12,0,3,5")
    code, printed, err = call("render", islands, *SMALL, *drop, *DRAWN, "--fps", 20, "--seconds", 0.5, "--out", out)
    assert code == 0, err
    assert str(out) in printed
    with av.open(str(out)) as container:
        frames = list(container.decode(container.streams.video[0]))
    assert [frame.time for frame in frames] == pytest.approx([number / 20 for number in range(10)], abs=1e-3)
    first, last = (frame.to_ndarray(format="rgb24").astype(float) for frame in (frames[0], frames[-1]))
    assert first.shape == (54, 96, 3)
    assert np.abs(first - last).max() > 10.0


@pytest.mark.parametrize("ending", ["tif", "glb", "obj"])
def test_maps_and_meshes_may_be_numbered(call, tmp_path, islands, ending):
    for name, count in ((f"a.{ending}", 1), (f"b_%02d.{ending}", 3)):
        folder = tmp_path / f"folder {count}"
        code, _, err = call(
            "render", islands, "--grid", 24, "--drop", "-12,0", "--fps", 20, "--seconds", 0.1, "--out", folder / name
        )
        assert code == 0, err
        assert len(list(folder.iterdir())) == count


def test_folders_that_are_made_are_named(call, tmp_path, islands):
    arguments = ("render", islands, "--grid", 24, "--seconds", 0, "--out", tmp_path / "mistyped" / "a.npz")
    assert call(*arguments)[2] == f"waterview: made the folder {tmp_path / 'mistyped'}\n"
    assert call(*arguments)[2] == ""


@pytest.mark.slow
def test_supersampling_changes_edges_and_not_the_picture(call, tmp_path, islands):
    pictures = []
    for factor in (1, 2):
        path = tmp_path / f"{factor}.png"
        options = ("--size", "96x54", "--seconds", 0, "--supersample", factor)
        code, _, err = call("render", islands, *SMALL, *options, "--out", path)
        assert code == 0, err
        with Image.open(path) as picture:
            pictures.append(np.asarray(picture, float))
    assert pictures[0].shape == pictures[1].shape
    difference = np.abs(pictures[0] - pictures[1])
    assert 0.0 < difference.mean() < 8.0


@pytest.mark.slow
def test_a_film_stopped_by_a_signal_plays(tmp_path, islands):
    words = ["--size", "64x36", "--quality", "low", "--seconds", "2000", "--out", "a.mp4"]
    command = [sys.executable, "-m", "waterview", "render", islands, *SMALL, *words]
    process = subprocess.Popen(list(map(str, command)), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    path = tmp_path / "a.mp4"
    while not path.exists() or path.stat().st_size < 2000:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    with av.open(str(path)) as container:
        assert len(list(container.decode(container.streams.video[0]))) > 1


@pytest.fixture
def recording(tmp_path, islands):
    """A short recording, made in the simulation itself, and the frame at its end."""
    path = tmp_path / "a.jsonl"
    scene = Scene(resolve(islands).load(), SceneParams(grid=64))
    with simulating(scene, path, None) as simulation:
        for command in (Pause(True), Drop(-14.0, 5.0, 1.0, 3.0), *40 * [StepOnce()]):
            simulation.post(command)
        simulation.post(SetParameter("damping", 2.0))
        simulation.start()
        until(simulation.latest, lambda: simulation.steps == 40)
        simulation.post(StepOnce())
        rate = simulation.latest().params.steps_per_second
        until(simulation.latest, lambda: simulation.latest().time == pytest.approx(41 / rate))
        last = simulation.latest()
        simulation.kill()
    return path, last


def test_a_recording_replays_to_the_bit_without_a_window(call, tmp_path, recording):
    path, last = recording
    code, _, err = call("render", "--replay", path, "--out", tmp_path / "a.npz")
    assert code == 0, err
    with np.load(tmp_path / "a.npz") as data:
        assert np.array_equal(data["heights"][0], last.heights)
        assert np.abs(data["heights"]).max() > 0.01


@pytest.mark.slow
def test_a_recording_becomes_a_film(call, tmp_path, recording):
    out = tmp_path / "a.mp4"
    code, _, err = call("render", "--replay", recording[0], *DRAWN, "--fps", 10, "--out", out)
    assert code == 0, err
    with av.open(str(out)) as container:
        times = [frame.time for frame in container.decode(container.streams.video[0])]
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3])


@pytest.mark.slow
def test_a_camera_place_changes_the_picture(call, tmp_path, islands):
    pictures = []
    for number, camera in enumerate(((), ("--camera", "-12,0,8,270,20"))):
        path = tmp_path / f"{number}.png"
        options = ("--size", "96x54", "--seconds", 0, "--quality", "low")
        code, _, err = call("render", islands, *SMALL, *options, *camera, "--out", path)
        assert code == 0, err
        with Image.open(path) as picture:
            pictures.append(np.asarray(picture, float))
    assert np.abs(pictures[0] - pictures[1]).mean() > 10.0


def test_a_body_changes_the_waves_that_it_meets(call, tmp_path, islands):
    for name, bodies in (("without", ()), ("with", ("--body", "sphere:800:-14,8", "--body", "box"))):
        options = (*SMALL, "--seconds", 1, "--drop", "-14,6,0.5,2")
        code, _, err = call("render", islands, *options, *bodies, "--out", tmp_path / f"{name}.npz")
        assert code == 0, err
    with np.load(tmp_path / "without.npz") as alone, np.load(tmp_path / "with.npz") as met:
        assert np.array_equal(alone["heights"][0], met["heights"][0])
        assert np.abs(alone["heights"][-1] - met["heights"][-1]).max() > 1e-5


def test_a_drop_on_land_is_told_and_where_water_is(call, tmp_path, islands):
    code, _, err = call("render", islands, *SMALL, "--seconds", 0, "--drop", "0,0", "--out", tmp_path / "a.npz")
    assert code == 0
    assert "0,0 falls on dry land; open water is at" in err


def test_inspect_tells_what_a_file_holds(call, islands):
    code, out, _ = call("inspect", islands)
    assert code == 0
    for word in ("41 × 31", "land        8.6 %"):
        assert word in out


def test_inspect_takes_the_options_of_terrain_and_no_others(call, islands):
    code, out, _ = call("inspect", islands, "--vertical-scale", 2, "--size-m", 800)
    assert code == 0 and "800 ×" in out
    code, _, err = call("inspect", islands, "--wave-speed", 3)
    assert code == 2 and "--wave-speed" in err


@pytest.mark.slow
def test_doctor_tells_what_this_runs_on(call):
    code, out, _ = call("doctor")
    assert code == 0
    for word in ("numpy", "OpenGL renderer", "numba threading layer", "numba cache"):
        assert word in out


@pytest.mark.slow
def test_without_a_display_the_scene_is_drawn_into_a_folder(call, monkeypatch, tmp_path):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    out, unwritten = tmp_path / "out", tmp_path / "run.npz"
    small = *SMALL, "--window-size", "64x36", "--quality", "low"
    code, _, err = call("basin", *small, "--without-display", out, "--record", unwritten)
    assert code == 0
    assert "no display" in err
    assert "nothing is recorded" in err and not unwritten.exists()
    assert err.count("\n") == 1, err
    assert (out / "waterview.png").is_file()
    assert len(list(out.glob("frame_*.png"))) > 5


@pytest.fixture
def draw_instead(call, monkeypatch, tmp_path):
    """draw_instead(arguments) → the pictures that `view` draws where there is no display, by name."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    def draw(*arguments):
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        code, _, err = call("view", *arguments, "--window-size", "64x36", "--quality", "low", "--without-display", out)
        assert code == 0, err
        return {path.name: path.read_bytes() for path in out.iterdir()}

    return draw


@pytest.mark.slow
def test_a_sea_that_takes_no_drops_is_drawn_without_a_display(draw_instead):
    assert "waterview.png" in draw_instead("basin", *SMALL, "--model", "ocean")


@pytest.mark.slow
def test_drops_of_a_preset_fall_without_a_display(draw_instead, tmp_path):
    drawn = []
    for drops in ("", "[[drops]]\nx = 3.0\nz = 2.0\nheight = 0.5\nradius = 1.5\n"):
        preset = tmp_path / f"scene{len(drawn)}.toml"
        preset.write_text(f'title = "A drop"\nterrain = "basin"\n{drops}')
        drawn.append(draw_instead(*SMALL, "--preset", preset))
    assert drawn[0].keys() == drawn[1].keys() and drawn[0]["frame_0001.png"] != drawn[1]["frame_0001.png"]


@pytest.mark.slow
def test_a_recording_is_what_is_drawn_without_a_display(draw_instead, tmp_path):
    with RecordingFile(tmp_path / "play.jsonl", world_to_dict(World(MODELS["wave-equation"](12.0, 9.0, 24)))) as file:
        file.end(60)  # half a second
    assert sorted(draw_instead(*SMALL, "--replay", tmp_path / "play.jsonl")) == [
        *(f"frame_000{number}.png" for number in range(4)),
        "waterview.png",
    ]


@pytest.mark.slow
def test_drops_of_a_preset_are_left_out_where_another_model_is_asked_for_that_feels_none(call, tmp_path):
    asked = ("--preset", "pool", "--model", "ocean", *SMALL, "--seconds", 0, "--out", tmp_path / "a.npz")
    assert call("render", *asked)[0] == 0
    code, _, err = call("render", *asked, "--drop", "0,0")
    assert code == 2 and "the ocean model knows no drops" in err


def test_a_drop_after_the_end_is_told(call, tmp_path):
    drops = ("--drop", "0,0,0.1,1,0.1", "--drop", "1,2,0.1,1,7.5")
    code, _, err = call("render", "basin", *SMALL, "--seconds", 0.1, *drops, "--out", tmp_path / "a.npz")
    assert code == 0
    assert err == "waterview: the drop at 1,2 falls at 7.5 s, after the end; --seconds is 0.1\n"


def test_the_heightmap_is_not_written_over(call, tmp_path, islands):
    ground = islands.rename(tmp_path / "bay.npz").read_bytes()
    (tmp_path / "link.npz").symlink_to("bay.npz")
    for name in ("bay.npz", "link.npz"):
        code, _, err = call("render", tmp_path / "bay.npz", *SMALL, "--seconds", 0, "--out", tmp_path / name)
        assert code == 2 and "is read for it and would be lost" in err and err.count("\n") == 1
    assert (tmp_path / "bay.npz").read_bytes() == ground


@pytest.mark.parametrize(
    ("name", "out"),
    [("m_0.glb", "m_%d.glb"), ("m_00.tif", "m_%02d.tif"), ("x.zarr/map/bay.npy", "x.zarr"), ("rec.npz", "rec.npz")],
)
def test_nothing_that_is_read_is_written_over(call, tmp_path, islands, name, out):
    """Not as one of numbered files either, nor in a folder that is replaced, nor a recording."""
    place = tmp_path / name
    place.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name.partition("/")[0] / ".zgroup").touch() if "/" in name else None
    if name == "rec.npz":
        with RecordingFile(place, world_to_dict(World(MODELS["wave-equation"](12.0, 9.0, 24)))) as file:
            file.end(3)
        read = ("--replay", place)
    else:
        islands.rename(place)
        read = (place, *SMALL)
    before = place.read_bytes()
    code, _, err = call("render", *read, "--seconds", 0, "--out", tmp_path / out)
    assert code == 2 and "is read for it and would be lost" in err and err.count("\n") == 1
    assert place.read_bytes() == before


def test_no_recording_takes_the_place_of_the_heightmap(call, islands, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    before = islands.read_bytes()
    code, _, err = call(islands, *SMALL, "--record", islands)
    assert code == 2 and "is read for it and would be lost" in err
    assert islands.read_bytes() == before


def test_other_numbers_than_those_of_what_is_read_may_be_written(call, tmp_path, islands):
    islands.rename(tmp_path / "m_7.npz.tif")
    (tmp_path / "m_x.tif").touch()
    code, _, err = call("render", tmp_path / "m_7.npz.tif", *SMALL, "--seconds", 0, "--out", tmp_path / "m_%d.tif")
    assert code == 0, err
    assert (tmp_path / "m_0.tif").exists()


@pytest.mark.parametrize("added", [("--drop", "0,0"), ("--body", "duck")])
def test_nothing_is_added_to_a_recording(call, tmp_path, added):
    code, _, err = call("render", "--replay", tmp_path / "play.jsonl", *added, "--out", tmp_path / "a.npz")
    assert code == 2 and "leave --drop, --body and --gauge away" in err


def test_a_drop_where_all_is_land_is_told_so(call, tmp_path, islands):
    out = tmp_path / "a.npz"
    code, _, err = call("render", islands, *SMALL, "--water-level", -50, "--seconds", 0, "--drop", "0,0", "--out", out)
    assert code == 0 and "falls on dry land; there is no water: raise --water-level" in err


@pytest.mark.parametrize("command", [(), ("view",), ("render",)])
def test_the_name_of_a_preset_alone_is_told_what_it_is(call, command):
    code, _, err = call(*command, "pool")
    assert code == 2 and "did you mean '--preset pool'?" in err and err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_rendering_and_leaves_nothing_behind(tmp_path, islands, number, code):
    command = [sys.executable, "-m", "waterview", "render", islands, *SMALL, "--seconds", "2000", "--out", "a.npz"]
    before = set(tmp_path.iterdir())
    with subprocess.Popen(list(map(str, command)), cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while set(tmp_path.iterdir()) == before:
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        assert process.wait(60) == code
        assert "Traceback" not in process.stderr.read()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_camera_path_moves_the_camera_and_comes_round(call, tmp_path, islands):
    path = tmp_path / "path.toml"
    path.write_text(
        "".join(
            f"[[keyframes]]\ntime = {time}\ntarget = [0, 0, 0]\ndistance = {distance}\nazimuth = 20\nelevation = 40\n"
            for time, distance in ((0, 60), (1, 40))
        )
    )
    pictures = {}
    for name, flags in (("still", ()), ("turn", ("--camera-path", "turntable:1")), ("fly", ("--camera-path", path))):
        out = tmp_path / f"{name}_%d.png"
        arguments = (
            "--out",
            out,
            "--seconds",
            "1.5",
            "--fps",
            "2",
            "--size",
            "96x54",
            "--grid",
            "17",
            "--quality",
            "low",
            *flags,
        )
        assert call("render", islands, *arguments)[0] == 0
        pictures[name] = [np.asarray(Image.open(tmp_path / f"{name}_{number}.png"), float) for number in range(3)]
    still, turn, fly = (pictures[name] for name in ("still", "turn", "fly"))
    assert np.abs(turn[0] - still[0]).max() == 0.0, "it begins where the camera is"
    assert np.abs(turn[1] - still[1]).mean() > 5.0
    assert np.abs(turn[2] - still[2]).mean() < 1.0, "a whole turn later it is there again"
    assert np.abs(fly[0] - fly[2]).mean() > 5.0


def test_a_zarr_store_holds_what_npz_does(call, tmp_path, islands):
    for name in ("a.npz", "a.zarr"):
        options = (*SMALL, "--seconds", 0.2, "--fps", 10, "--drop", "-14,6,0.5,2", "--out", tmp_path / name)
        assert call("render", islands, *options)[0] == 0
    with np.load(tmp_path / "a.npz") as numbers:
        np.testing.assert_array_equal(open_zarr(tmp_path / "a.zarr")["heights"][:], numbers["heights"])
