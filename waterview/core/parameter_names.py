"""Parameters by name, for type checkers. `make docs` writes this module from the declarations."""

from __future__ import annotations

from typing import TypedDict


class ModelParameters(TypedDict, total=False):
    """Parameters of all models but the rate of time steps."""

    border: str
    cascades: float
    choppiness: float
    damping: float
    damping_factor: float
    death_threshold: float
    depth: float
    dispersion: bool
    dissipation: float
    divisor: str
    drop_seed: float
    drop_variation: float
    drops: str
    fetch: float
    foam: float
    foam_life: float
    friction: float
    gerstner_waves: float
    gravity: float
    growth: str
    keep_volume: bool
    kernel: str
    loop_period: float
    most_particles: float
    overshoot: float
    scheme: str
    sea_size: float
    seed: float
    shore: float
    shoreline: str
    smallest: float
    spectrum: str
    sphere_dispersion: float
    spike_slope: float
    splash: float
    spreading: str
    stencil: str
    subdivision: float
    swell: float
    tide: str
    trough_delay: float
    upwind: float
    velocity_scale: float
    wave_speed: float
    wavemaker: str
    wavemaker_angle: float
    wavemaker_height: float
    wavemaker_period: float
    wavemaker_seed: float
    wavemaker_series: str
    wavemaker_sides: str
    wavemaker_spreading: float
    wavemaker_time: float
    wind_direction: float
    wind_speed: float


class WaterParameters(ModelParameters, total=False):
    """What waters may be given by name, each model its own."""

    steps_per_second: float


class Settings(ModelParameters, total=False):
    """What `open_scene` may be given by name; which of it a scene has depends on its model."""

    air: float
    auto_exposure: bool
    bodies_added_mass: float
    bodies_bounce: float
    bodies_displacement: float
    bodies_drag: float
    bodies_friction: float
    bodies_gravity: float
    bodies_lift: float
    bodies_settling: float
    bodies_skin_friction: float
    bodies_water_density: float
    bodies_wave_push: float
    body_kind: str
    clarity: float
    click_starts: bool
    clouds: float
    columns: bool
    density: float
    depth_positive_down: bool
    detail: bool
    detail_points: float
    detail_seed: float
    detail_size: float
    detail_strength: float
    detail_trail: float
    detail_viscosity: float
    detail_wind_direction: float
    detail_wind_speed: float
    drop_size: float
    encoding: str
    exposure: float
    gauge_span: float
    gauges_interval: float
    grid: float
    grout: str
    left_drag: str
    live_points: float
    look: str
    maxima: bool
    maxima_interval: float
    maxima_threshold: float
    model: str
    pivot: str
    quality: str
    rain: float
    ripples: float
    size_m: float
    smoothing: float
    snow_line: float
    sun_azimuth: float
    sun_elevation: float
    surroundings: str
    text_scale: float
    tile_size: float
    time_scale: float
    trees: bool
    turbidity: float
    units: str
    variable: str
    vertical_scale: float
    water: str
    water_level: float
    wireframe: bool


class SceneSettings(Settings, WaterParameters, total=False):
    """What `LiveScene.set` may be given by name."""


class LakeSettings(TypedDict, total=False):
    """What `bake` may be given by name."""

    border: str
    damping: float
    depth_positive_down: bool
    dissipation: float
    encoding: str
    friction: float
    gauges_interval: float
    gravity: float
    grid: float
    keep_volume: bool
    maxima: bool
    maxima_interval: float
    maxima_threshold: float
    model: str
    scheme: str
    shoreline: str
    size_m: float
    smoothing: float
    stencil: str
    steps_per_second: float
    tide: str
    units: str
    variable: str
    vertical_scale: float
    water_level: float
    wave_speed: float
    wavemaker: str
    wavemaker_angle: float
    wavemaker_height: float
    wavemaker_period: float
    wavemaker_seed: float
    wavemaker_series: str
    wavemaker_sides: str
    wavemaker_spreading: float
    wavemaker_time: float


class BodyParameters(TypedDict, total=False):
    """What `Bodies` may be given by name."""

    added_mass: float
    bounce: float
    displacement: float
    drag: float
    friction: float
    gravity: float
    lift: float
    settling: float
    skin_friction: float
    water_density: float
    wave_push: float


class DetailParameters(TypedDict, total=False):
    """What `Detail` may be given by name."""

    points: float
    seed: float
    size: float
    strength: float
    trail: float
    viscosity: float
    wind_direction: float
    wind_speed: float
