"""The water in a window of moderngl-window. Click to drop, drag with the right button to turn the view."""

import moderngl_window

from waterview import Drop, OrbitCamera, Renderer, Simulation, WaveEquationWater, pick


class Pool(moderngl_window.WindowConfig):
    """A pool in a window; moderngl-window calls its methods."""

    gl_version, title, window_size, aspect_ratio = (3, 3), "A pool in my own program", (960, 540), None

    def __init__(self, **given):
        """Fill the pool."""
        super().__init__(**given)
        water = WaveEquationWater(12.0, 9.0, 257, origin=(-6.0, 0.0, -4.5), wave_speed=1.5, border="reflecting")
        self.simulation = Simulation(water)
        self.simulation.start()  # steps the water in real time, on a thread of its own
        self.renderer = Renderer(self.ctx)
        self.camera = OrbitCamera.framing(self.simulation.latest())

    def on_render(self, time, frame_time):
        """Draw the newest frame."""
        self.renderer.render(self.simulation.latest(), self.camera, self.wnd.buffer_size, self.wnd.fbo)

    def on_mouse_press_event(self, x, y, button):
        """Let a drop fall on what lies under the mouse."""
        hit = pick(self.simulation.latest(), *self.camera.ray(x, y, self.wnd.size))
        if button == self.wnd.mouse.left and hit is not None:
            self.simulation.post(Drop(hit.x, hit.z, height=0.15, radius=0.5))

    def on_mouse_drag_event(self, x, y, dx, dy):
        """Turn the view."""
        if self.wnd.mouse_states.right:
            self.camera.orbit(dx, dy, self.wnd.size)

    def on_close(self):
        """End the thread."""
        self.simulation.kill()


if __name__ == "__main__":
    moderngl_window.run_window_config(Pool)
